/* pc3-test: seq */
// run: PC3_EVERY=1x PC3_COMMIT=sync
/* Where the checkpoints should go is a file all of a sudden: told once, and the program goes on. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    for (int i = 0; i < 4; i++) {
        if (i == 2 && system("rm -r ckpt && touch ckpt"))
            return 1;
#pragma pc3 checkpoint
    }
    puts("through");
    return 0;
}
