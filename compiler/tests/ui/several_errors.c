#include <pc3.h>
struct s { int a; };
int broken(int x) { return x +; }
int undeclared(void) { return nowhere; }
int member(struct s s) { return s.b + s.a; }
int expression(struct s s) { return s + 1; }
void label(void) { goto out; }
int value(void) { return (pc3_checkpoint(), 1); }
int main(void) { return 0; }
