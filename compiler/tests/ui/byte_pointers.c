/* Pointers to characters that are kept and lead to numbers. */
#include <pc3.h>
#include <stdlib.h>
#include <string.h>

struct views {
    unsigned char *bytes, *only_copied, *by_void, *of_untyped;
};

static int *words, row[4], *untyped;
static signed char *bytes;
static char *text, *copied, *in_row;
static struct views views;

static void make(int n)
{
    words = (int *)malloc(n * sizeof *words);
    bytes = (signed char *)words;
    views.bytes = (unsigned char *)(words + 1);
    /* As memory, and characters of its own: nothing to say. */
    views.only_copied = (unsigned char *)words;
    copied = (char *)words;
    views.by_void = (void *)words;
    text = malloc(n);
    in_row = (char *)row;
    /* Its type is that of such memory: nothing to say here. */
    untyped = malloc(n * sizeof *untyped);
    views.of_untyped = (unsigned char *)untyped;
}

int main(void)
{
    make(8);
    memset(copied, 0, 8 * sizeof *words);
    memcpy(views.only_copied, &words[1], sizeof *words);
    text[0] = 'a';
    bytes[3] = 1;
    char *local = (char *)words;
    pc3_checkpoint();
    *local++ = 2;
    return text[0] + bytes[3] + *views.bytes + views.by_void[1] + in_row[2] + views.of_untyped[1] + (&copied[4] - copied);
}
