/* scanf and its like where they may allocate (`%ms`): what they hand out becomes memory of the program's.  Twice, for numbers
 * as C99 and as C23 has them. */

typedef __typeof__(sizeof 0) size;
typedef __typeof__(L'a') wide;
typedef __builtin_va_list arguments;
struct _IO_FILE;

void *malloc(size);
size strlen(const char *);
size wcslen(const wide *);
void *memcpy(void *, const void *, size);
void library_free(void *) __asm__("pc3_library_free");

int native_scanf(const char *, arguments) __asm__("__isoc99_vscanf");
int native_fscanf(struct _IO_FILE *, const char *, arguments) __asm__("__isoc99_vfscanf");
int native_sscanf(const char *, const char *, arguments) __asm__("__isoc99_vsscanf");
int newer_native_scanf(const char *, arguments) __asm__("__isoc23_vscanf") __attribute__((weak));
int newer_native_fscanf(struct _IO_FILE *, const char *, arguments) __asm__("__isoc23_vfscanf") __attribute__((weak));
int newer_native_sscanf(const char *, const char *, arguments) __asm__("__isoc23_vsscanf") __attribute__((weak));

int scanf(const char *, ...) __asm__("pc3_isoc99_scanf");
int fscanf(struct _IO_FILE *, const char *, ...) __asm__("pc3_isoc99_fscanf");
int sscanf(const char *, const char *, ...) __asm__("pc3_isoc99_sscanf");
int vscanf(const char *, arguments) __asm__("pc3_isoc99_vscanf");
int vfscanf(struct _IO_FILE *, const char *, arguments) __asm__("pc3_isoc99_vfscanf");
int vsscanf(const char *, const char *, arguments) __asm__("pc3_isoc99_vsscanf");
int newer_scanf(const char *, ...) __asm__("pc3_isoc23_scanf");
int newer_fscanf(struct _IO_FILE *, const char *, ...) __asm__("pc3_isoc23_fscanf");
int newer_sscanf(const char *, const char *, ...) __asm__("pc3_isoc23_sscanf");
int newer_vscanf(const char *, arguments) __asm__("pc3_isoc23_vscanf");
int newer_vfscanf(struct _IO_FILE *, const char *, arguments) __asm__("pc3_isoc23_vfscanf");
int newer_vsscanf(const char *, const char *, arguments) __asm__("pc3_isoc23_vsscanf");

enum { PLACES = 64 };

/* One conversion of a format. */
struct pc3_conversion {
    int position, stored, allocates, is_wide, letter;
    size width;
};

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The next one; behind it, or null at the end. */
static const char *conversion(const char *f, struct pc3_conversion *c)
{
    size n = 0;
    while (*f && (*f != '%' || f[1] == '%'))
        f += *f == '%' ? 2 : 1;
    if (!*f)
        return 0;
    f++;
    c->position = 0;
    c->stored = 1;
    c->allocates = c->is_wide = 0;
    while (is_digit(*f))
        n = 10 * n + (size)(*f++ - '0');
    if (*f == '$') {
        c->position = (int)n;
        n = 0;
        f++;
    }
    for (; *f == '*' || *f == '\'' || *f == 'I'; f++)
        if (*f == '*')
            c->stored = 0;
    while (is_digit(*f))
        n = 10 * n + (size)(*f++ - '0');
    c->width = n ? n : 1;
    if (*f == 'm') {
        c->allocates = 1;
        f++;
    }
    for (; *f == 'h' || *f == 'l' || *f == 'L' || *f == 'q' || *f == 'j' || *f == 'z' || *f == 't'; f++)
        c->is_wide |= *f == 'l';
    c->letter = *f;
    if (c->letter == 'S' || c->letter == 'C')
        c->is_wide = 1;
    if (!*f)
        return 0;
    f++;
    if (c->letter == '[') {
        f += *f == '^';
        f += *f == ']';
        while (*f && *f != ']')
            f++;
        f += *f == ']';
    }
    return f;
}

static int allocates(const char *format)
{
    struct pc3_conversion c;
    while ((format = conversion(format, &c)))
        if (c.allocates)
            return 1;
    return 0;
}

static void adopt(void *place, const struct pc3_conversion *c)
{
    int one = c->letter == 'c' || c->letter == 'C';
    if (c->is_wide) {
        wide *old = *(wide **)place, *own;
        size n = one ? c->width : wcslen(old) + 1;
        own = (wide *)malloc(n * sizeof(wide));
        if (own)
            memcpy(own, old, n * sizeof(wide));
        *(wide **)place = own;
        library_free(old);
    } else {
        char *old = *(char **)place, *own;
        size n = one ? c->width : strlen(old) + 1;
        own = (char *)malloc(n);
        if (own)
            memcpy(own, old, n);
        *(char **)place = own;
        library_free(old);
    }
}

/* `assigned`: what scanf returned. */
static int adopted(int assigned, const char *format, arguments list)
{
    struct pc3_conversion c;
    void *places[PLACES];
    int n = 0, most = 0, counted = 0;
    const char *f = format;
    while ((f = conversion(f, &c)))
        if (c.stored) {
            most = c.position > most ? c.position : most;
            n++;
        }
    most = most ? most : n;
    for (n = 0; n < most && n < PLACES; n++)
        places[n] = __builtin_va_arg(list, void *);
    for (f = format, n = 0; (f = conversion(f, &c));) {
        int at = c.position ? c.position - 1 : n;
        if (!c.stored)
            continue;
        n++;
        if (c.letter == 'n')
            continue;
        if (counted++ >= assigned)
            break;
        if (c.allocates && at < PLACES)
            adopt(places[at], &c);
    }
    return assigned;
}

enum { INPUT, NAMED, TEXT, NEWER };

static int scan(int from, struct _IO_FILE *file, const char *text, const char *format, arguments list)
{
    arguments again;
    int n, changes = allocates(format);
    if (changes)
        __builtin_va_copy(again, list);
    switch (from) {
    case INPUT:
        n = native_scanf(format, list);
        break;
    case NAMED:
        n = native_fscanf(file, format, list);
        break;
    case TEXT:
        n = native_sscanf(text, format, list);
        break;
    case INPUT + NEWER:
        n = newer_native_scanf(format, list);
        break;
    case NAMED + NEWER:
        n = newer_native_fscanf(file, format, list);
        break;
    default:
        n = newer_native_sscanf(text, format, list);
    }
    if (changes) {
        adopted(n, format, again);
        __builtin_va_end(again);
    }
    return n;
}

int scanf(const char *format, ...)
{
    arguments list;
    int n;
    __builtin_va_start(list, format);
    n = scan(INPUT, 0, 0, format, list);
    __builtin_va_end(list);
    return n;
}

int fscanf(struct _IO_FILE *file, const char *format, ...)
{
    arguments list;
    int n;
    __builtin_va_start(list, format);
    n = scan(NAMED, file, 0, format, list);
    __builtin_va_end(list);
    return n;
}

int sscanf(const char *text, const char *format, ...)
{
    arguments list;
    int n;
    __builtin_va_start(list, format);
    n = scan(TEXT, 0, text, format, list);
    __builtin_va_end(list);
    return n;
}

int vscanf(const char *format, arguments list)
{
    return scan(INPUT, 0, 0, format, list);
}

int vfscanf(struct _IO_FILE *file, const char *format, arguments list)
{
    return scan(NAMED, file, 0, format, list);
}

int vsscanf(const char *text, const char *format, arguments list)
{
    return scan(TEXT, 0, text, format, list);
}

int newer_scanf(const char *format, ...)
{
    arguments list;
    int n;
    __builtin_va_start(list, format);
    n = scan(INPUT + NEWER, 0, 0, format, list);
    __builtin_va_end(list);
    return n;
}

int newer_fscanf(struct _IO_FILE *file, const char *format, ...)
{
    arguments list;
    int n;
    __builtin_va_start(list, format);
    n = scan(NAMED + NEWER, file, 0, format, list);
    __builtin_va_end(list);
    return n;
}

int newer_sscanf(const char *text, const char *format, ...)
{
    arguments list;
    int n;
    __builtin_va_start(list, format);
    n = scan(TEXT + NEWER, 0, text, format, list);
    __builtin_va_end(list);
    return n;
}

int newer_vscanf(const char *format, arguments list)
{
    return scan(INPUT + NEWER, 0, 0, format, list);
}

int newer_vfscanf(struct _IO_FILE *file, const char *format, arguments list)
{
    return scan(NAMED + NEWER, file, 0, format, list);
}

int newer_vsscanf(const char *text, const char *format, arguments list)
{
    return scan(TEXT + NEWER, 0, text, format, list);
}
