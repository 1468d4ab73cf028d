/* What the order of bytes gave, and whether it is kept. */
#include <pc3.h>

static int little, table[4];
static const int one = 1;

union word {
    unsigned number;
    unsigned char bytes[4];
};

static int first(unsigned n)
{
    union word w;
    w.number = n;
    return w.bytes[0];
}

/* Bytes as such, and not kept: nothing to say. */
static unsigned sum(const unsigned char *text, int n)
{
    union word w = { .number = 7 };
    unsigned s = 0;
    while (n-- > 0)
        s += text[n];
    w.bytes[1] = 3;
    return s + w.bytes[1] + (((const char *)&one)[0] == 1 ? 0 : n * 0);
}

int main(void)
{
    int flag = *(const char *)&one == 1, x = 0;
    double d = 1;
    little = ((const unsigned char *)&one)[0];
    ((char *)table)[6] = 3;
    x = first(5) + 1;
    pc3_checkpoint();
    if (((char *)&d)[7])
        x++;
    return flag + x + table[1] + (int)sum((const unsigned char *)"abc", 3);
}
