/* Which catalogue translates messages: told again in another process. */

typedef __typeof__(sizeof 0) size;

void *malloc(size);
void free(void *);
size strlen(const char *);
char *strcpy(char *, const char *);
int strcmp(const char *, const char *);
void pc3_on(int, void (*)(int, void *), void *);

char *native_domain(const char *) __asm__("textdomain");
char *native_folder(const char *, const char *) __asm__("bindtextdomain");
char *native_codes(const char *, const char *) __asm__("bind_textdomain_codeset");

char *textdomain(const char *) __asm__("pc3_textdomain");
char *bindtextdomain(const char *, const char *) __asm__("pc3_bindtextdomain");
char *bind_textdomain_codeset(const char *, const char *) __asm__("pc3_bind_textdomain_codeset");

enum { RESTART = 4 };

struct pc3_domain {
    char *name, *folder, *codes;
    struct pc3_domain *next;
};

static struct pc3_domain *all;
static char *current;
static int watched;

static void again(int event, void *context)
{
    const struct pc3_domain *d;
    (void)event;
    (void)context;
    if (current)
        native_domain(current);
    for (d = all; d; d = d->next) {
        if (d->folder)
            native_folder(d->name, d->folder);
        if (d->codes)
            native_codes(d->name, d->codes);
    }
}

static char *copy(char **into, const char *text)
{
    free(*into);
    *into = (char *)malloc(strlen(text) + 1);
    if (*into)
        strcpy(*into, text);
    if (!watched) {
        watched = 1;
        pc3_on(RESTART, again, 0);
    }
    return *into;
}

static struct pc3_domain *domain(const char *name)
{
    struct pc3_domain *d;
    for (d = all; d && strcmp(d->name, name); d = d->next)
        ;
    if (d)
        return d;
    d = (struct pc3_domain *)malloc(sizeof(struct pc3_domain));
    if (!d)
        return 0;
    d->name = d->folder = d->codes = 0;
    if (!copy(&d->name, name)) {
        free(d);
        return 0;
    }
    d->next = all;
    all = d;
    return d;
}

char *textdomain(const char *name)
{
    char *now = native_domain(name);
    return now ? copy(&current, now) : 0;
}

char *bindtextdomain(const char *name, const char *folder)
{
    char *now = native_folder(name, folder);
    struct pc3_domain *d = now ? domain(name) : 0;
    return d ? copy(&d->folder, now) : 0;
}

char *bind_textdomain_codeset(const char *name, const char *codes)
{
    char *now = native_codes(name, codes);
    struct pc3_domain *d = now ? domain(name) : 0;
    return d ? copy(&d->codes, now) : 0;
}
