#include "tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A cube is opened if its side is more than this share of its distance. */
static const double opening = 0.5;
enum { DEEPEST = 40 };

void *must_have(void *block)
{
    if (!block) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return block;
}

char *joined(const char *left, const char *middle, const char *right)
{
    size_t a = strlen(left), b = strlen(middle), c = strlen(right);
    char *out = must_have(malloc(a + b + c + 1));
    memcpy(out, left, a);
    memcpy(out + a, middle, b);
    memcpy(out + a + b, right, c + 1);
    return out;
}

static int octant(const struct node *node, const double *at)
{
    return (at[0] >= node->centre[0]) + 2 * (at[1] >= node->centre[1]) + 4 * (at[2] >= node->centre[2]);
}

static struct node *new_node(struct node *parent, int which)
{
    struct node *node = must_have(calloc(1, sizeof *node));
    for (int i = 0; i < 8; i++)
        node->child[i] = NULL;
    node->parent = parent;
    node->body = NULL;
    node->also = NULL;
    node->first = node->sibling = NULL;
    if (!parent) {
        node->path = joined("root", "", "");
        return node;
    }
    char digit[2] = {(char)('0' + which), '\0'};
    node->path = joined(parent->path, ".", digit);
    node->half = parent->half / 2;
    for (int d = 0; d < 3; d++)
        node->centre[d] = parent->centre[d] + (which >> d & 1 ? node->half : -node->half);
    node->sibling = parent->first;
    parent->first = node;
    parent->child[which] = node;
    return node;
}

static void insert(struct node *node, struct body *body, int depth);

static void insert_below(struct node *node, struct body *body, int depth)
{
    int which = octant(node, body->at);
    struct node *child = node->child[which];
    insert(child ? child : new_node(node, which), body, depth + 1);
}

static void insert(struct node *node, struct body *body, int depth)
{
    if (node->bodies++ == 0) {
        node->body = body;
        body->leaf = node;
        return;
    }
    if (depth >= DEEPEST) {
        struct bucket *bucket = must_have(malloc(sizeof *bucket));
        bucket->body = body;
        bucket->next = node->also;
        node->also = bucket;
        body->leaf = node;
        return;
    }
    if (node->body) {
        struct body *moved = node->body;
        node->body = NULL;
        insert_below(node, moved, depth);
    }
    insert_below(node, body, depth);
}

static void add_mass(struct node *node, double mass, const double *at)
{
    node->mass += mass;
    for (int d = 0; d < 3; d++)
        node->middle[d] += mass * at[d];
}

static void weigh(struct node *node)
{
    if (node->body)
        add_mass(node, node->body->mass, node->body->at);
    for (const struct bucket *b = node->also; b; b = b->next)
        add_mass(node, b->body->mass, b->body->at);
    for (struct node *child = node->first; child; child = child->sibling) {
        weigh(child);
        add_mass(node, child->mass, child->middle);
    }
    for (int d = 0; d < 3; d++)
        node->middle[d] /= node->mass;
}

struct node *build_tree(struct body *bodies)
{
    struct node *root = new_node(NULL, 0);
    double reach = 1e-3;
    for (const struct body *b = bodies; b; b = b->next)
        for (int d = 0; d < 3; d++) {
            double out = b->at[d] < 0 ? -b->at[d] : b->at[d];
            reach = out > reach ? out : reach;
        }
    root->half = 1.01 * reach;
    for (struct body *b = bodies; b; b = b->next)
        insert(root, b, 0);
    weigh(root);
    return root;
}

void free_tree(struct node *node)
{
    if (!node)
        return;
    for (struct node *child = node->first, *next; child; child = next) {
        next = child->sibling;
        free_tree(child);
    }
    for (struct bucket *b = node->also, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(node->path);
    free(node);
}

static void attract(const struct law *law, struct body *body, double mass, const double *at)
{
    double away[3], square = 0;
    for (int d = 0; d < 3; d++) {
        away[d] = at[d] - body->at[d];
        square += away[d] * away[d];
    }
    double pull = mass * law->pull(square);
    for (int d = 0; d < 3; d++)
        body->acceleration[d] += pull * away[d];
}

void tree_force(const struct node *node, const struct law *law, struct body *body)
{
    if (node->body && node->body != body)
        attract(law, body, node->body->mass, node->body->at);
    for (const struct bucket *b = node->also; b; b = b->next)
        if (b->body != body)
            attract(law, body, b->body->mass, b->body->at);
    if (!node->first)
        return;
    double square = 0, side = 2 * node->half;
    for (int d = 0; d < 3; d++) {
        double away = node->middle[d] - body->at[d];
        square += away * away;
    }
    if (side * side < opening * opening * square) {
        attract(law, body, node->mass, node->middle);
        return;
    }
    for (const struct node *child = node->first; child; child = child->sibling)
        tree_force(child, law, body);
}

/* Links in both directions agree, and every body lies in the cube that holds it. */
int tree_is_sound(const struct node *node)
{
    int bodies = node->body != NULL;
    if (node->body && node->body->leaf != node)
        return 0;
    for (const struct bucket *b = node->also; b; b = b->next)
        bodies++;
    for (const struct node *child = node->first; child; child = child->sibling) {
        int which = child->path[strlen(child->path) - 1] - '0';
        if (child->parent != node || node->child[which] != child || !tree_is_sound(child))
            return 0;
        bodies += child->bodies;
    }
    return bodies == node->bodies;
}

int count_nodes(const struct node *node, int *deepest)
{
    int nodes = 1, below = 0;
    for (const struct node *child = node->first; child; child = child->sibling) {
        int depth;
        nodes += count_nodes(child, &depth);
        below = depth > below ? depth : below;
    }
    *deepest = below + 1;
    return nodes;
}
