/* pc3-test: seq */
// run: PC3_EVERY=1x PC3_STOP_AFTER=1
// run: PC3_RESTART=latest on=i686
// run: PC3_RESTART=latest
static struct tally { int n; long total; } tallies[3];

int main(void) {
    tallies[1].total = (long)5 * 1000 * 1000 * 1000;
#pragma pc3 checkpoint
    return tallies[1].total / 1000000000 != 5;
}
