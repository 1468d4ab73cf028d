/* Compiled patterns: what the program holds says how each was compiled; a process compiles it when it first uses it. */

typedef __typeof__(sizeof 0) size;

void *malloc(size);
void free(void *);
size strlen(const char *);
char *strcpy(char *, const char *);
void *native_room(size, size) __asm__("calloc");
void native_end(void *) __asm__("free");

/* Numbers that stand for memory of the C library, 0 in other processes. */
unsigned long long pc3_kept_outside(void *);
void *pc3_outside(unsigned long long);
void pc3_forget_outside(unsigned long long);
void pc3_not_here(const char *);

/* As the C library has it; only two members are used. */
struct pc3_regex {
    void *buffer;
    unsigned long allocated, used, syntax;
    char *fastmap;
    unsigned char *translate;
    size re_nsub;
    unsigned bits;
};

struct pc3_range {
    int from, to;
};

int native_compile(void *, const char *, int) __asm__("regcomp");
int native_execute(const void *, const char *, size, struct pc3_range *, int) __asm__("regexec");
void native_free(void *) __asm__("regfree");
size native_error(int, const void *, char *, size) __asm__("regerror");

int regcomp(struct pc3_regex *, const char *, int) __asm__("pc3_regcomp");
int regexec(const struct pc3_regex *, const char *, size, struct pc3_range *, int) __asm__("pc3_regexec");
void regfree(struct pc3_regex *) __asm__("pc3_regfree");
size regerror(int, const struct pc3_regex *, char *, size) __asm__("pc3_regerror");

struct pc3_pattern {
    char *text;
    int flags;
    unsigned long long number;
};

enum { NO_MEMORY = 12, ROOM = 256 };

static void *compiled(const char *text, int flags, int *error)
{
    void *native = native_room(1, ROOM);
    *error = native ? native_compile(native, text, flags) : NO_MEMORY;
    if (*error) {
        native_end(native);
        return 0;
    }
    return native;
}

int regcomp(struct pc3_regex *into, const char *text, int flags)
{
    struct pc3_pattern *p;
    int error;
    void *native = compiled(text, flags, &error);
    __builtin_memset(into, 0, sizeof *into);
    if (!native)
        return error;
    p = (struct pc3_pattern *)malloc(sizeof(struct pc3_pattern));
    if (p)
        p->text = (char *)malloc(strlen(text) + 1);
    if (!p || !p->text) {
        free(p);
        native_free(native);
        native_end(native);
        return NO_MEMORY;
    }
    strcpy(p->text, text);
    p->flags = flags;
    p->number = pc3_kept_outside(native);
    into->buffer = p;
    into->re_nsub = ((struct pc3_regex *)native)->re_nsub;
    return 0;
}

int regexec(const struct pc3_regex *r, const char *text, size n, struct pc3_range *ranges, int flags)
{
    struct pc3_pattern *p = (struct pc3_pattern *)r->buffer;
    void *native = pc3_outside(p->number);
    if (!native) {
        int error;
        native = compiled(p->text, p->flags, &error);
        if (!native)
            pc3_not_here("a compiled pattern");
        p->number = pc3_kept_outside(native);
    }
    return native_execute(native, text, n, ranges, flags);
}

void regfree(struct pc3_regex *r)
{
    struct pc3_pattern *p = (struct pc3_pattern *)r->buffer;
    void *native = p ? pc3_outside(p->number) : 0;
    if (native) {
        pc3_forget_outside(p->number);
        native_free(native);
        native_end(native);
    }
    if (p)
        free(p->text);
    free(p);
    r->buffer = 0;
}

size regerror(int code, const struct pc3_regex *r, char *into, size n)
{
    (void)r;
    return native_error(code, 0, into, n);
}
