/* A runtime of one process that only unwinds and resumes: enough to run both clones of every
 * function against each other.
 *   MINI_AT=k     checkpoint at the k-th location passed (0: never)
 *   MINI_EVERY=n  checkpoint at every n-th
 *   MINI_COUNT=1  say how many locations were passed */
#include "pc3_rt.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

volatile int pc3_flag = 1;
static struct pc3_unit *units;
static const struct pc3_tls *tls;
static struct pc3_rank rank;
static char stack[1 << 20] __attribute__((aligned(64)));

struct record {
    struct pc3_frame frame;
    struct record *outer;
};
static struct record *innermost, *outermost, *next;
static long passed, at, every, count, depth;

void pc3_register_unit(struct pc3_unit *u) { u->next = units; units = u; }
void pc3_register_tls(const struct pc3_tls *t) { tls = t; }

static void bad(const char *what) { fprintf(stderr, "mini runtime: %s\n", what); abort(); }

static void check_type(const struct pc3_type *t) {
    if (t->kind == PC3_KIND_STRUCT)
        for (pc3_size i = 0; i < t->count; i++) {
            const struct pc3_member *m = &t->members[i];
            if (!m->bits && m->offset + m->type->size > t->size) bad("a member lies outside its record");
        }
}

int pc3_due(const struct pc3_point *p) {
    (void)p;
    passed++;
    if (at ? passed == at : every && passed % every == 0) {
        *tls->state() = 1;
        depth = 0;
        return 1;
    }
    return 0;
}

void *pc3_frame_save(const struct pc3_point *p, void *shadow) {
    struct record *r = calloc(1, sizeof *r);
    if (p != &p->func->points[p->label - 1]) bad("points are not numbered by label");
    if ((shadow != 0) != (p->func->shadow != 0)) bad("shadow block without a type, or the reverse");
    r->frame.point = p;
    r->frame.shadow = shadow;
    if (p->live) {
        check_type(p->live);
        r->frame.live = malloc(p->live->size);
        memset(r->frame.live, 0x5a, p->live->size);
    }
    r->outer = 0;
    if (innermost == 0) innermost = r;
    if (outermost) outermost->outer = r;
    outermost = r;
    depth++;
    return r->frame.live;
}

const struct pc3_frame *pc3_frame_load(void) {
    /* outermost first: the list runs the other way */
    struct record *r = innermost;
    if (!next) bad("no frame to load");
    const struct pc3_frame *f = &next->frame;
    struct record *inner = 0;
    for (; r != next; r = r->outer) inner = r;
    next = inner;
    return f;
}

void (*pc3_resume_next(void))(void) {
    if (!next) bad("no inner frame");
    return next->frame.point->func->resume;
}
void pc3_resumed(void) {
    if (next) bad("frames left over");
    innermost = outermost = 0;
}

void *pc3_shadow_grow(pc3_size n) { (void)n; bad("shadow stack overflow"); return 0; }

struct block { pc3_size bytes; struct pc3_type *elem; };
void *pc3_shadow_block(char *from, pc3_size bytes, struct pc3_type *elem) {
    char *p = (char *)(((uintptr_t)from + 15) & ~(uintptr_t)15);
    struct block *b = (struct block *)p;
    if (p + 32 + bytes > rank.sp_end) bad("shadow stack overflow");
    b->bytes = bytes;
    b->elem = elem;
    rank.sp = p + ((16 + bytes + 16) & ~(pc3_size)15);
    return p + 16;
}

static void site(const struct pc3_site *s) { if (s->line == 0) bad("site without a line"); }
void *pc3_piece(void *p, pc3_size n, pc3_size room, const struct pc3_site *s) { if (s) site(s); return p; }
void *pc3_stored_at(void *p, const struct pc3_site *s) { site(s); return p; }
void *pc3_freed(void *p, const struct pc3_site *s) { site(s); return p; }
void *pc3_malloc(pc3_size n, const struct pc3_site *s) { site(s); return malloc(n); }
void *pc3_calloc(pc3_size n, pc3_size m, const struct pc3_site *s) { site(s); return calloc(n, m); }
void *pc3_realloc(void *p, pc3_size n, const struct pc3_site *s) { site(s); return realloc(p, n); }
void *pc3_reallocarray(void *p, pc3_size n, pc3_size m, const struct pc3_site *s) { site(s); return realloc(p, n * m); }
void *pc3_aligned_alloc(pc3_size a, pc3_size n, const struct pc3_site *s) { site(s); return aligned_alloc(a, n); }
int pc3_posix_memalign(void **p, pc3_size a, pc3_size n, const struct pc3_site *s) { site(s); return posix_memalign(p, a, n); }
void pc3_free(void *p) { free(p); }
void *pc3_plain_malloc(pc3_size n) { return malloc(n); }
void *pc3_plain_calloc(pc3_size n, pc3_size m) { return calloc(n, m); }
void *pc3_plain_realloc(void *p, pc3_size n) { return realloc(p, n); }
char *pc3_characters(pc3_size n) { return malloc(n); }
char *pc3_strdup(const char *s) { return strdup(s); }
char *pc3_strndup(const char *s, pc3_size n) { return strndup(s, n); }
FILE *pc3_fopen(const char *p, const char *m) { return fopen(p, m); }
FILE *pc3_fdopen(int d, const char *m) { return fdopen(d, m); }
int pc3_fclose(FILE *f) { return fclose(f); }
void pc3_call_at(const char *p) { (void)p; }
/* Calls of these stand in the unit of main; no program here makes them. */
int pc3_open_file(int d, const char *p, int f, unsigned m, const char *n) { (void)d; (void)p; (void)f; (void)m; (void)n; abort(); }
void *pc3_remap(void *a, pc3_size o, pc3_size n, int f, void *t) { (void)a; (void)o; (void)n; (void)f; (void)t; abort(); }
/* Nobody asks who prints. */
void *pc3_prints_on(void *to) { (void)to; return 0; }
void *pc3_print_nowhere(void *to) { (void)to; return 0; }
void *pc3_prints_to(int to) { (void)to; return 0; }
void pc3_printed(void *to) { (void)to; }
void *pc3_thread_made(const char *n, void (*f)(void), void *a) { (void)n; (void)f; (void)a; abort(); }
void pc3_thread_failed(void *s) { (void)s; }
void (*pc3_thread_begin(void *s, void **a))(void) { (void)s; (void)a; abort(); }
void pc3_exit(int s) { exit(s); }

/* Enough of MPI for programs that only ask who they are: their globals become private. */
int MPI_Init(int *c, char ***v) { (void)c; (void)v; return 0; }
int MPI_Finalize(void) { return 0; }

/* What dead frames have left must not be seen again. */
static __attribute__((noinline)) void clobber(void) {
    volatile char junk[1 << 16];
    for (unsigned i = 0; i < sizeof junk; i++) junk[i] = (char)0xa7;
}

extern char __data_start, _end;

/* The rank's copy of all globals lies elsewhere. */
static pc3_diff copy_globals(void) {
    pc3_size n = (pc3_size)(&_end - &__data_start);
    char *to = mmap(0, n + 64, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    to += (uintptr_t)&__data_start & 63;
    memcpy(to, &__data_start, n);
    return to - &__data_start;
}

int __wrap_main(int argc, char **argv, char **envp) {
    struct pc3_unit *m = 0;
    pc3_diff delta = 0;
    at = getenv("MINI_AT") ? atol(getenv("MINI_AT")) : 0;
    every = getenv("MINI_EVERY") ? atol(getenv("MINI_EVERY")) : 0;
    count = getenv("MINI_COUNT") != 0;
    for (struct pc3_unit *u = units; u; u = u->next) {
        for (pc3_size i = 0; i < u->ntypes; i++) check_type(&u->types[i]);
        if (u->main) m = u;
        if (u->flags & PC3_UNIT_PRIVATE_GLOBALS && !delta) delta = copy_globals();
    }
    if (!m) bad("no main");
    rank.sp = stack;
    rank.sp_end = stack + sizeof stack;
    tls->set(&rank, delta);
    int status = m->main(argc, argv, envp);
    while (*tls->state()) {
        *tls->state() = 0;
        clobber();
        next = outermost;
        if (!next) bad("unwound without a frame");
        status = ((int (*)(void))outermost->frame.point->func->resume)();
    }
    if (rank.sp != stack) bad("shadow stack not given back");
    fflush(stdout);
    if (count) fprintf(stderr, "passed %ld\n", passed);
    return status;
}
