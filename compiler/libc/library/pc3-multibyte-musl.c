/* Characters of several bytes that come in parts, as musl has them: the state is one number, `mbtowc` has none. */

typedef __typeof__(sizeof 0) size;
typedef __typeof__(L'a') wide;

/* Another type than the GNU C library's, whose numbers mean something else. */
struct pc3_musl_part {
    unsigned value, unused;
};

size native_character(wide *, const char *, size, void *) __asm__("mbrtowc");
size native_length(const char *, size, void *) __asm__("mbrlen");
size native_text(wide *, const char **, size, void *) __asm__("mbsrtowcs");
size native_part_of_text(wide *, const char **, size, size, void *) __asm__("mbsnrtowcs");

size mbrtowc(wide *, const char *, size, void *) __asm__("pc3_mbrtowc");
size mbrlen(const char *, size, void *) __asm__("pc3_mbrlen");
size mbsrtowcs(wide *, const char **, size, void *) __asm__("pc3_mbsrtowcs");
size mbsnrtowcs(wide *, const char **, size, size, void *) __asm__("pc3_mbsnrtowcs");

static struct pc3_musl_part musl_character, musl_length;

size mbrtowc(wide *into, const char *from, size n, void *state)
{
    return native_character(into, from, n, state ? state : &musl_character);
}

size mbrlen(const char *from, size n, void *state)
{
    return native_length(from, n, state ? state : &musl_length);
}

size mbsrtowcs(wide *into, const char **from, size n, void *state)
{
    struct pc3_musl_part none = { 0, 0 };
    return native_text(into, from, n, state ? state : &none);
}

size mbsnrtowcs(wide *into, const char **from, size most, size n, void *state)
{
    return native_part_of_text(into, from, most, n, state ? state : &musl_character);
}
