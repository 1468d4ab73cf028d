// run: -c foreign_member.c -o ROOT/main.o
// tool: gcc -DHELPER -c foreign_member.c -o ROOT/helper.o
// tool: ar rcs ROOT/libhelper.a ROOT/helper.o
// tool: gcc -DOTHER -c foreign_member.c -o ROOT/other.o
// run: --emit=c ROOT/main.o ROOT/other.o ROOT/libhelper.a -o ROOT/program
#if defined HELPER
int helper(void) { static int calls; return ++calls; }
#elif defined OTHER
int other(void) { static int calls; return ++calls; }
#else
int helper(void), other(void);
int main(void) {
#pragma pc3 checkpoint
    return helper() + other();
}
#endif
