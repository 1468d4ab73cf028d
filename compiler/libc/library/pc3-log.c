/* How messages to the system's log begin, and which are left out: told again in another process. */

void pc3_on(int, void (*)(int, void *), void *);

void native_open(const char *, int, int) __asm__("openlog");
int native_mask(int) __asm__("setlogmask");

void openlog(const char *, int, int) __asm__("pc3_openlog");
int setlogmask(int) __asm__("pc3_setlogmask");

enum { RESTART = 4 };

static const char *beginning;
static int opened, options, facility, masked, mask, watched;

static void again(int event, void *context)
{
    (void)event;
    (void)context;
    if (opened)
        native_open(beginning, options, facility);
    if (masked)
        native_mask(mask);
}

static void watch(void)
{
    if (!watched)
        pc3_on(RESTART, again, 0);
    watched = 1;
}

void openlog(const char *text, int how, int what)
{
    native_open(text, how, what);
    opened = 1;
    beginning = text;
    options = how;
    facility = what;
    watch();
}

int setlogmask(int new)
{
    int old = native_mask(new);
    if (new) {
        masked = 1;
        mask = new;
        watch();
    }
    return old;
}
