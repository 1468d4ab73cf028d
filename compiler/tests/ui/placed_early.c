// run: -c placed_early.c -o ROOT/early.o
int f(int x) {
    if (x)
#pragma pc3 checkpoint
        return 1;
    return 0;
}
