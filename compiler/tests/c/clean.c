/* Compiles without a word under every dialect and many warnings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { int v; struct node *next; };
static double table[4];
static const char *const names[] = { "a", "b" };
static int visit(const struct node *n)
{
    int s = 0;
    while (n) {
        s += n->v;
        n = n->next;
#pragma pc3 checkpoint
    }
    return s;
}
static int twice(int (*f)(const struct node *), const struct node *n)
{
    const int a = f(n), b = f(n);
    int v[3] = { 0, 0, 0 };
    int *p = &v[1];
    struct node tmp;
    tmp.v = a;
    tmp.next = NULL;
    v[0] = visit(&tmp);
    *p += v[0];
    return a + b + (a > b ? f(n) : visit(n)) + v[1];
}
int main(int argc, char **argv)
{
    struct node *list = NULL;
    int i;
    char buf[40];
    (void)argv;
    for (i = 0; i < 3 + argc - 1; i++) {
        struct node *n = malloc(sizeof *n);
        if (n == NULL)
            return 1;
        n->v = i;
        n->next = list;
        list = n;
        table[i] = i;
    }
    strcpy(buf, names[1]);
    do {
        i = twice(visit, list);
        switch (i) {
        case 12:
            i = visit(list);
            break;
        default:
            break;
        }
    } while (visit(list) < 3);
    printf("%d %s %g\n", i, buf, table[1]);
    while (list != NULL) {
        struct node *n = list->next;
        free(list);
        list = n;
    }
    return EXIT_SUCCESS;
}
