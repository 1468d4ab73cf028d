/* iconv: what the program holds says which conversion it is; a process opens it when it first uses it.  Encodings
 * with a state of their own could not go on in the middle: those keep a checkpoint from being taken. */

typedef __typeof__(sizeof 0) size;

void *malloc(size);
void free(void *);
size strlen(const char *);
char *strcpy(char *, const char *);

unsigned long long pc3_kept_outside(void *);
void *pc3_outside(unsigned long long);
void pc3_forget_outside(unsigned long long);
void *pc3_held(const char *, const char *, void *);
void *pc3_let_go(const void *);
void pc3_not_here(const char *);
int snprintf(char *, size, const char *, ...);

void *native_open(const char *, const char *) __asm__("iconv_open");
size native_convert(void *, char **, size *, char **, size *) __asm__("iconv");
int native_close(void *) __asm__("iconv_close");

void *iconv_open(const char *, const char *) __asm__("pc3_iconv_open");
size iconv(void *, char **, size *, char **, size *) __asm__("pc3_iconv");
int iconv_close(void *) __asm__("pc3_iconv_close");

struct pc3_conversion {
    char *to, *from;
    unsigned long long number;
};

static int upper(int c)
{
    return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c;
}

static int begins(const char *name, const char *with)
{
    for (; *with; name++, with++)
        if (upper(*name) != *with)
            return 0;
    return 1;
}

static int ends(const char *name, const char *with)
{
    size n = strlen(name), w = strlen(with), i;
    for (i = 0; i < n && name[i] != '/'; i++)
        ;
    return i >= w && begins(name + i - w, with);
}

/* Is every character of it converted by itself? */
static int is_plain(const char *name)
{
    if (begins(name, "UTF-8") || begins(name, "UTF8") || begins(name, "ASCII") || begins(name, "US-ASCII"))
        return 1;
    if (begins(name, "UTF-16") || begins(name, "UTF-32") || begins(name, "UCS-2") || begins(name, "UCS-4"))
        return ends(name, "LE") || ends(name, "BE");
    return begins(name, "ISO-8859-") || begins(name, "ISO8859-") || begins(name, "LATIN") || begins(name, "WINDOWS-125") ||
           begins(name, "CP125") || begins(name, "CP437") || begins(name, "CP850") || begins(name, "KOI8-") ||
           begins(name, "WCHAR_T");
}

static char *copied(const char *text)
{
    char *copy = (char *)malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : 0;
}

void *iconv_open(const char *to, const char *from)
{
    void *native = native_open(to, from);
    struct pc3_conversion *c;
    if (native == (void *)-1)
        return native;
    c = (struct pc3_conversion *)malloc(sizeof(struct pc3_conversion));
    if (!c) {
        native_close(native);
        return (void *)-1;
    }
    c->to = copied(to);
    c->from = copied(from);
    c->number = pc3_kept_outside(native);
    if (!is_plain(to) || !is_plain(from))
        pc3_held("iconv_open", 0, c);
    return c;
}

size iconv(void *conversion, char **in, size *in_left, char **out, size *out_left)
{
    struct pc3_conversion *c = (struct pc3_conversion *)conversion;
    void *native = pc3_outside(c->number);
    if (!native) {
        native = native_open(c->to, c->from);
        if (native == (void *)-1) {
            char text[200];
            snprintf(text, sizeof text, "iconv's conversion from %s to %s", c->from, c->to);
            pc3_not_here(text);
        }
        c->number = pc3_kept_outside(native);
    }
    return native_convert(native, in, in_left, out, out_left);
}

int iconv_close(void *conversion)
{
    struct pc3_conversion *c = (struct pc3_conversion *)conversion;
    void *native = pc3_outside(c->number);
    pc3_let_go(c);
    free(c->to);
    free(c->from);
    if (native)
        pc3_forget_outside(c->number);
    free(c);
    return native ? native_close(native) : 0;
}
