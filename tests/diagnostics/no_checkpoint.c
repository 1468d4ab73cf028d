/* pc3-test: seq */
// run: PC3_RESTART=latest
// run: PC3_EVERY=1x PC3_STOP_AFTER=1
// sh: truncate -s 200 ckpt/ckpt-000001.pc3c
// run: PC3_RESTART=latest
int main(void) {
#pragma pc3 checkpoint
    return 0;
}
