#include <pc3.h>
#include <stdlib.h>
_Noreturn static void forever(void) { for (;;) pc3_checkpoint(); }
__attribute__((__noreturn__)) static void leave(void) { pc3_checkpoint(); exit(1); }
__attribute__((pure)) static int pure(void) { pc3_checkpoint(); return 1; }
__attribute__((constructor)) static void early(void) { pc3_checkpoint(); }
int other(void) __attribute__((alias("real")));
int real(void) { pc3_checkpoint(); return 1; }
static int elsewhere(void) __attribute__((weakref("far")));
int main(int argc, char **argv) {
    (void)argv;
    if (argc > 2) forever();
    if (argc > 1) leave();
    return pure() + other() + elsewhere();
}
