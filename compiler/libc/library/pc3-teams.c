/* What a program says of its teams of threads by OpenMP's functions: said again in another process.  In a region it is that
 * region's, which no checkpoint can be in. */

void pc3_on(int, void (*)(int, void *), void *);

int level(void) __asm__("omp_get_level");
void native_threads(int) __asm__("omp_set_num_threads");
void native_dynamic(int) __asm__("omp_set_dynamic");
void native_nested(int) __asm__("omp_set_nested");
void native_levels(int) __asm__("omp_set_max_active_levels");
void native_schedule(int, int) __asm__("omp_set_schedule");

void omp_set_num_threads(int) __asm__("pc3_omp_set_num_threads");
void omp_set_dynamic(int) __asm__("pc3_omp_set_dynamic");
void omp_set_nested(int) __asm__("pc3_omp_set_nested");
void omp_set_max_active_levels(int) __asm__("pc3_omp_set_max_active_levels");
void omp_set_schedule(int, int) __asm__("pc3_omp_set_schedule");

enum { RESTART = 4 };

/* How often anything was said, and when each of these was last; 0: never. */
static int times;
static struct {
    int threads, dynamic, nested, levels, schedule;
} said;
static int threads, dynamic, nested, levels, kind, chunk;

static void again(int event, void *context)
{
    (void)event;
    (void)context;
    if (said.threads)
        native_threads(threads);
    if (said.dynamic)
        native_dynamic(dynamic);
    /* These two say the same thing in two ways: the last one counts. */
    if (said.nested > said.levels)
        native_nested(nested);
    else if (said.levels)
        native_levels(levels);
    if (said.schedule)
        native_schedule(kind, chunk);
}

/* When it is said; 0: in a region. */
static int now(void)
{
    if (level() > 0)
        return 0;
    if (!times)
        pc3_on(RESTART, again, 0);
    return ++times;
}

void omp_set_num_threads(int n)
{
    int at = now();
    native_threads(n);
    if (at) {
        said.threads = at;
        threads = n;
    }
}

void omp_set_dynamic(int on)
{
    int at = now();
    native_dynamic(on);
    if (at) {
        said.dynamic = at;
        dynamic = on;
    }
}

void omp_set_nested(int on)
{
    int at = now();
    native_nested(on);
    if (at) {
        said.nested = at;
        nested = on;
    }
}

void omp_set_max_active_levels(int n)
{
    int at = now();
    native_levels(n);
    if (at) {
        said.levels = at;
        levels = n;
    }
}

void omp_set_schedule(int k, int n)
{
    int at = now();
    native_schedule(k, n);
    if (at) {
        said.schedule = at;
        kind = k;
        chunk = n;
    }
}
