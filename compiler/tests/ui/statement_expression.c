#include <pc3.h>
int main(int argc, char **argv) {
    (void)argv;
    int r = ({ int k = argc; pc3_checkpoint(); if (k) goto out; k; });
    return r;
out:
    return 1;
}
