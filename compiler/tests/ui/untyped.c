#include <pc3.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    (void)argv;
    void *p = malloc((size_t)argc);
    pc3_checkpoint();
    free(p);
    return 0;
}
