// run: -c foreign_found.c -o ROOT/found.o
// tool: gcc -shared -fPIC -DKEEPS foreign_found.c -o ROOT/libkeeps.so
// tool: gcc -S -DKEEPS -DNAME=also foreign_found.c -o ROOT/also.s
// run: --emit=c ROOT/found.o ROOT/also.s -LROOT -lkeeps -lm -lcrypt -o ROOT/program
#ifdef KEEPS
#ifndef NAME
#define NAME keeps
#endif
int NAME(void) { static int n; return n++; }
#else
int keeps(void), also(void);
char *crypt(const char *, const char *);
int main(void) {
#pragma pc3 checkpoint
  return keeps() + also() + (crypt("a", "bc") == 0);
}
#endif
