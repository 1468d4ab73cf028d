// run: -O2 -c separate.c -o separate.o
int main(void) { return 0; }
