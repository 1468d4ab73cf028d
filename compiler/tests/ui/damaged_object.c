// run: -c damaged_object.c -o ROOT/damaged.o
// tool: cp ROOT/damaged.o ROOT/older.o
// tool: objcopy --dump-section .pc3.unit=ROOT/unit ROOT/damaged.o
// tool: truncate -s 60 ROOT/unit
// tool: objcopy --update-section .pc3.unit=ROOT/unit ROOT/damaged.o
// run: ROOT/damaged.o -o ROOT/damaged
// tool: objcopy --dump-section .pc3.unit=ROOT/unit ROOT/older.o
// tool: dd if=/dev/zero of=ROOT/unit bs=1 seek=8 count=4 conv=notrunc
// tool: objcopy --update-section .pc3.unit=ROOT/unit ROOT/older.o
// run: ROOT/older.o -o ROOT/older
#include <pc3.h>
int main(void) {
    pc3_checkpoint();
    return 0;
}
