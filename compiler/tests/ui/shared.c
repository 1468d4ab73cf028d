// run: -shared shared.c -o libshared.so
int f(void) { return 0; }
