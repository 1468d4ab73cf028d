/* pc3-test: seq */
// sh: mkdir -p below
// run: PC3_EVERY=1x PC3_STOP_AFTER=1
// sh: rmdir below
// run: PC3_RESTART=latest
// sh: mkdir below
// run: PC3_RESTART=latest
#include <unistd.h>

int main(void) {
    if (chdir("below"))
        return 1;
#pragma pc3 checkpoint
    return access("../below", F_OK);
}
