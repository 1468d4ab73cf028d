/* pc3-test: seq */
// run: PC3_EVERY=1x PC3_STOP_AFTER=1
// run: PC3_RESTART=latest on=s390x
// run: PC3_RESTART=latest
static const int one = 1;
static int first;

int main(void) {
    first = *(const char *)&one;
#pragma pc3 checkpoint
    return first != *(const char *)&one;
}
