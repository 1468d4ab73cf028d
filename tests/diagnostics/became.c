/* pc3-test: seq */
// run: PC3_EVERY=1x PC3_STOP_AFTER=1 on=i686
// run: PC3_RESTART=latest
// run: PC3_RESTART=latest on=i686
unsigned long mask;

int main(void) {
    mask = -4;
#pragma pc3 checkpoint
    return mask != (unsigned long)-4;
}
