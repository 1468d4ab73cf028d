#include <pc3.h>
struct flags { union { struct { unsigned a : 3, b : 5; }; struct { int c : 9; }; }; };
union value { long n; double d; };
struct flags flags;
union value value;
int main(void) {
    value.n = 1;
    pc3_checkpoint();
    return (int)value.n + flags.c;
}
