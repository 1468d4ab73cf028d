/* Characters of several bytes that come in parts: where the caller has no place to keep what has come, it is kept here. */

typedef __typeof__(sizeof 0) size;
typedef __typeof__(L'a') wide;

/* As the C library has it. */
struct pc3_part {
    int count;
    unsigned value;
};

size native_character(wide *, const char *, size, void *) __asm__("mbrtowc");
size native_length(const char *, size, void *) __asm__("mbrlen");
size native_text(wide *, const char **, size, void *) __asm__("mbsrtowcs");
size native_part_of_text(wide *, const char **, size, size, void *) __asm__("mbsnrtowcs");
int native_old(wide *, const char *, size) __asm__("mbtowc");

size mbrtowc(wide *, const char *, size, void *) __asm__("pc3_mbrtowc");
size mbrlen(const char *, size, void *) __asm__("pc3_mbrlen");
size mbsrtowcs(wide *, const char **, size, void *) __asm__("pc3_mbsrtowcs");
size mbsnrtowcs(wide *, const char **, size, size, void *) __asm__("pc3_mbsnrtowcs");
int mbtowc(wide *, const char *, size) __asm__("pc3_mbtowc");

static struct pc3_part character, length, text, part_of_text, old;

size mbrtowc(wide *into, const char *from, size n, void *state)
{
    return native_character(into, from, n, state ? state : &character);
}

size mbrlen(const char *from, size n, void *state)
{
    return native_length(from, n, state ? state : &length);
}

size mbsrtowcs(wide *into, const char **from, size n, void *state)
{
    return native_text(into, from, n, state ? state : &text);
}

size mbsnrtowcs(wide *into, const char **from, size most, size n, void *state)
{
    return native_part_of_text(into, from, most, n, state ? state : &part_of_text);
}

int mbtowc(wide *into, const char *from, size n)
{
    size got;
    if (!from) {
        old.count = 0;
        old.value = 0;
        return native_old(0, 0, 0);
    }
    got = native_character(into, from, n, &old);
    return got > (size)-3 ? -1 : (int)got;
}
