#include <pc3.h>
static int *kept;
static void done(int *p) { *p = 0; }
static void slow(int *p) { pc3_checkpoint(); *p = 0; }
static int leaf(int i) {
    int x __attribute__((cleanup(slow))) = i;
    return x + 1;
}
int main(void) {
    int fine __attribute__((__cleanup__(done))) = 1;
    int x __attribute__((__cleanup__(done))) = 1;
    kept = &x;
    pc3_checkpoint();
    return fine + leaf(2);
}
