/* rand and random: the additive feedback generators and the congruential one of the GNU C library, with its numbers.
 *
 * The state in use are the variables below.  What initstate and setstate put away goes into the program's memory,
 * the first byte of each word its lowest, so that it may move as characters. */

typedef __typeof__(sizeof 0) size;

int dprintf(int, const char *, ...);
void abort(void);
int *__errno_location(void);

int rand(void) __asm__("pc3_rand");
void srand(unsigned) __asm__("pc3_srand");
long random(void) __asm__("pc3_random");
void srandom(unsigned) __asm__("pc3_srandom");
char *initstate(unsigned, char *, size) __asm__("pc3_initstate");
char *setstate(char *) __asm__("pc3_setstate");

static unsigned words[63];
static int at, seeded, kind = 3, words_used = 31, lag = 28;
static char first[128], *place = first;

static const int degrees[5] = {1, 7, 15, 31, 63}, separations[5] = {0, 3, 1, 3, 1};

static unsigned step(void)
{
    int other = at + lag;
    if (!kind) {
        words[0] = (words[0] * 1103515245u + 12345u) & 0x7fffffffu;
        return words[0];
    }
    words[at] += words[other < words_used ? other : other - words_used];
    other = at;
    at = at + 1 == words_used ? 0 : at + 1;
    return words[other] >> 1;
}

static void seed_with(unsigned seed)
{
    long long word = (int)(seed ? seed : 1);
    int i;
    words[0] = (unsigned)word;
    at = 0;
    if (kind) {
        for (i = 1; i < words_used; i++) {
            word = 16807 * word % 2147483647;
            if (word < 0)
                word += 2147483647;
            words[i] = (unsigned)word;
        }
        at = separations[kind];
        for (i = 0; i < 10 * words_used; i++)
            step();
    }
    seeded = 1;
}

void srandom(unsigned seed)
{
    seed_with(seed);
}

long random(void)
{
    if (!seeded)
        seed_with(1);
    return (long)step();
}

int rand(void)
{
    return (int)random();
}

void srand(unsigned seed)
{
    seed_with(seed);
}

static void choose(int new_kind)
{
    kind = new_kind;
    words_used = degrees[kind];
    lag = words_used - separations[kind];
}

static unsigned get(const char *from)
{
    const unsigned char *p = (const unsigned char *)from;
    return p[0] | (unsigned)p[1] << 8 | (unsigned)p[2] << 16 | (unsigned)p[3] << 24;
}

static void put(char *to, unsigned word)
{
    int i;
    for (i = 0; i < 4; i++)
        to[i] = (char)(word >> 8 * i);
}

/* Kind, place, and in the rest of the first word what tells a state from other bytes. */
static unsigned head(void)
{
    unsigned sum = 0x9e3779b9u;
    int i;
    for (i = 0; i < words_used; i++)
        sum = (sum ^ words[i]) * 0x01000193u;
    return (sum ^ sum >> 15) << 9 | (unsigned)at << 3 | (unsigned)kind;
}

static char *put_away(void)
{
    int i;
    if (!seeded)
        seed_with(1);
    put(place, head());
    for (i = 0; i < words_used; i++)
        if (kind || i == 0)
            put(place + 4 + 4 * i, words[i]);
    return place;
}

static char *wrong(void)
{
    *__errno_location() = 22;
    return 0;
}

char *initstate(unsigned seed, char *state, size bytes)
{
    char *old;
    if (bytes < 8 || !state)
        return wrong();
    old = put_away();
    choose(bytes < 32 ? 0 : bytes < 64 ? 1 : bytes < 128 ? 2 : bytes < 256 ? 3 : 4);
    place = state;
    seed_with(seed);
    put_away();
    return old;
}

char *setstate(char *state)
{
    char *old;
    unsigned saved;
    int i;
    if (!state)
        return wrong();
    old = put_away();
    saved = get(state);
    if ((saved & 7) > 4 || (int)(saved >> 3 & 63) >= degrees[saved & 7])
        return wrong();
    choose((int)(saved & 7));
    at = (int)(saved >> 3 & 63);
    for (i = 0; i < words_used; i++)
        words[i] = get(state + 4 + 4 * i);
    if (head() != saved) {
        dprintf(2, "pc3: setstate: this is no state of initstate, or one in memory that is not of characters and was moved to another architecture\n");
        abort();
    }
    place = state;
    return old;
}
