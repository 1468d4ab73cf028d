#include <pc3.h>
int main(void) {
    pc3_checkpoint();
    return __builtin_no_such_thing(1);
}
