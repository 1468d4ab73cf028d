// pc3cc: -finstrument-functions
#include <pc3.h>
int main(void) {
    pc3_checkpoint();
    return 0;
}
