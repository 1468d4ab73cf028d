// pc3cc: --annotations=annotations.txt
#include <pc3.h>
enum kind { NUMBER, TEXT };
struct value { enum kind kind; union { long number; char *text; } as; };
#pragma pc3 union value.as by kind: number = NUMBER, text = WORD
#pragma pc3 union value.as by sort: number = NUMBER
#pragma pc3 union value.as by kind: real = NUMBER
#pragma pc3 union value.kind by kind: number = NUMBER
#pragma pc3 union values.as by kind: number = NUMBER
#pragma pc3 union value.as: number = NUMBER
struct value global;
int main(void) {
    pc3_checkpoint();
    return global.kind;
}
