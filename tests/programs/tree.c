/* pc3-test: seq args=40 */
/* A balanced search tree (AA) with parent pointers and strings, filled, walked and emptied. */
#include "check.h"

typedef struct node node;
struct node {
    int level, uses;
    char *key;
    node *left, *right, *parent;
};

static int nodes;

static void adopt(node *parent)
{
    if (parent->left)
        parent->left->parent = parent;
    if (parent->right)
        parent->right->parent = parent;
}

static node *skew(node *t)
{
    node *l = t->left;
    if (!l || l->level != t->level)
        return t;
    t->left = l->right;
    l->right = t;
    adopt(t);
    adopt(l);
    return l;
}

static node *split(node *t)
{
    node *r = t->right;
    if (!r || !r->right || r->right->level != t->level)
        return t;
    t->right = r->left;
    r->left = t;
    r->level++;
    adopt(t);
    adopt(r);
    return r;
}

static node *insert(node *t, const char *key)
{
    if (!t) {
        node *made = calloc(1, sizeof *made);
        if (!made || !(made->key = malloc(strlen(key) + 1)))
            exit(1);
        strcpy(made->key, key);
        made->level = made->uses = 1;
        nodes++;
#pragma pc3 checkpoint
        return made;
    }
    int order = strcmp(key, t->key);
    if (order == 0) {
        t->uses++;
#pragma pc3 checkpoint
    } else if (order < 0)
        t->left = insert(t->left, key);
    else
        t->right = insert(t->right, key);
    adopt(t);
    return split(skew(t));
}

static const node *first(const node *t)
{
    while (t && t->left)
        t = t->left;
    return t;
}

static const node *next(const node *t)
{
#pragma pc3 checkpoint
    if (t->right)
        return first(t->right);
    const node *p = t->parent;
    for (; p && t == p->right; p = p->parent)
        t = p;
    return p;
}

static int height(const node *t)
{
    if (!t)
        return 0;
    int left = height(t->left), right = height(t->right);
    return 1 + (left > right ? left : right);
}

static void destroy(node *t)
{
    if (!t)
        return;
    destroy(t->left);
#pragma pc3 checkpoint
    destroy(t->right);
    free(t->key);
    free(t);
    nodes--;
}

int main(int argc, char **argv)
{
    node *root = NULL;
    int count = argc > 1 ? atoi(argv[1]) : 40;
    unsigned state = 7;
    for (int i = 0; i < count; i++) {
        char key[8];
        state = (state * 69069u + 1u) & 0xffffffffu;
        snprintf(key, sizeof key, "k%u", state >> 20 & 31u);
        root = insert(root, key);
        root->parent = NULL;
    }
    for (const node *n = first(root); n; n = next(n))
        show(n->key, n->uses * 10 + n->level);
    show("nodes", nodes);
    show("height", height(root));
    destroy(root);
    show("nodes", nodes);
    return finish();
}
