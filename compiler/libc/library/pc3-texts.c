/* Functions that return text of their own: here it is memory of the program.  Names of locales and their texts stay, as they do in
 * the library; each other result is in the place of the last. */

typedef __typeof__(sizeof 0) size;

size strlen(const char *);
char *strcpy(char *, const char *);
void *malloc(size);
void free(void *);
int strcmp(const char *, const char *);

/* Of the rank, where several share a process. */
const char *pc3_locale(int, const char *);
char *language_text(int) __asm__("nl_langinfo");
char *terminal(char *) __asm__("ctermid");
char *terminal_of(int) __asm__("ttyname");
char *user(void) __asm__("getlogin");
char *other_side(int) __asm__("ptsname");

int snprintf(char *, size, const char *, ...);

struct pc3_address {
    unsigned number;
};

char *inet_ntoa(struct pc3_address) __asm__("pc3_inet_ntoa");
char *setlocale(int, const char *) __asm__("pc3_setlocale");
char *nl_langinfo(int) __asm__("pc3_nl_langinfo");
char *ctermid(char *) __asm__("pc3_ctermid");
char *ttyname(int) __asm__("pc3_ttyname");
char *getlogin(void) __asm__("pc3_getlogin");
char *ptsname(int) __asm__("pc3_ptsname");

struct place {
    char *text;
    size room;
};

static struct place controlling, name_of_terminal, login, slave;

static char *kept(struct place *place, const char *text)
{
    size need;
    if (!text)
        return 0;
    need = strlen(text) + 1;
    if (need > place->room) {
        char *more = (char *)malloc(need + 32);
        if (!more)
            return 0;
        free(place->text);
        place->text = more;
        place->room = need + 32;
    }
    return strcpy(place->text, text);
}

/* Texts that were asked for: with the most locales there are a few hundred. */
static struct pc3_lasting {
    struct pc3_lasting *next;
    char *text;
} *lasting;

static char *lasts(const char *text)
{
    struct pc3_lasting *l;
    /* A number, as some items of a locale are. */
    if ((size)text < 65536)
        return (char *)text;
    for (l = lasting; l; l = l->next)
        if (!strcmp(l->text, text))
            return l->text;
    l = (struct pc3_lasting *)malloc(sizeof *l);
    if (!l)
        return 0;
    l->text = (char *)malloc(strlen(text) + 1);
    if (!l->text) {
        free(l);
        return 0;
    }
    l->next = lasting;
    lasting = l;
    return strcpy(l->text, text);
}

char *setlocale(int category, const char *name)
{
    return lasts(pc3_locale(category, name));
}

char *nl_langinfo(int item)
{
    return lasts(language_text(item));
}

char *ctermid(char *into)
{
    return into ? terminal(into) : kept(&controlling, terminal(0));
}

char *ttyname(int fd)
{
    return kept(&name_of_terminal, terminal_of(fd));
}

char *getlogin(void)
{
    return kept(&login, user());
}

char *ptsname(int fd)
{
    return kept(&slave, other_side(fd));
}

/* The number's bytes are in the network's order. */
char *inet_ntoa(struct pc3_address address)
{
    static char text[16];
    const unsigned char *byte = (const unsigned char *)&address.number;
    snprintf(text, sizeof text, "%d.%d.%d.%d", byte[0], byte[1], byte[2], byte[3]);
    return text;
}
