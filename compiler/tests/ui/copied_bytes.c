/* Numbers whose bytes are copied one by one into characters that are kept, and copies that are not such. */
#include <pc3.h>
#include <string.h>

struct item {
    int key;
    double value;
};

static unsigned char kept[16], moved[16];
static struct item items[4];
static unsigned total;

static void copy(void *to, const void *from, unsigned n)
{
    char *t = to;
    const char *f = from;
    while (n--)
        *t++ = *f++;
}

static unsigned short *widened(unsigned short *numbers)
{
    numbers[0] = 0;
    return numbers;
}

static void by_hand(double x)
{
    const unsigned char *bytes = (const unsigned char *)&x;
    for (unsigned i = 0; i < sizeof x; i++)
        kept[i] = bytes[i];
}

/* Characters, and what is of one type at both ends: nothing to say. */
static void harmless(char *to, const char *from)
{
    unsigned char local[sizeof(int)];
    const unsigned char *bytes = (const unsigned char *)&items[0].key;
    while ((*to++ = *from++))
        ;
    for (unsigned i = 0; i < sizeof local; i++)
        local[i] = bytes[i];
    for (unsigned i = 0; i < sizeof local; i++)
        moved[i] = kept[i];
    total += local[0] == local[3];
    unsigned char *wide = moved;
    memcpy(kept, wide, 4);
    wide = (unsigned char *)widened((unsigned short *)wide);
    total += wide[0] == wide[1];
    copy(&items[1], &items[0], sizeof items[0]);
}

int main(void)
{
    int n = 7;
    char name[8];
    by_hand(1.5);
    copy(kept + 8, &n, sizeof n);
    harmless(name, "name");
    pc3_checkpoint();
    copy(&n, kept + 8, sizeof n);
    return n + name[0] + moved[0] + (int)total;
}
