// run: -shared -fPIC shared_fine.c -o ROOT/libfine.so
int f(void) { return 0; }
