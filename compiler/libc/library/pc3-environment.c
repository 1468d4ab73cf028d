/* The environment in programs that call MPI: what a rank changes of it is its own, the rest is as the process was started.
 * The process has what was set last, for the C library's own look-ups (TZ, LANG) and for other programs. */

typedef __typeof__(sizeof 0) size;

size strlen(const char *);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, size);
char *strchr(const char *, int);
void *malloc(size);
void free(void *);
char *strcpy(char *, const char *);
int *__errno_location(void);

/* As the process was started with. */
const char *pc3_first_value(const char *);
int set_in_process(const char *, const char *, int) __asm__("setenv");
int unset_in_process(const char *) __asm__("unsetenv");

char *getenv(const char *) __asm__("pc3_getenv");
char *secure_getenv(const char *) __asm__("pc3_secure_getenv");
int setenv(const char *, const char *, int) __asm__("pc3_setenv");
int unsetenv(const char *) __asm__("pc3_unsetenv");
int putenv(char *) __asm__("pc3_putenv");
int clearenv(void) __asm__("pc3_clearenv");

enum { AS_STARTED, SET, REMOVED };
enum { NO_MEMORY = 12, WRONG = 22 };

/* `given`: a string of the program's, from putenv, which it may still change. */
struct variable {
    char *name, *value, *given;
    int state;
    struct variable *next;
};

static struct variable *known;
static int cleared;

static char *value_in(char *text, const char *name)
{
    size n = strlen(name);
    return text && !strncmp(text, name, n) && text[n] == '=' ? text + n + 1 : 0;
}

static struct variable *find(const char *name)
{
    struct variable *v;
    for (v = known; v; v = v->next)
        if (v->state == SET && v->given && value_in(v->given, name))
            return v;
    for (v = known; v; v = v->next)
        if (!(v->state == SET && v->given) && !strcmp(v->name, name))
            return v;
    return 0;
}

static char *copied(const char *text)
{
    char *copy = (char *)malloc(strlen(text) + 1);
    if (copy)
        strcpy(copy, text);
    else
        *__errno_location() = NO_MEMORY;
    return copy;
}

static struct variable *entry(const char *name)
{
    struct variable *v = find(name);
    if (v)
        return v;
    v = (struct variable *)malloc(sizeof(struct variable));
    if (!v) {
        *__errno_location() = NO_MEMORY;
        return 0;
    }
    v->value = v->given = 0;
    v->state = cleared ? REMOVED : AS_STARTED;
    v->name = copied(name);
    if (!v->name) {
        free(v);
        return 0;
    }
    v->next = known;
    known = v;
    return v;
}

char *getenv(const char *name)
{
    struct variable *v = find(name);
    const char *now;
    if (v && v->state == SET)
        return v->given ? value_in(v->given, name) : v->value;
    if (v ? v->state == REMOVED : cleared)
        return 0;
    now = pc3_first_value(name);
    if (!now)
        return 0;
    if (!v)
        v = entry(name);
    if (!v)
        return 0;
    /* What was handed out stays, as long as it is true. */
    if (!v->value || strcmp(v->value, now))
        v->value = copied(now);
    return v->value;
}

char *secure_getenv(const char *name)
{
    return getenv(name);
}

static int is_name(const char *name)
{
    if (name && *name && !strchr(name, '='))
        return 1;
    *__errno_location() = WRONG;
    return 0;
}

int setenv(const char *name, const char *value, int overwrite)
{
    struct variable *v;
    char *copy;
    if (!is_name(name))
        return -1;
    if (!overwrite && getenv(name))
        return 0;
    v = entry(name);
    copy = v ? copied(value) : 0;
    if (!copy)
        return -1;
    v->value = copy;
    v->given = 0;
    v->state = SET;
    return set_in_process(name, value, 1);
}

int unsetenv(const char *name)
{
    struct variable *v;
    if (!is_name(name))
        return -1;
    v = entry(name);
    if (!v)
        return -1;
    v->given = 0;
    v->state = REMOVED;
    return unset_in_process(name);
}

int putenv(char *text)
{
    char *end = strchr(text, '='), *name;
    struct variable *v;
    int done;
    if (!end)
        return unsetenv(text);
    name = copied(text);
    if (!name)
        return -1;
    name[end - text] = 0;
    v = entry(name);
    done = v ? set_in_process(name, end + 1, 1) : -1;
    if (v) {
        v->given = text;
        v->state = SET;
    }
    free(name);
    return done;
}

/* Other ranks may still have what the process has. */
int clearenv(void)
{
    struct variable *v;
    cleared = 1;
    for (v = known; v; v = v->next) {
        v->given = 0;
        v->state = REMOVED;
    }
    return 0;
}
