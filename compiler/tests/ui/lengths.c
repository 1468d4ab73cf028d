#include <pc3.h>
void row(int n) {
    typedef double line[n];
    line a;
    a[0] = 1;
    pc3_checkpoint();
    a[0]++;
}
void keep(void *);
static void *all;
void pointed(int n) {
    double (*p)[n] = 0;
    all = &p;
    pc3_checkpoint();
    keep(p);
}
int main(void) { return 0; }
int member(int n) {
    struct tail {
        int at;
        char text[n];
    } t;
    struct tail *kept = &t;
    keep(&kept);
    pc3_checkpoint();
    return t.at + kept->at;
}
