// A parameter named like a type, used in the type of the next one.
#include <pc3.h>
typedef int length;
static int last(int n, int length, int list[sizeof(length)]) {
    return list[n - length];
}
int main(void) {
    int list[sizeof(int)] = {0};
    pc3_checkpoint();
    return last(1, 1, list);
}
