// run: -O2 -flto -c link_time_optimisation.c -o ROOT/lto.o
int main(void) { return 0; }
