#include <pc3.h>
union either { long number; double *link; } either;
int kind;
#pragma pc3 union either by kind: link = self, number = *
int main(void) {
    pc3_checkpoint();
    return (int)either.number + (either.link != 0) + kind;
}
#pragma pc3 accept size-kept
