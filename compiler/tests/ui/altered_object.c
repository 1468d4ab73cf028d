// run: -c altered_object.c -o ROOT/altered.o
// tool: objcopy --redefine-sym helper=renamed ROOT/altered.o
// run: ROOT/altered.o -o ROOT/altered
int helper(int x) { return x; }
int main(void) {
#pragma pc3 checkpoint
    return helper(0);
}
