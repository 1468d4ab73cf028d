#include <pc3.h>
int main(void) {
    int i = 0;
    for (; i < 3; pc3_checkpoint(), i++)
        ;
    return i ? (pc3_checkpoint(), 1) : 0;
}
