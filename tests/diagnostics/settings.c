/* pc3-test: seq */
// run: PC3_EVERY=soon
// run: PC3_EVRY=1x
// run: PC3_RESTART=7
int main(void) {
#pragma pc3 checkpoint
    return 0;
}
