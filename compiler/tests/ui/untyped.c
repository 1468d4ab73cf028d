#include <pc3.h>
#include <stdlib.h>
struct item { struct item *next; int key; };
static void *other(size_t n) { return malloc(n); }
int main(int argc, char **argv) {
    (void)argv;
    void *p = malloc((size_t)argc);
    struct item *items = malloc((size_t)argc);
    /* The size names the type, or is that of one; characters are characters. */
    void *sized = malloc(argc * sizeof(struct item)), *through = other(sizeof(struct item));
    double *typed = malloc((size_t)argc);
    char *text = malloc((size_t)argc);
    pc3_checkpoint();
    free(p);
    free(items);
    free(sized);
    free(through);
    free(typed);
    free(text);
    return 0;
}
