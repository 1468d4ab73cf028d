/* pc3-test: seq */
// run: PC3_STOP_AFTER=1
// run: PC3_EVERY=4x PC3_STOP_AFTER=3
// run: PC3_EVERY=1h PC3_STOP_AFTER=1
// run: PC3_EVERY=1x PC3_STOP_AFTER=2 as=PIPE
// run: as=ASKS
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    int sum = 0;
#ifdef PIPE
    int ends[2];
    if (pipe(ends))
        return 1;
#endif
    for (int i = 0; i < 10; i++) {
#pragma pc3 checkpoint
        sum += i;
    }
#ifdef ASKS
    raise(SIGUSR2);
#endif
    printf("%d\n", sum);
    return 0;
}
