/* pc3-test: seq */
// run: PC3_EVERY=1x PC3_STOP_AFTER=1
// run: PC3_RESTART=latest on=i686
// run: PC3_RESTART=latest
struct node { struct node *next; long weight; };
struct header { unsigned long bytes; int n; };
static struct header headers[2];

static unsigned long rounded(unsigned long n) { return (n + 31) & ~31ul; }

int main(void) {
    headers[1].bytes = rounded(sizeof(struct node));
#pragma pc3 checkpoint
    return headers[1].bytes != 32;
}
