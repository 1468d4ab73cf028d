// run: -c located_elsewhere.c -o ROOT/here.o
// run: --checkpoint-at=elsewhere ROOT/here.o -o ROOT/here
int main(void) { return 0; }
