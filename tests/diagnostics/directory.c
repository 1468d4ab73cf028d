/* pc3-test: seq */
// sh: touch ckpt
// run: PC3_EVERY=1x
int main(void) {
#pragma pc3 checkpoint
    return 0;
}
