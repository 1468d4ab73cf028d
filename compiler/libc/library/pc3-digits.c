/* ecvt and its like, whose results are memory of the program: each function has its own. */

typedef __typeof__(sizeof 0) size;

char *native_e(double, int, int *, int *) __asm__("ecvt");
char *native_f(double, int, int *, int *) __asm__("fcvt");
char *native_long_e(long double, int, int *, int *) __asm__("qecvt");
char *native_long_f(long double, int, int *, int *) __asm__("qfcvt");
char *native_letters(long) __asm__("l64a");

char *ecvt(double, int, int *, int *) __asm__("pc3_ecvt");
char *fcvt(double, int, int *, int *) __asm__("pc3_fcvt");
char *qecvt(long double, int, int *, int *) __asm__("pc3_qecvt");
char *qfcvt(long double, int, int *, int *) __asm__("pc3_qfcvt");
char *l64a(long) __asm__("pc3_l64a");

static char digits[400], fixed[400], exact[5400], exact_fixed[5400], letters[16];

static char *kept(char *into, size room, const char *text)
{
    size i;
    if (!text)
        return 0;
    for (i = 0; text[i] && i + 1 < room; i++)
        into[i] = text[i];
    into[i] = 0;
    return into;
}

char *ecvt(double x, int n, int *point, int *sign)
{
    return kept(digits, sizeof digits, native_e(x, n, point, sign));
}

char *fcvt(double x, int n, int *point, int *sign)
{
    return kept(fixed, sizeof fixed, native_f(x, n, point, sign));
}

char *qecvt(long double x, int n, int *point, int *sign)
{
    return kept(exact, sizeof exact, native_long_e(x, n, point, sign));
}

char *qfcvt(long double x, int n, int *point, int *sign)
{
    return kept(exact_fixed, sizeof exact_fixed, native_long_f(x, n, point, sign));
}

char *l64a(long n)
{
    return kept(letters, sizeof letters, native_letters(n));
}
