/* A sequential program, instrumented by hand the way pc3cc does it: recursion with a location inside,
 * a typed heap with interior pointers, globals that point to each other, function pointers, string
 * literals, an escaping local and a run-time sized array on the shadow stack, a file it writes.
 *
 * walk STEPS [FILE]: prints a checksum per step. */
#define PC3_MAIN_UNIT
#include "pc3_rt.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the user's types and globals ---- */

struct node {
    int key;
    long weight;
    char tag;
    double value;
    struct node *next;
    double *inside; /* into another node */
};
struct counters {
    unsigned long seen;
    int last;
    unsigned flags : 5;
    int delta : 7;
};
struct escaping {
    int total;
    int *ptotal;
    char name[5];
};

static long twice(long x) { return 2 * x; }
static long thrice(long x) { return 3 * x; }

static const char lit_even[] = "even", lit_odd[] = "odd", lit_start[] = "start";
static struct node *head;
static struct counters counters = { 1, -1, 3, -2 };
static struct counters *pcounters = &counters;
static long (*step_fn)(long) = twice;
static const char *label = lit_start;
static const char *const words[2] = { lit_even, lit_odd };
static const char *const *word = words;
static double field[4000];
static double *field_end = field + 4000;
static FILE *log_file;
static void *untyped;
#ifdef OTHER
static int added;
#endif

/* ---- descriptors ---- */

enum { INT, LONG, ULONG, UINT, CHAR, DOUBLE, NODE, PNODE, PDOUBLE, COUNTERS, PCOUNTERS, FN, PFN, PCHAR, PPCHAR, FIELD, FILE_,
    PINT, CHAR5, ESCAPING, WORDS, LIT5, LIT4, LIT6, LIVE_MAIN, LIVE_WALK, PVOID, PESCAPING, LIVE_INNER, NTYPES };
static struct pc3_type types[NTYPES];
#define T(x) (&types[x])

union counters_image { struct counters c; unsigned char b[sizeof(struct counters)]; };
static const union counters_image image_flags = { { 0, 0, 31, 0 } }, image_delta = { { 0, 0, 0, -1 } };

struct live_main { int argc; char **argv; long i, steps; struct escaping *e; };
struct live_walk { int depth; long acc; struct node *n; double *vla; struct escaping *e; };
struct live_inner { int depth; long acc; struct node *n; };

#define M(s, f, t) { #f, T(t), __builtin_offsetof(struct s, f), 0 }
static const struct pc3_member m_node[] = { M(node, key, INT), M(node, weight, LONG), M(node, tag, CHAR), M(node, value, DOUBLE),
    M(node, next, PNODE), M(node, inside, PDOUBLE) };
static const struct pc3_member m_counters[] = { M(counters, seen, ULONG), M(counters, last, INT),
    { "flags", T(UINT), 0, image_flags.b }, { "delta", T(INT), 0, image_delta.b } };
static const struct pc3_member m_escaping[] = { M(escaping, total, INT), M(escaping, ptotal, PINT), M(escaping, name, CHAR5) };
static const struct pc3_member m_live_main[] = { M(live_main, argc, INT), M(live_main, argv, PPCHAR), M(live_main, i, LONG),
    M(live_main, steps, LONG), M(live_main, e, PESCAPING) };
static const struct pc3_member m_live_walk[] = { M(live_walk, depth, INT), M(live_walk, acc, LONG), M(live_walk, n, PNODE),
    M(live_walk, vla, PDOUBLE), M(live_walk, e, PESCAPING) };
static const struct pc3_member m_live_inner[] = { M(live_inner, depth, INT), M(live_inner, acc, LONG), M(live_inner, n, PNODE) };

#define SCALAR(k, t, n) { 0, k, 0, __alignof__(t), sizeof(t), 0, 0, 0, n }
#define POINTER(e) { 0, PC3_KIND_POINTER, 0, __alignof__(void *), sizeof(void *), 0, e, 0, "" }
#define ARRAY(t, n, e) { 0, PC3_KIND_ARRAY, 0, __alignof__(t), sizeof(t) * (n), n, e, 0, "" }
#define STRUCT(s, m) { 0, PC3_KIND_STRUCT, 0, __alignof__(struct s), sizeof(struct s), sizeof m / sizeof *m, 0, m, "struct " #s }
static struct pc3_type types[NTYPES] = {
    [INT] = SCALAR(PC3_KIND_SINT, int, "int"),
    [LONG] = SCALAR(PC3_KIND_SINT, long, "long"),
    [ULONG] = SCALAR(PC3_KIND_UINT, unsigned long, "unsigned long"),
    [UINT] = SCALAR(PC3_KIND_UINT, unsigned, "unsigned int"),
    [CHAR] = SCALAR(PC3_KIND_CHAR, char, "char"),
    [DOUBLE] = SCALAR(PC3_KIND_FLOAT, double, "double"),
    [NODE] = STRUCT(node, m_node),
    [PNODE] = POINTER(T(NODE)),
    [PDOUBLE] = POINTER(T(DOUBLE)),
    [COUNTERS] = STRUCT(counters, m_counters),
    [PCOUNTERS] = POINTER(T(COUNTERS)),
    [FN] = { 0, PC3_KIND_FUNCTION, 0, 1, 0, 0, 0, 0, "" },
    [PFN] = POINTER(T(FN)),
    [PCHAR] = POINTER(T(CHAR)),
    [PPCHAR] = POINTER(T(PCHAR)),
    [FIELD] = ARRAY(double, 4000, T(DOUBLE)),
    [FILE_] = { 0, PC3_KIND_FILE, 0, __alignof__(void *), sizeof(void *), 0, 0, 0, "FILE *" },
    [PINT] = POINTER(T(INT)),
    [CHAR5] = ARRAY(char, 5, T(CHAR)),
    [ESCAPING] = STRUCT(escaping, m_escaping),
    [WORDS] = ARRAY(char *, 2, T(PCHAR)),
    [LIT5] = ARRAY(char, 5, T(CHAR)),
    [LIT4] = ARRAY(char, 4, T(CHAR)),
    [LIT6] = ARRAY(char, 6, T(CHAR)),
    [LIVE_MAIN] = STRUCT(live_main, m_live_main),
    [LIVE_WALK] = STRUCT(live_walk, m_live_walk),
    [LIVE_INNER] = STRUCT(live_inner, m_live_inner),
    [PVOID] = POINTER(0),
    [PESCAPING] = POINTER(T(ESCAPING)),
};

static int main_resume(void);
static long walk_resume(void);
static long inner_resume(void);
static const struct pc3_point main_points[], walk_points[], inner_points[];
static struct pc3_func funcs[] = {
    { "main", (void (*)(void))main_resume, T(ESCAPING), main_points, 1 },
    { "walk.c:walk", (void (*)(void))walk_resume, T(ESCAPING), walk_points, 2 },
    { "walk.c:inner", (void (*)(void))inner_resume, 0, inner_points, 1 },
};
static const struct pc3_point main_points[] = { { &funcs[0], 1, 1, "walk.c", "walk", T(LIVE_MAIN) } };
static const struct pc3_point walk_points[] = { { &funcs[1], 1, 2, "walk.c", "walk", T(LIVE_WALK) },
    { &funcs[1], 2, 3, "walk.c", "(*)", T(LIVE_WALK) } };
static const struct pc3_point inner_points[] = { { &funcs[2], 1, 4, "walk.c", "checkpoint", T(LIVE_INNER) } };

#define G(n, x, t, f) { n, (void *)&x, T(t), sizeof x, f }
static struct pc3_global globals[] = {
    G("walk.c:head", head, PNODE, 0), G("walk.c:counters", counters, COUNTERS, PC3_GLOBAL_INIT),
    G("walk.c:pcounters", pcounters, PCOUNTERS, PC3_GLOBAL_INIT), G("walk.c:step_fn", step_fn, PFN, PC3_GLOBAL_INIT),
    G("walk.c:label", label, PCHAR, PC3_GLOBAL_INIT), G("walk.c:words", words, WORDS, PC3_GLOBAL_INIT | PC3_GLOBAL_CONST),
    G("walk.c:word", word, PPCHAR, PC3_GLOBAL_INIT), G("walk.c:field", field, FIELD, 0),
    G("walk.c:field_end", field_end, PDOUBLE, PC3_GLOBAL_INIT), G("walk.c:log_file", log_file, FILE_, 0),
    G("walk.c:untyped", untyped, PVOID, 0),
#ifdef OTHER
    G("walk.c:added", added, INT, 0),
#endif
    G("", lit_even, LIT5, PC3_GLOBAL_LITERAL), G("", lit_odd, LIT4, PC3_GLOBAL_LITERAL), G("", lit_start, LIT6, PC3_GLOBAL_LITERAL),
};
static const struct pc3_fnref fnrefs[] = { { "walk.c:twice", (void (*)(void))twice }, { "walk.c:thrice", (void (*)(void))thrice } };
static int user_main(int, char **, char **);
static struct pc3_unit unit = { PC3_DESCRIPTOR_VERSION, PC3_UNIT_HAS_POINTS, "walk.c", types, NTYPES, funcs, 3, globals,
    sizeof globals / sizeof *globals, fnrefs, 2, user_main, &funcs[0], 0 };
__attribute__((constructor)) static void register_unit(void) { pc3_register_unit(&unit); }

static struct pc3_site site_node = { T(NODE), "walk.c", 10 };
static struct pc3_site site_char = { T(CHAR), "walk.c", 11 };

extern FILE *pc3_fopen(const char *, const char *);
extern int pc3_fclose(FILE *);

static struct escaping *push_escaping(void) {
    struct escaping *e = (struct escaping *)pc3_me->sp;
    pc3_size n = (sizeof *e + 16) & ~(pc3_size)15;
    if (pc3_me->sp + n > pc3_me->sp_end) return pc3_shadow_grow(n);
    pc3_me->sp += n;
    return e;
}
static void pop_to(void *to) { pc3_me->sp = to; }

/* ---- inner: the location ---- */

static long inner_tail(int depth, long acc, struct node *n) {
    acc += n->key + depth;
    n->value += 0.5 * *n->inside;
    counters.seen++;
    counters.last = n->key;
    counters.flags++;
    counters.delta = (int)(acc % 50) - 25;
    return acc;
}
static long inner(int depth, long acc, struct node *n) {
    if (PC3_UNLIKELY(pc3_flag) && pc3_due(&inner_points[0])) {
        struct live_inner *l = pc3_frame_save(&inner_points[0], 0);
        l->depth = depth; l->acc = acc; l->n = n;
        return 0;
    }
    return inner_tail(depth, acc, n);
}
static long inner_resume(void) {
    const struct pc3_frame *f = pc3_frame_load();
    struct live_inner *l = f->live;
    int depth = l->depth; long acc = l->acc; struct node *n = l->n;
    pc3_resumed();
    return inner_tail(depth, acc, n);
}

/* ---- walk: recursion, then inner through a pointer ---- */

static long (*inner_fn)(int, long, struct node *) = inner;

static long walk_save(int label, struct escaping *e, int depth, long acc, struct node *n, double *vla) {
    struct live_walk *l = pc3_frame_save(&walk_points[label - 1], e);
    l->depth = depth; l->acc = acc; l->n = n; l->vla = vla; l->e = e;
    return 0;
}
static long walk_end(struct escaping *e, int depth, long acc, double *vla) {
    double s = 0;
    for (int i = 0; i < depth + 3; i++) s += vla[i];
    *e->ptotal += (int)s;
    acc = step_fn(acc) % 100003 + e->total + e->name[0];
    pop_to(e);
    return acc;
}
static long walk(int depth, long acc, struct node *n) {
    struct escaping *e = push_escaping();
    e->total = depth;
    e->ptotal = &e->total;
    strcpy(e->name, "abcd");
    double *vla = pc3_shadow_block(pc3_me->sp, (depth + 3) * sizeof(double), T(DOUBLE));
    for (int i = 0; i < depth + 3; i++) vla[i] = i + depth;
    if (depth > 0) {
        acc = walk(depth - 1, acc, n->next ? n->next : head);
        if (PC3_UNLIKELY(pc3_state)) return walk_save(1, e, depth, acc, n, vla);
    }
    acc = inner_fn(depth, acc, n);
    if (PC3_UNLIKELY(pc3_state)) return walk_save(2, e, depth, acc, n, vla);
    return walk_end(e, depth, acc, vla);
}
static long walk_resume(void) {
    const struct pc3_frame *f = pc3_frame_load();
    struct live_walk *l = f->live;
    unsigned k = f->point->label;
    int depth = l->depth; long acc = l->acc; struct node *n = l->n; double *vla = l->vla; struct escaping *e = l->e;
    acc = ((long (*)(void))pc3_resume_next())();
    if (PC3_UNLIKELY(pc3_state)) return walk_save((int)k, e, depth, acc, n, vla);
    if (k == 1) {
        acc = inner_fn(depth, acc, n);
        if (PC3_UNLIKELY(pc3_state)) return walk_save(2, e, depth, acc, n, vla);
    }
    return walk_end(e, depth, acc, vla);
}

/* ---- main ---- */

static int main_save(int argc, char **argv, long i, long steps, struct escaping *e) {
    struct live_main *l = pc3_frame_save(&main_points[0], e);
    l->argc = argc; l->argv = argv; l->i = i; l->steps = steps; l->e = e;
    return 0;
}
static void after_step(long i, long acc, struct escaping *e) {
    struct node *n = pc3_malloc(sizeof *n, &site_node);
    memset(n, 0, sizeof *n);
    n->key = (int)(acc % 1000);
    n->weight = -i * 70001;
    if (getenv("WALK_BIG")) n->weight = (long)(5e9 + (double)i); /* does not fit 32 bits */
    n->tag = (char)('a' + i % 26);
    n->value = 1.0 / (i + 3);
    n->next = head;
    n->inside = i % 3 ? &head->value : &field[i % 4000];
    head = n;
    if (i % 5 == 4) { /* free the third */
        struct node *dead = head->next->next;
        for (struct node *m = head; m; m = m->next) if (m->inside == &dead->value) m->inside = field_end - 1;
        head->next->next = dead->next;
        pc3_free(dead);
    }
    step_fn = step_fn == twice ? thrice : twice;
    label = words[i % 2];
    word = &words[i % 2];
    field[i % 4000] += acc * 0.25;
    field_end[-1] += 1;
    *e->ptotal += (int)i;
    double sum = 0;
    long weights = 0;
    for (struct node *m = head; m; m = m->next) sum += m->value * m->tag, weights += m->weight;
    printf("%ld %ld %.17g %ld %s %s %lu %d %d %d\n", i, acc, sum, weights, label, *word, counters.seen, (int)counters.flags,
        (int)counters.delta, pcounters->last + e->total);
    if (getenv("WALK_SLOWLY")) {
        fflush(stdout);
        usleep(10000);
    }
    if (log_file) fprintf(log_file, "step %ld %ld\n", i, acc);
}
static int main_loop(int argc, char **argv, long i, long steps, struct escaping *e) {
    for (; i < steps; i++) {
        long acc = walk((int)(i % 7), i, head);
        if (PC3_UNLIKELY(pc3_state)) return main_save(argc, argv, i, steps, e);
        after_step(i, acc, e);
    }
    printf("done %s %s\n", argv[argc - 1], (char *)untyped);
    if (log_file) pc3_fclose(log_file);
    pop_to(e);
    return 7;
}
static int user_main(int argc, char **argv, char **env) {
    (void)env;
    struct escaping *e = push_escaping();
    memset(e, 0, sizeof *e);
    e->ptotal = &e->total;
    long steps = atol(argv[1]);
    if (argc > 2) log_file = pc3_fopen(argv[2], "w");
    untyped = pc3_malloc(6, &site_char);
    strcpy(untyped, "hello");
    head = pc3_calloc(1, sizeof *head, &site_node);
    head->tag = 'z';
    head->inside = &field[3999];
    return main_loop(argc, argv, 0, steps, e);
}
static int main_resume(void) {
    const struct pc3_frame *f = pc3_frame_load();
    struct live_main *l = f->live;
    int argc = l->argc; char **argv = l->argv; long i = l->i, steps = l->steps; struct escaping *e = l->e;
    long acc = ((long (*)(void))pc3_resume_next())();
    if (PC3_UNLIKELY(pc3_state)) return main_save(argc, argv, i, steps, e);
    after_step(i, acc, e);
    return main_loop(argc, argv, i + 1, steps, e);
}
