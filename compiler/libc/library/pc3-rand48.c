/* drand48 and its family: a linear congruential generator modulo 2^48. */

double drand48(void) __asm__("pc3_drand48");
double erand48(unsigned short *) __asm__("pc3_erand48");
long lrand48(void) __asm__("pc3_lrand48");
long nrand48(unsigned short *) __asm__("pc3_nrand48");
long mrand48(void) __asm__("pc3_mrand48");
long jrand48(unsigned short *) __asm__("pc3_jrand48");
void srand48(long) __asm__("pc3_srand48");
unsigned short *seed48(unsigned short *) __asm__("pc3_seed48");
void lcong48(unsigned short *) __asm__("pc3_lcong48");

static unsigned short current[3], previous[3];
static unsigned long long factor = 0x5deece66dULL;
static unsigned short addend = 11;

static unsigned long long join(const unsigned short *x)
{
    return (unsigned long long)x[2] << 32 | (unsigned long long)x[1] << 16 | x[0];
}

static unsigned long long step(unsigned short *x)
{
    unsigned long long next = factor * join(x) + addend;
    x[0] = (unsigned short)next;
    x[1] = (unsigned short)(next >> 16);
    x[2] = (unsigned short)(next >> 32);
    return next & 0xffffffffffffULL;
}

static void standard(void)
{
    factor = 0x5deece66dULL;
    addend = 11;
}

double erand48(unsigned short *x)
{
    return (double)step(x) / 281474976710656.0;
}

long nrand48(unsigned short *x)
{
    return (long)(step(x) >> 17);
}

long jrand48(unsigned short *x)
{
    return (int)(unsigned)(step(x) >> 16);
}

double drand48(void)
{
    return erand48(current);
}

long lrand48(void)
{
    return nrand48(current);
}

long mrand48(void)
{
    return jrand48(current);
}

void srand48(long seed)
{
    current[0] = 0x330e;
    current[1] = (unsigned short)seed;
    current[2] = (unsigned short)((unsigned)seed >> 16);
    standard();
}

unsigned short *seed48(unsigned short *x)
{
    int i;
    for (i = 0; i < 3; i++) {
        previous[i] = current[i];
        current[i] = x[i];
    }
    standard();
    return previous;
}

void lcong48(unsigned short *p)
{
    int i;
    for (i = 0; i < 3; i++)
        current[i] = p[i];
    factor = join(p + 3);
    addend = p[6];
}
