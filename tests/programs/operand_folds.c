/* pc3-test: seq flags=-O0 */
/* Where gcc reads a variable beside a call with a location: its front-end's conversions and folds decide. */
#include <stdio.h>

enum small { none, one };

static int passed;

#define TYPES(X) \
    X(_Bool, bit) X(signed char, tiny) X(unsigned char, byte) X(short, half) X(unsigned short, word) X(int, plain) \
    X(unsigned, whole) X(long long, wide) X(unsigned long long, widest) X(enum small, named) X(float, real) \
    X(double, fine)

#define DECLARE(type, name) static type v_##name;
TYPES(DECLARE)

static void set(int to)
{
#define SET(type, name) v_##name = (type)to;
    TYPES(SET)
}

/* Each variable is 1 behind a call, and 0 before it. */
static int called(int value)
{
    passed++;
#pragma pc3 checkpoint
    set(1);
    return value;
}

#define CALL(type, name) \
    static type f_##name(int value) { return (type)called(value); }
TYPES(CALL)

/* '1' if the variable was read behind the call: at 0 and 1 the expressions have different values. */
#define READ(type, expression, first, second) \
    (set(0), order((double)(type)(expression), (double)(type)(first), (double)(type)(second)))

static char order(double is, double first, double second)
{
    return first == second ? '?' : is == first ? '0' : is == second ? '1' : '!';
}

static char text[64], *end;

#define PUT(type, v, op, f, value) *end++ = READ(type, v op f(value), 0 op (value), 1 op (value))

/* Conversions of the variable, of the call and of the result. */
#define CASES(v, f, to) \
    PUT(double, v, +, f, 0); \
    PUT(double, v, *, f, 1); \
    PUT(double, v, -, f, 0); \
    PUT(double, v, <, f, 1); \
    PUT(double, v, ==, f, 1); \
    PUT(double, (to)v, +, f, 0); \
    PUT(double, (to)v, >=, f, 1); \
    PUT(signed char, v, +, f, 0); \
    PUT(unsigned short, v, *, f, 1); \
    PUT(int, v, +, f, 0)

#define INTEGERS(v, f, to) \
    PUT(double, v, &, f, 1); \
    PUT(double, v, |, f, 0); \
    PUT(double, v, ^, f, 0); \
    PUT(double, (to)v, ^, f, 0); \
    PUT(unsigned char, v, &, f, 1); \
    PUT(unsigned, (to)v, *, f, 1)

#define SHOW(v, f) \
    *end = 0; \
    printf("%-8s %-8s %s\n", v, f, text); \
    end = text

#define PAIR(a, b, to) \
    end = text; \
    CASES(v_##a, f_##b, to); \
    INTEGERS(v_##a, f_##b, to); \
    SHOW(#a, #b);

#define REALS(a, b) \
    end = text; \
    CASES(v_##a, f_##b, float); \
    SHOW(#a, #b);

#define WITH(a) \
    static void of_##a(void) \
    { \
        PAIR(a, bit, unsigned) PAIR(a, tiny, unsigned) PAIR(a, word, int) PAIR(a, plain, unsigned) PAIR(a, whole, int) \
        PAIR(a, widest, long long) REALS(a, fine) \
    }
WITH(tiny)
WITH(byte)
WITH(half)
WITH(plain)
WITH(whole)
WITH(wide)
WITH(named)

/* Assignments, arguments and results convert what is folded already. */
static signed char returned(void)
{
    return v_wide + f_wide(0);
}

static char taken(signed char value)
{
    return order(value, 0, 1);
}

static char buffer[8], *place = buffer;

static char *moved(void)
{
    called(0);
    place = buffer + 1;
    return buffer;
}

static void contexts(void)
{
    signed char narrow;
    end = text;
    set(0);
    narrow = v_wide + f_wide(0);
    *end++ = order(narrow, 0, 1);
    set(0);
    *end++ = taken(v_plain + f_plain(0));
    set(0);
    *end++ = order(returned(), 0, 1);
    set(0);
    unsigned char at_once = v_tiny + f_plain(0);
    *end++ = order(at_once, 0, 1);
    set(0);
    *end++ = v_plain - f_plain(0) ? '1' : '0';
    set(0);
    if (v_plain ^ f_plain(0))
        *end++ = '1';
    set(0);
    *end++ = !(v_plain - f_plain(0)) ? '0' : '1';
    set(0);
    *end++ = (v_tiny ? 0 : v_whole + f_plain(0)) ? '1' : '0';
    set(0);
    *end++ = order((double)((unsigned)v_plain + f_plain(0) + 1u), 1, 2);
    SHOW("in", "place");
    set(0);
    printf("offset %d\n", (int)(v_plain + moved() - buffer));
    set(0);
    printf("index %d\n", (int)(&v_plain[moved()] - buffer));
    place = buffer;
    printf("address %d\n", (int)(place + f_plain(2) - buffer));
    printf("both %d\n", (int)(f_plain(passed & 3) + moved() - buffer));
    place = buffer;
    printf("compared %d\n", place < buffer + (moved() != 0));
}

int main(void)
{
    of_tiny();
    of_byte();
    of_half();
    of_plain();
    of_whole();
    of_wide();
    of_named();
    contexts();
    printf("%d\n", passed);
    return 0;
}
