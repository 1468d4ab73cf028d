/* Allocation, wrappers, strings, tables of strings and functions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void pc3_checkpoint(void);
struct tree { struct tree *l, *r; int key; const char *name; };
static void *xmalloc(size_t k) { void *p = malloc(k); if (!p) exit(1); return p; }
static void *(*alloc)(size_t) = malloc;
static void (*release)(void *) = free;
static const char *const words[] = { "alpha", "beta", [3] = "delta" };
static struct { char inl[8]; const char *ptr; int (*f)(const char *); } tab[] = { { "in", "out", 0 }, { .ptr = "p2", .inl = { "q" } }, { "z", "zz" } };
static struct tree *insert(struct tree *t, int k) {
    if (!t) { t = xmalloc(sizeof *t); t->l = t->r = 0; t->key = k; t->name = words[k % 2]; pc3_checkpoint(); return t; }
    if (k < t->key) t->l = insert(t->l, k); else t->r = insert(t->r, k);
    return t;
}
static int walk(struct tree *t, int (*f)(struct tree *)) { return t ? walk(t->l, f) + f(t) + walk(t->r, f) : 0; }
static int key(struct tree *t) { pc3_checkpoint(); return t->key; }
static int len(struct tree *t) { return strlen(t->name); }
static void drop(struct tree *t) { if (t) { drop(t->l); drop(t->r); pc3_checkpoint(); free(t); } }
int main(void) {
    struct tree *t = 0; char *s = strdup("copy"), *v = alloc(10); double *d = calloc(4, sizeof(double)); int *iv = (int *)malloc(16);
    for (int i = 0; i < 7; i++) t = insert(t, i * 5 % 7);
    printf("%d %d\n", walk(t, key), walk(t, len)); drop(t);
    d = realloc(d, 8 * sizeof *d); d[7] = 2; iv[3] = 4; strcpy(v, s); pc3_checkpoint();
    printf("%s %s %g %d %s %s %s %s\n", s, v, d[0] + d[7], iv[3], tab[0].ptr, tab[1].inl, tab[2].ptr, words[3]);
    release(s); free(v); free(d); free(iv);
    const char *m = t ? "tree" : "none"; pc3_checkpoint(); puts(m); puts(words[2] ? "set" : "null");
    return 0;
}
