// run: -c called_from_outside.c -o ROOT/work.o
// tool: gcc -DHELPER -c called_from_outside.c -o ROOT/each.o
// run: ROOT/work.o ROOT/each.o -o ROOT/program
#ifdef HELPER
void work(int);
void each(int n) { while (n-- > 0) work(n); }
#else
void each(int n);
void work(int i) {
    (void)i;
#pragma pc3 checkpoint
}
int main(void) {
    each(3);
    return 0;
}
#endif
