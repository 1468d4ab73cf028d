// run: -fPIC -c shared_object.c -o ROOT/part.o
// run: -shared ROOT/part.o -o ROOT/libpart.so
int f(void) {
#pragma pc3 checkpoint
    return 0;
}
