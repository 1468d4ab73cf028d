#include <pc3.h>
#include <stdlib.h>
void use_allocator(void *(*get)(size_t));
int main(int argc, char **argv) {
    use_allocator(malloc);
    pc3_checkpoint();
    return 0;
}
