// run: -c outside_call.c -o ROOT/ours.o
// tool: gcc -DHELPER -c outside_call.c -o ROOT/theirs.o
// run: --emit=c ROOT/ours.o ROOT/theirs.o
struct job { const char *name; struct { void (*run)(int); } how; };
struct chore { void (*run)(const char *); };
#ifdef HELPER
extern void (*hook)(int);
void start(struct job *j) { j->how.run(1); hook(2); }
void begin(struct chore *c) { c->run("all"); }
#else
void start(struct job *j), begin(struct chore *c);
void (*hook)(int);
static void work(int i) {
    (void)i;
#pragma pc3 checkpoint
}
/* Reaches no location: whoever wants may call it. */
static void rest(const char *s) { (void)s; }
int main(void) {
    struct job j = {"work", {work}};
    struct chore c = {rest};
    begin(&c);
    hook = work;
    start(&j);
    hook(1);
    return 0;
}
#endif
