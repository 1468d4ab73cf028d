/* The octree over the bodies: every node stands for the bodies in its cube. */
#ifndef TREE_H
#define TREE_H

#include "force.h"

struct body {
    char *name;
    const char *kind;
    double mass;
    double at[3], velocity[3], acceleration[3];
    struct body *next;    /* all bodies, in order of creation */
    struct node *leaf;    /* where the current tree holds it */
};

struct node {
    double centre[3], half; /* the cube */
    double mass, middle[3]; /* of all bodies in it */
    int bodies;
    struct body *body;      /* of a leaf; a second one at the same place hangs on `also` */
    struct bucket *also;
    struct node *parent, *child[8];
    struct node *first, *sibling; /* the children that exist, as a list */
    char *path;             /* octants from the root, "0.3.7" */
};

struct bucket {
    struct body *body;
    struct bucket *next;
};

void *must_have(void *block); /* ends the program if there is no block */
char *joined(const char *left, const char *middle, const char *right);

struct node *build_tree(struct body *bodies);
void free_tree(struct node *root);
void tree_force(const struct node *root, const struct law *law, struct body *body);
int tree_is_sound(const struct node *node);
int count_nodes(const struct node *node, int *deepest);

#endif
