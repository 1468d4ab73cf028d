/* pc3-test: seq abi=down */
/* Arenas in buffers of characters: on main's stack, of static storage, at the end of a struct. Beside texts and numbers. */
#include "check.h"

struct arena {
    char *base;
    size_t used, size;
};
struct block {
    struct block *next;
    size_t used, size;
    char data[];
};
struct node {
    struct node *left, *right;
    int key;
    const char *name;
};

static char storage[2000];
static struct block *blocks;

static void arena_init(struct arena *a, void *buffer, size_t size)
{
    a->base = buffer;
    a->used = 0;
    a->size = size;
}

static void *arena_get(struct arena *a, size_t size)
{
    size_t at = (a->used + 7) & ~(size_t)7;
    if (at + size > a->size)
        return NULL;
    a->used = at + size;
    return a->base + at;
}

static void *block_get(size_t size)
{
    void *p;
    size = (size + 15) / 16 * 16;
    if (!blocks || blocks->size - blocks->used < size) {
        struct block *b = malloc(sizeof *b + 400);
        b->next = blocks;
        b->used = 0;
        b->size = 400;
        blocks = b;
    }
    p = blocks->data + blocks->used;
    blocks->used += size;
    return p;
}

static struct node *insert(struct node *at, struct arena *a, int key)
{
    if (!at) {
        char text[20], *name;
        sprintf(text, "node %d", key);
        name = arena_get(a, strlen(text) + 1);
        at = arena_get(a, sizeof *at);
        if (!name || !at)
            abort();
        at->left = at->right = NULL;
        at->key = key;
        at->name = strcpy(name, text);
    } else if (key < at->key) {
        at->left = insert(at->left, a, key);
    } else if (key > at->key) {
        at->right = insert(at->right, a, key);
    }
    return at;
}

static long walk(const struct node *n, int depth)
{
    if (!n)
        return 0;
    show(n->name, n->key);
    return walk(n->left, depth + 1) + walk(n->right, depth + 1) + depth;
}

int main(void)
{
    char buffer[1500];
    struct arena a, b;
    struct node *tree = NULL, *other = NULL;
    double *reals[10];
    int i;
    arena_init(&a, buffer, sizeof buffer);
    arena_init(&b, storage, sizeof storage);
    for (i = 0; i < 20; i++) {
        tree = insert(tree, &a, i * 7 % 20);
#pragma pc3 checkpoint
        other = insert(other, &b, i * 11 % 20 - 5);
        if (i % 2) {
            int k;
            double *row = block_get((i / 2 % 3 + 1) * sizeof *row);
            for (k = 0; k <= i / 2 % 3; k++)
                row[k] = i + k / 4.0;
            reals[i / 2] = row;
#pragma pc3 checkpoint
        }
    }
    show("depths", walk(tree, 0));
#pragma pc3 checkpoint
    show("depths", walk(other, 0));
    for (i = 0; i < 10; i++)
        show_real("real", reals[i][i % 3]);
    while (blocks) {
        struct block *gone = blocks;
        blocks = gone->next;
        free(gone);
    }
    return finish();
}
