// pc3cc: -include forced.h
#include <pc3.h>
#include <stddef.h>
#include <stdlib.h>
#undef offsetof
#define offsetof(type, member) ((size_t)&((type *)0)->member)
struct inner { char c; short s[4]; };
struct outer { int a; struct inner in; double d[3]; };
static const struct { const char *name; size_t at; } table[] = {
    {"c", offsetof(struct outer, in.c)},
    {"s", offsetof(struct outer, in.s[2])},
    {"d", (size_t)((struct outer *)0)->d},
};
int main(int argc, char **argv) {
    size_t at = table[argc % 3].at, last = offsetof(struct outer, d[2]);
    char *mark = (char *)(size_t)argc;
    pc3_checkpoint();
    return (int)(at + last) + (mark == argv[0]) + forced();
}
