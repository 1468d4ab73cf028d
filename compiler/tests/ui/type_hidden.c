// A constant named like a type, declared among parameters.
#include <pc3.h>
typedef int length;
static int last(enum { none, length } which) {
    return which - (length) - 1;
}
int main(void) {
    pc3_checkpoint();
    return last(0);
}
