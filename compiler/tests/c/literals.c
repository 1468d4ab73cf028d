/* Compound literals whose address is kept across points. */
void pc3_checkpoint(void);
#include <stdio.h>

struct item { int kind; const char *name; double w[3]; struct item *next; };
struct bits { unsigned a : 3; signed b : 5; };
struct fixed { const int c; int v; };

static int deep(int n) { pc3_checkpoint(); return n ? deep(n - 1) + 1 : 0; }

static double total(const struct item *i) {
    double s = 0;
    for (; i; i = i->next) {
        pc3_checkpoint();
        s += i->kind + i->w[0] + i->w[1] * 2 + i->w[2] * 3;
    }
    return s;
}
static int sum(const int *v, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) { s += v[i]; pc3_checkpoint(); }
    return s;
}
static double tail(int n) { return total(&(struct item){n, "tail", {1, n, 3}, 0}); }
static void last(int *out, int n) { *out = sum((int[]){n, n + 1}, 2); }
static int bits(const struct bits *b) { pc3_checkpoint(); return b->a * 100 + b->b; }
static int fixed(const struct fixed *b) { pc3_checkpoint(); return b->c * 100 + b->v; }
static int text(const char *s) { int n = 0; pc3_checkpoint(); while (s[n]) n++; return n * 10 + s[0]; }

static int recursive(int *up, int n) {
    int *here = (int[]){n, n * n, up ? up[0] : 0};
    if (n == 0) return here[2];
    int r = recursive(here, n - 1);
    return r + here[0] + here[1] + here[2];
}

static double call(double (*f)(const struct item *), int n) {
    return f(&(struct item){.kind = n, .w = {[2] = n}, .next = &(struct item){.kind = 5, .name = "x"}});
}
static double (*table)(const struct item *) = total;

int main(void) {
    printf("%g\n", total(&(struct item){1, "a", {1, 2, 3}, 0}));
    printf("%g\n", total(&(struct item){.kind = deep(3), .name = "b", .w = {deep(2), [2] = deep(1)}}));
    printf("%d\n", sum((int[]){1, 2, 3}, 3) + sum((int[4]){4, 5}, 4));
    printf("%d\n", sum((const int[]){deep(1), deep(2), deep(3)}, 3) * deep(2));
    printf("%g %g\n", tail(4), call(table, 3));
    int r;
    last(&r, 7);
    printf("%d %d\n", r, recursive(0, 5));
    struct item *head = 0, *first = 0;
    for (int i = 0; i < 4; i++) {
        struct item *p = &(struct item){.kind = i, .w = {i, i * 2.0}, .next = 0};
        if (i == 2) first = &(struct item){.kind = 77, .name = "kept", .w = {1}};
        deep(i);
        p->kind += 10;
        printf("%d %g %p\n", p->kind, total(p), (void *)p->next);
    }
    int *same = 0;
    for (int i = 0; i < 3; i++) {
        int *p = &(int){i};
        deep(1);
        if (same && same != p) printf("another object\n");
        same = p;
        printf("%d\n", *same);
    }
    (void)first;
    head = &(struct item){3, "list", {1, 1, 1}, &(struct item){4, "list 2", {2, 2, 2}, &(struct item){.name = "end"}}};
    deep(2);
    printf("%g %s %s\n", total(head), head->next->name, head->next->next->name);
    head->next->w[1] = deep(4);
    printf("%g\n", total(head));
    printf("%d %d %d\n", bits(&(struct bits){.a = 5, .b = -7}), fixed(&(struct fixed){deep(3), 4}), text((char[]){"hello"}));
    char *w = (char[8]){"abc"};
    w[deep(1)] = 'X';
    deep(1);
    printf("%s %d\n", w, (int)sizeof((char[8]){"abc"}));
    int k = 0;
    const int *two = deep(1) ? (int[]){k++, 1} : (int[]){5, k++, 7};
    deep(1);
    printf("%d %d %d\n", two[0], two[1], k);
    const int *pick[2] = {(int[]){1, 2}, (int[2]){deep(3), deep(4)}};
    deep(1);
    printf("%d %d\n", pick[1][0], pick[0][1] + pick[1][1]);
    int i = 0;
again:;
    struct item *p = &(struct item){i, "loop", {i}, 0};
    deep(1);
    if (p->kind++ < 3 && ++i < 3) goto again;
    printf("%d %d %g\n", i, p->kind, ({ struct item *q = &(struct item){.w = {2.5}}; deep(2); q->w[0]; }));
    (&(struct item){.kind = 9})->kind = deep(2);
    *(int *)&(int){3} = deep(1);
    switch (*&(int){deep(2)}) { case 2: printf("two\n"); }
    double _Complex z = *&(double _Complex){1.5};
    z += deep(1);
    printf("%g\n", __real__ z);
    return 0;
}
