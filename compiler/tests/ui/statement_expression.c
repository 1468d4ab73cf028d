#include <pc3.h>
int main(int argc, char **argv) {
    void *to = argv ? &&out : 0;
    int r = ({ int k = argc; pc3_checkpoint(); if (k) goto *to; k; });
    return r;
out:
    return 1;
}
