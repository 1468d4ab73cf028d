/* getenv and secure_getenv, whose results are memory of the program: strings that it has given to putenv, or else each name has
 * one for each value that it has had. */

typedef __typeof__(sizeof 0) size;

size strlen(const char *);
int strcmp(const char *, const char *);
void *malloc(size);
void free(void *);
char *strcpy(char *, const char *);

/* Is it memory of the program? */
int pc3_owns(const void *);
char *environment(const char *) __asm__("getenv");
char *secured(const char *) __asm__("secure_getenv");
char *getenv(const char *) __asm__("pc3_getenv");
char *secure_getenv(const char *) __asm__("pc3_secure_getenv");

struct variable {
    char *name, *value;
    struct variable *next;
};

static struct variable *known;

/* Allocates here, not in a helper: constructors call this before there is a rank to note the place for. */
char *getenv(const char *name)
{
    const char *value = environment(name);
    struct variable *v = known;
    if (!value)
        return 0;
    if (pc3_owns(value))
        return (char *)value;
    while (v && strcmp(v->name, name))
        v = v->next;
    if (!v) {
        v = (struct variable *)malloc(sizeof(struct variable));
        if (!v)
            return 0;
        v->value = 0;
        v->name = (char *)malloc(strlen(name) + 1);
        if (!v->name) {
            free(v);
            return 0;
        }
        strcpy(v->name, name);
        v->next = known;
        known = v;
    }
    /* What was handed out stays: programs keep it, and change the environment. */
    if (!v->value || strcmp(v->value, value)) {
        char *now = (char *)malloc(strlen(value) + 1);
        if (!now)
            return 0;
        strcpy(now, value);
        v->value = now;
    }
    return v->value;
}

char *secure_getenv(const char *name)
{
    return secured(name) ? getenv(name) : 0;
}
