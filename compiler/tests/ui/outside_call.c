// run: -c outside_call.c -o ROOT/ours.o
// tool: gcc -DHELPER -c outside_call.c -o ROOT/theirs.o
// run: --emit=c ROOT/ours.o ROOT/theirs.o
struct job { const char *name; struct { void (*run)(int); } how; };
#ifdef HELPER
extern void (*hook)(int);
void start(struct job *j) { j->how.run(1); hook(2); }
#else
void start(struct job *j);
void (*hook)(int);
static void work(int i) {
    (void)i;
#pragma pc3 checkpoint
}
int main(void) {
    struct job j = {"work", {work}};
    hook = work;
    start(&j);
    hook(1);
    return 0;
}
#endif
