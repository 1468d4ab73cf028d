// run: -c outside_library.c -o ROOT/objects.o
// run: -static --emit=c ROOT/objects.o
// Members of the C library call nothing through what they are given but what is known.
#include <stdio.h>
#include <stdlib.h>
struct object {
    void (*end)(void *);
    long value;
};
void work(void *o)
{
    (void)o;
#pragma pc3 checkpoint
}
int main(void)
{
    struct object *o = malloc(sizeof *o);
    o->end = work;
    o->value = 3;
    o->end(o);
    fwrite(&o->value, sizeof o->value, 1, stdout);
    free(o);
    return 0;
}
