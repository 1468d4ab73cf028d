// run: -fpc3-pieces --emit=c arrays_stored.c
/* What is stored in arrays of characters or numbers, and is something else. */
#include <pc3.h>
#include <stddef.h>

struct pair {
    int first;
    struct pair *next;
};
static char text[64], storage[800];
static double words[40];
static struct {
    int n;
    unsigned char data[100];
} record;
static size_t used, spent;

static void *get(size_t n)
{
    void *p = storage + used;
    used += n;
    return p;
}

static void *word(size_t n)
{
    void *p = words + spent;
    spent += n;
    return p;
}

int main(void)
{
    struct pair *p = (struct pair *)(record.data + 8), *q = get(sizeof *q), *r = word(1);
    char *at = (char *)words, scratch[8];
    struct pair *s = (struct pair *)(at + 80);
    *(int *)(text + 8) = 77;
    ((short *)text)[1] = 3;
    *(int *)scratch = 5;
    *(unsigned char *)(text + 1) = 'x';
    text[2] = *scratch;
    p->first = 5;
    s->first = 6;
    q->first = r->first = 7;
#pragma pc3 checkpoint
    return *(int *)(text + 8) + p->first + q->first + r->first + s->first + record.n;
}
