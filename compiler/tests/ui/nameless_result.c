// A result of a type that no table describes, needed behind a call that reaches a location.
#include <pc3.h>
static _BitInt(sizeof(int)) half;
static int step(int n) {
    half += n;
    pc3_checkpoint();
    return n;
}
int main(void) {
    return (int)((half + half) + step(2));
}
