/* pc3-test: seq */
// run: PC3_EVERY=1x PC3_STOP_AFTER=3
// run: PC3_RESTART=4
// run: PC3_RESTART=2
int main(void) {
    for (int i = 0; i < 5; i++) {
#pragma pc3 checkpoint
    }
    return 0;
}
