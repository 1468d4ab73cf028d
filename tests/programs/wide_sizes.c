/* pc3-test: seq abi=wide */
/* Sizes in numbers of 128 bits. */
#include "check.h"

struct node {
    void *p;
    long n;
};

static unsigned __int128 total;
static __int128 nodes = -2 * (__int128)sizeof(struct node);
static size_t used;

static void put(size_t n)
{
    used += n;
    total += used;
    total <<= 3;
}

int main(int argc, char **argv)
{
    (void)argv;
    for (int i = 0; i < 30; i++) {
#pragma pc3 checkpoint
        put(sizeof(struct node) + (size_t)argc);
        put(sizeof(char *) * 3);
        nodes += sizeof(struct node);
        show("high", (long long)(total >> 64));
        show("low", (long long)total);
        show("nodes", (long long)(nodes / (__int128)sizeof(struct node)));
    }
    return finish();
}
