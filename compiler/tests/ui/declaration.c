struct s { int a; };
struct s { int a; };
int old(a) int a, b; { return a; }
int main(void) { return 0; }
