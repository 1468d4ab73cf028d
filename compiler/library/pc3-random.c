/* rand and random: the additive feedback generator x^31 + x^3 + 1, with the numbers of the GNU C library. */

int rand(void) __asm__("pc3_rand");
void srand(unsigned) __asm__("pc3_srand");
long random(void) __asm__("pc3_random");
void srandom(unsigned) __asm__("pc3_srandom");

static unsigned words[31];
static int at, seeded;

static unsigned step(void)
{
    int lag = at + 28;
    words[at] += words[lag < 31 ? lag : lag - 31];
    lag = at;
    at = at == 30 ? 0 : at + 1;
    return words[lag] >> 1;
}

void srandom(unsigned seed)
{
    long long word = (int)(seed ? seed : 1);
    int i;
    words[0] = (unsigned)word;
    for (i = 1; i < 31; i++) {
        word = 16807 * word % 2147483647;
        if (word < 0)
            word += 2147483647;
        words[i] = (unsigned)word;
    }
    at = 3;
    seeded = 1;
    for (i = 0; i < 310; i++)
        step();
}

long random(void)
{
    if (!seeded)
        srandom(1);
    return (long)step();
}

int rand(void)
{
    return (int)random();
}

void srand(unsigned seed)
{
    srandom(seed);
}
