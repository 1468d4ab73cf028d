/* What is told to printf: in another process it is told again, in the same order, so that it gets the same numbers. */

typedef __typeof__(sizeof 0) size;
typedef __typeof__(L'a') wide;
typedef void (*function)(void);

void *malloc(size);
size wcslen(const wide *);
wide *wcscpy(wide *, const wide *);
void pc3_on(int, void (*)(int, void *), void *);

int native_specifier(int, function, function) __asm__("register_printf_specifier");
int native_function(int, function, function) __asm__("register_printf_function");
int native_modifier(const wide *) __asm__("register_printf_modifier");
int native_type(function) __asm__("register_printf_type");

int register_printf_specifier(int, function, function) __asm__("pc3_register_printf_specifier");
int register_printf_function(int, function, function) __asm__("pc3_register_printf_function");
int register_printf_modifier(const wide *) __asm__("pc3_register_printf_modifier");
int register_printf_type(function) __asm__("pc3_register_printf_type");

enum { SPECIFIER, FUNCTION, MODIFIER, TYPE, RESTART = 4 };

struct pc3_format {
    int kind, letter;
    function print, count;
    wide *text;
    struct pc3_format *next;
};

static struct pc3_format *first, *last;

static int tell(const struct pc3_format *f)
{
    switch (f->kind) {
    case SPECIFIER:
        return native_specifier(f->letter, f->print, f->count);
    case FUNCTION:
        return native_function(f->letter, f->print, f->count);
    case MODIFIER:
        return native_modifier(f->text);
    default:
        return native_type(f->print);
    }
}

static void again(int event, void *context)
{
    const struct pc3_format *f;
    (void)event;
    (void)context;
    for (f = first; f; f = f->next)
        tell(f);
}

static int add(int kind, int letter, function print, function count, const wide *text)
{
    struct pc3_format *f = (struct pc3_format *)malloc(sizeof(struct pc3_format));
    int result;
    if (!f)
        return -1;
    f->kind = kind;
    f->letter = letter;
    f->print = print;
    f->count = count;
    f->text = 0;
    f->next = 0;
    if (text) {
        f->text = (wide *)malloc((wcslen(text) + 1) * sizeof(wide));
        if (!f->text)
            return -1;
        wcscpy(f->text, text);
    }
    result = tell(f);
    if (result < 0)
        return result;
    if (last)
        last->next = f;
    else {
        first = f;
        pc3_on(RESTART, again, 0);
    }
    last = f;
    return result;
}

int register_printf_specifier(int letter, function print, function count)
{
    return add(SPECIFIER, letter, print, count, 0);
}

int register_printf_function(int letter, function print, function count)
{
    return add(FUNCTION, letter, print, count, 0);
}

int register_printf_modifier(const wide *text)
{
    return add(MODIFIER, 0, 0, 0, text);
}

int register_printf_type(function fetch)
{
    return add(TYPE, 0, fetch, 0, 0);
}
