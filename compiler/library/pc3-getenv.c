/* getenv, whose results are memory of the program: each name has one, which follows the environment. */

typedef __typeof__(sizeof 0) size;

size strlen(const char *);
int strcmp(const char *, const char *);
void *malloc(size);
void free(void *);
char *strcpy(char *, const char *);

char *environment(const char *) __asm__("getenv");
char *getenv(const char *) __asm__("pc3_getenv");

struct variable {
    char *name, *value;
    struct variable *next;
};

static struct variable *known;

static char *copy(const char *text)
{
    char *made = (char *)malloc(strlen(text) + 1);
    return made ? strcpy(made, text) : made;
}

char *getenv(const char *name)
{
    const char *value = environment(name);
    struct variable *v = known;
    if (!value)
        return 0;
    while (v && strcmp(v->name, name))
        v = v->next;
    if (!v) {
        v = (struct variable *)malloc(sizeof(struct variable));
        if (!v)
            return 0;
        v->name = copy(name);
        v->value = 0;
        if (!v->name) {
            free(v);
            return 0;
        }
        v->next = known;
        known = v;
    }
    /* What was handed out stays, as long as it is true. */
    if (!v->value || strcmp(v->value, value)) {
        char *now = copy(value);
        if (!now)
            return 0;
        free(v->value);
        v->value = now;
    }
    return v->value;
}
