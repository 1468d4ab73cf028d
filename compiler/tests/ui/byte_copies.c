/* Numbers copied into characters, which a checkpoint does not turn round. */
#include <pc3.h>
#include <stdlib.h>
#include <string.h>

struct queue { char *data; size_t item, n; };
struct name { char first[8], last[8]; };
static char kept[16], text[16];

static void push(struct queue *q, const void *item) { memcpy(q->data + q->n++ * q->item, item, q->item); }
static void append(char *to, const void *what, size_t n) { memcpy(to, what, n); }

static void swap(void *a, void *b, size_t n)
{
    char held[64];
    memcpy(held, a, n);
    pc3_checkpoint();
    memmove(a, b, n);
    memcpy(b, held, n);
}

/* The last of them goes away; the memory is what the caller's is. */
static void *taken(void *all, size_t item, size_t n)
{
    char *a = all, *last = malloc(item);
    memcpy(last, a + (n - 1) * item, item);
    memmove(a + item, a, (n - 1) * item);
    pc3_checkpoint();
    return last;
}

/* Not needed behind a location. */
static unsigned sum(double d)
{
    unsigned char b[sizeof d];
    unsigned s = 0;
    memcpy(b, &d, sizeof d);
    for (size_t i = 0; i < sizeof d; i++)
        s += b[i] != 0;
    return s;
}

int main(void)
{
    int v[2] = {2, 1};
    double d = 1;
    struct name who = {"a", "b"};
    struct queue q = {malloc(40), sizeof(int), 0};
    swap(v, v + 1, sizeof v[0]);
    push(&q, v);
    append(text, "text", 5);
    memcpy(text, &who, sizeof who);
    memcpy(kept, &d, sizeof d);
    pc3_checkpoint();
    memcpy(&d, kept, sizeof d);
    return v[0] + (int)d + text[0] + q.data[0] + (int)sum(d) + *(int *)taken(v, sizeof v[0], 2);
}
