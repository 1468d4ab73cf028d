/* pc3-test: seq */
/* C of many decades: old forms that compilers still take, around locations. */
#include "check.h"
#include <stddef.h>
#include <wchar.h>

typedef int (*callback)(int);
typedef void (*leaver)(int) __attribute__((noreturn));
enum __attribute__((packed)) tiny { A, B = 5, C };
struct __attribute__((packed)) tight {
    char c;
    int i;
    double d;
};
struct outer {
    int tag;
    union {
        struct {
            int x, y;
        };
        int both[2];
    };
    struct inner {
        enum tiny t : 8;
        unsigned bits : 5;
        _Bool flag : 1;
    } in;
};
typedef struct node node;
struct node {
    node *left, *right;
    int key;
};

static int tick(int x)
{
#pragma pc3 checkpoint
    return x + 1;
}

static __attribute__((noreturn)) void leave(int x)
{
    show("leaving", tick(x));
    finish();
    exit(0);
}

static int apply(callback f, int x)
{
#pragma pc3 checkpoint
    return (*f)((**f)(x));
}

static node *insert(node *t, int key)
{
    if (!t) {
        t = calloc(1, sizeof(node));
        if (!t)
            abort();
        t->key = key;
        return t;
    }
    node **side = key < t->key ? &t->left : &t->right;
    *side = insert(*side, tick(key) - 1);
    return t;
}

static int depth(const node *t)
{
    return t ? 1 + (depth(t->left) > depth(t->right) ? depth(t->left) : depth(t->right)) : 0;
}

static int duff(char *to, const char *from, int count)
{
    int n = (count + 3) / 4, steps = 0;
    switch (count % 4) {
    case 0: do { *to++ = *from++; steps += tick(0); /* fall through */
    case 3:      *to++ = *from++; /* fall through */
    case 2:      *to++ = *from++; /* fall through */
#pragma pc3 checkpoint
        /* fall through */
    case 1:      *to++ = *from++;
            } while (--n > 0);
    }
    return steps;
}

static double matrix(int rows, int cols, double m[rows][cols])
{
    double trace = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            m[i][j] = tick(i) * 10 + j;
            if (i == j)
                trace += m[i][j];
        }
    return trace;
}

static int bits(struct outer o, struct tight *t)
{
    o.in.bits += (unsigned)tick(3);
    o.in.flag = tick(-1) == 0;
    o.x ^= o.both[1];
    t->i += o.in.bits;
#pragma pc3 checkpoint
    t->d *= o.in.flag ? 2 : 3;
    return o.x * 100 + o.in.bits + o.in.t + t->i;
}

int main(int argc, char *argv[], char *envp[])
{
    leaver out = leave;
    struct outer o = {.tag = 1, {{.x = 2, .y = 3}}, {C, 7, 0}};
    struct tight t = {'c', 4, 0.5};
    static wchar_t text[] = L"wide \u00e9";
    char copy[16] = "";
    node *tree = NULL;
    double (*m)[3] = malloc(2 * sizeof *m);
    if (!m)
        abort();
    (void)envp;
    for (int i = 0; i < 6; i++)
        tree = insert(tree, i * 7 % 6);
    show("depth", depth(tree));
    show("apply", apply(tick, 3) + apply(&tick, argc));
    show("duff", duff(copy, "0123456789ab", 11));
    show_text("duff", copy);
    show_real("matrix", matrix(2, 3, m));
    show("bits", bits(o, &t));
    show_real("tight", t.d);
    show("wide", text[5] + (int)wcslen(text));
    show("offset", (long long)(offsetof(struct tight, d) + sizeof(enum tiny)));
    show_text("name", argv[argc] ? "more" : "none");
    free(m);
    out(tick(5));
}
