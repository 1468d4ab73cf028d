#include <pc3.h>
typedef int number;
int other(void) {
    return number + 1;
}
int main(void) {
    pc3_checkpoint();
    return 0;
}
