/* Compiled patterns: what the program holds says how each was compiled; a process compiles it when it first uses it. */

typedef __typeof__(sizeof 0) size;

void *malloc(size);
void *realloc(void *, size);
void free(void *);
size strlen(const char *);
void *memcpy(void *, const void *, size);
void *native_room(size, size) __asm__("pc3_library_calloc");
void native_end(void *) __asm__("pc3_library_free");

/* Numbers that stand for memory of the C library, 0 in other processes. */
unsigned long long pc3_kept_outside(void *);
void *pc3_outside(unsigned long long);
void pc3_forget_outside(unsigned long long);
void pc3_not_here(const char *);

/* As the C library has it. */
struct pc3_regex {
    void *buffer;
    unsigned long allocated, used, syntax;
    char *fastmap;
    unsigned char *translate;
    size re_nsub;
    unsigned can_be_null : 1, regs_allocated : 2, fastmap_accurate : 1, no_sub : 1, not_bol : 1, not_eol : 1, newline_anchor : 1;
};

struct pc3_range {
    int from, to;
};

struct pc3_registers {
    unsigned n;
    int *start, *end;
};

int native_compile(void *, const char *, int) __asm__("regcomp");
int native_execute(const void *, const char *, size, struct pc3_range *, int) __asm__("regexec");
void native_free(void *) __asm__("regfree");
size native_error(int, const void *, char *, size) __asm__("regerror");
unsigned long native_syntax(unsigned long) __asm__("re_set_syntax");
const char *native_pattern(const char *, size, void *) __asm__("re_compile_pattern");
int native_fastmap(void *) __asm__("re_compile_fastmap");
int native_search(void *, const char *, int, int, int, void *) __asm__("re_search");
int native_search_2(void *, const char *, int, const char *, int, int, int, void *, int) __asm__("re_search_2");
int native_match(void *, const char *, int, int, void *) __asm__("re_match");
int native_match_2(void *, const char *, int, const char *, int, int, void *, int) __asm__("re_match_2");

int regcomp(struct pc3_regex *, const char *, int) __asm__("pc3_regcomp");
int regexec(const struct pc3_regex *, const char *, size, struct pc3_range *, int) __asm__("pc3_regexec");
void regfree(struct pc3_regex *) __asm__("pc3_regfree");
size regerror(int, const struct pc3_regex *, char *, size) __asm__("pc3_regerror");
unsigned long re_set_syntax(unsigned long) __asm__("pc3_re_set_syntax");
const char *re_compile_pattern(const char *, size, struct pc3_regex *) __asm__("pc3_re_compile_pattern");
int re_compile_fastmap(struct pc3_regex *) __asm__("pc3_re_compile_fastmap");
int re_search(struct pc3_regex *, const char *, int, int, int, struct pc3_registers *) __asm__("pc3_re_search");
int re_search_2(struct pc3_regex *, const char *, int, const char *, int, int, int, struct pc3_registers *,
                int) __asm__("pc3_re_search_2");
int re_match(struct pc3_regex *, const char *, int, int, struct pc3_registers *) __asm__("pc3_re_match");
int re_match_2(struct pc3_regex *, const char *, int, const char *, int, int, struct pc3_registers *,
               int) __asm__("pc3_re_match_2");
void re_set_registers(struct pc3_regex *, struct pc3_registers *, unsigned, int *, int *) __asm__("pc3_re_set_registers");
char *re_comp(const char *) __asm__("pc3_re_comp");
int re_exec(const char *) __asm__("pc3_re_exec");

unsigned long re_syntax_options __asm__("pc3_re_syntax_options");

enum { NO_MEMORY = 12, ROOM = 256, BYTES = 256 };
enum { UNALLOCATED, REALLOCATE, FIXED };
/* Flags of regcomp's are fewer. */
enum { GNU = 1 << 20 };

struct pc3_pattern {
    char *text;
    size length;
    int flags;
    unsigned long syntax;
    unsigned long long number;
};

static const char no_memory[] = "Memory exhausted";

/* Of regcomp, if it is one of its. */
static struct pc3_regex *compiled(const struct pc3_pattern *p, int *error)
{
    struct pc3_regex *native = (struct pc3_regex *)native_room(1, ROOM);
    *error = native ? native_compile(native, p->text, p->flags) : NO_MEMORY;
    if (*error) {
        native_end(native);
        return 0;
    }
    return native;
}

/* Of the older interface: what the program has set counts. */
static struct pc3_regex *compiled_as(const struct pc3_pattern *p, const struct pc3_regex *like, const char **error)
{
    struct pc3_regex *native = (struct pc3_regex *)native_room(1, ROOM);
    unsigned long before;
    *error = no_memory;
    if (!native)
        return 0;
    native->translate = like->translate;
    if (like->fastmap)
        native->fastmap = (char *)native_room(1, BYTES);
    before = native_syntax(p->syntax);
    *error = native_pattern(p->text, p->length, native);
    native_syntax(before);
    if (*error) {
        native->translate = 0;
        native_free(native);
        native_end(native);
        return 0;
    }
    return native;
}

static struct pc3_pattern *noted(const char *text, size length, int flags, unsigned long syntax)
{
    struct pc3_pattern *p = (struct pc3_pattern *)malloc(sizeof(struct pc3_pattern));
    if (!p)
        return 0;
    p->text = (char *)malloc(length + 1);
    if (!p->text) {
        free(p);
        return 0;
    }
    memcpy(p->text, text, length);
    p->text[length] = 0;
    p->length = length;
    p->flags = flags;
    p->syntax = syntax;
    p->number = 0;
    return p;
}

static void forget(struct pc3_pattern *p)
{
    if (p)
        free(p->text);
    free(p);
}

int regcomp(struct pc3_regex *into, const char *text, int flags)
{
    struct pc3_pattern *p = noted(text, strlen(text), flags, 0);
    struct pc3_regex *native;
    int error = NO_MEMORY;
    __builtin_memset(into, 0, sizeof *into);
    if (!p)
        return error;
    native = compiled(p, &error);
    if (!native) {
        forget(p);
        return error;
    }
    p->number = pc3_kept_outside(native);
    into->buffer = p;
    into->re_nsub = native->re_nsub;
    return 0;
}

/* The C library's of this process. */
static struct pc3_regex *here(const struct pc3_regex *r)
{
    struct pc3_pattern *p = (struct pc3_pattern *)r->buffer;
    struct pc3_regex *native = (struct pc3_regex *)pc3_outside(p->number);
    if (!native) {
        const char *why;
        int error;
        native = p->flags & GNU ? compiled_as(p, r, &why) : compiled(p, &error);
        if (!native)
            pc3_not_here("a compiled pattern");
        p->number = pc3_kept_outside(native);
    }
    if (p->flags & GNU) {
        native->translate = r->translate;
        native->no_sub = r->no_sub;
        native->not_bol = r->not_bol;
        native->not_eol = r->not_eol;
        native->newline_anchor = r->newline_anchor;
    }
    return native;
}

int regexec(const struct pc3_regex *r, const char *text, size n, struct pc3_range *ranges, int flags)
{
    return native_execute(here(r), text, n, ranges, flags);
}

void regfree(struct pc3_regex *r)
{
    struct pc3_pattern *p = (struct pc3_pattern *)r->buffer;
    struct pc3_regex *native = p ? (struct pc3_regex *)pc3_outside(p->number) : 0;
    if (native) {
        pc3_forget_outside(p->number);
        if (p->flags & GNU)
            native->translate = 0;
        native_free(native);
        native_end(native);
    }
    forget(p);
    free(r->fastmap);
    free(r->translate);
    r->buffer = 0;
    r->fastmap = 0;
    r->translate = 0;
}

size regerror(int code, const struct pc3_regex *r, char *into, size n)
{
    (void)r;
    return native_error(code, 0, into, n);
}

unsigned long re_set_syntax(unsigned long syntax)
{
    unsigned long before = re_syntax_options;
    re_syntax_options = syntax;
    return before;
}

const char *re_compile_pattern(const char *text, size length, struct pc3_regex *into)
{
    struct pc3_pattern *old = (struct pc3_pattern *)into->buffer, *p;
    struct pc3_regex *native;
    const char *error;
    p = noted(text, length, GNU, re_syntax_options);
    if (!p)
        return no_memory;
    native = compiled_as(p, into, &error);
    if (!native) {
        forget(p);
        return error;
    }
    /* The library would use its memory again. */
    if (old) {
        struct pc3_regex *before = (struct pc3_regex *)pc3_outside(old->number);
        if (before) {
            pc3_forget_outside(old->number);
            before->translate = 0;
            native_free(before);
            native_end(before);
        }
        forget(old);
    }
    p->number = pc3_kept_outside(native);
    into->buffer = p;
    into->allocated = into->used = 0;
    into->syntax = native->syntax;
    into->re_nsub = native->re_nsub;
    into->can_be_null = native->can_be_null;
    into->no_sub = native->no_sub;
    into->not_bol = native->not_bol;
    into->not_eol = native->not_eol;
    into->newline_anchor = native->newline_anchor;
    into->regs_allocated = native->regs_allocated;
    into->fastmap_accurate = 0;
    return 0;
}

int re_compile_fastmap(struct pc3_regex *r)
{
    struct pc3_regex *native = here(r);
    int failed;
    if (!native->fastmap)
        native->fastmap = (char *)native_room(1, BYTES);
    failed = native_fastmap(native);
    if (!failed && r->fastmap && native->fastmap) {
        memcpy(r->fastmap, native->fastmap, BYTES);
        r->fastmap_accurate = 1;
    }
    return failed;
}

/* What was found, in memory of the program. */
static int given(struct pc3_regex *r, const struct pc3_registers *found, struct pc3_registers *regs, int result)
{
    unsigned i, n = (unsigned)r->re_nsub + 1, room = n + 1;
    if (result >= 0 && regs && found->start) {
        if (r->regs_allocated == FIXED) {
            if (n > regs->n)
                n = regs->n;
        } else if (r->regs_allocated == UNALLOCATED || room > regs->n) {
            int kept = r->regs_allocated != UNALLOCATED;
            int *start = (int *)realloc(kept ? regs->start : 0, room * sizeof(int));
            int *end = (int *)realloc(kept ? regs->end : 0, room * sizeof(int));
            if (!start || !end)
                result = -2;
            else {
                regs->start = start;
                regs->end = end;
                regs->n = room;
                r->regs_allocated = REALLOCATE;
            }
        }
        for (i = 0; i < n && result != -2; i++) {
            regs->start[i] = found->start[i];
            regs->end[i] = found->end[i];
        }
        for (; i < regs->n && result != -2; i++)
            regs->start[i] = regs->end[i] = -1;
    }
    native_end(found->start);
    native_end(found->end);
    return result;
}

/* The library makes its own registers each time. */
static struct pc3_regex *ready(struct pc3_regex *r, struct pc3_registers *found)
{
    struct pc3_regex *native = here(r);
    native->regs_allocated = UNALLOCATED;
    found->n = 0;
    found->start = found->end = 0;
    return native;
}

int re_search(struct pc3_regex *r, const char *text, int length, int start, int range, struct pc3_registers *regs)
{
    struct pc3_registers found;
    struct pc3_regex *native = ready(r, &found);
    return given(r, &found, regs, native_search(native, text, length, start, range, regs ? &found : 0));
}

int re_search_2(struct pc3_regex *r, const char *text, int length, const char *more, int length2, int start, int range,
                struct pc3_registers *regs, int stop)
{
    struct pc3_registers found;
    struct pc3_regex *native = ready(r, &found);
    int at = native_search_2(native, text, length, more, length2, start, range, regs ? &found : 0, stop);
    return given(r, &found, regs, at);
}

int re_match(struct pc3_regex *r, const char *text, int length, int start, struct pc3_registers *regs)
{
    struct pc3_registers found;
    struct pc3_regex *native = ready(r, &found);
    return given(r, &found, regs, native_match(native, text, length, start, regs ? &found : 0));
}

int re_match_2(struct pc3_regex *r, const char *text, int length, const char *more, int length2, int start,
               struct pc3_registers *regs, int stop)
{
    struct pc3_registers found;
    struct pc3_regex *native = ready(r, &found);
    int n = native_match_2(native, text, length, more, length2, start, regs ? &found : 0, stop);
    return given(r, &found, regs, n);
}

void re_set_registers(struct pc3_regex *r, struct pc3_registers *regs, unsigned n, int *start, int *end)
{
    r->regs_allocated = n ? REALLOCATE : UNALLOCATED;
    regs->n = n;
    regs->start = n ? start : 0;
    regs->end = n ? end : 0;
}

static struct pc3_regex single;

char *re_comp(const char *text)
{
    if (!text)
        return single.buffer ? 0 : (char *)"No previous regular expression";
    if (!single.fastmap)
        single.fastmap = (char *)malloc(BYTES);
    return (char *)re_compile_pattern(text, strlen(text), &single);
}

int re_exec(const char *text)
{
    int n = (int)strlen(text);
    return single.buffer && re_search(&single, text, n, 0, n, 0) >= 0;
}
