/* What the C library keeps for a program, moved along: heap strings, lines read from standard input
 * and from a file, files appended to and updated, errno, untyped memory that holds pointers, callbacks
 * and critical sections.  Instrumented by hand: main has one location in its loop. */
#define PC3_MAIN_UNIT
#include "pc3_rt.h"
#define __PC3__
#include "pc3.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct files { FILE *in, *append, *update; };

enum { INT, CHAR, PCHAR, PPCHAR, FILE_, FILES, PFILES, SIZE, PVOID, LIVE, PINT, LONG, NTYPES };
static struct pc3_type types[NTYPES];
#define T(x) (&types[x])
struct live { int i, events; char *line, **list, *joined; pc3_size room; struct files *f; void **untyped; };
#define M(s, f, t) { #f, T(t), __builtin_offsetof(struct s, f), 0 }
static const struct pc3_member m_files[] = { M(files, in, FILE_), M(files, append, FILE_), M(files, update, FILE_) };
static const struct pc3_member m_live[] = { M(live, i, INT), M(live, events, INT), M(live, line, PCHAR), M(live, list, PPCHAR),
    M(live, joined, PCHAR), M(live, room, SIZE), M(live, f, PFILES), M(live, untyped, PVOID) };
#define SCALAR(k, t, n) { 0, k, 0, __alignof__(t), sizeof(t), 0, 0, 0, n }
#define POINTER(e) { 0, PC3_KIND_POINTER, 0, __alignof__(void *), sizeof(void *), 0, e, 0, "" }
#define STRUCT(s, m) { 0, PC3_KIND_STRUCT, 0, __alignof__(struct s), sizeof(struct s), sizeof m / sizeof *m, 0, m, "struct " #s }
static struct pc3_type types[NTYPES] = {
    [INT] = SCALAR(PC3_KIND_SINT, int, "int"),
    [LONG] = SCALAR(PC3_KIND_SINT, long, "long"),
    [CHAR] = SCALAR(PC3_KIND_CHAR, char, "char"),
    [PCHAR] = POINTER(T(CHAR)),
    [PPCHAR] = POINTER(T(PCHAR)),
    [FILE_] = { 0, PC3_KIND_FILE, 0, __alignof__(void *), sizeof(void *), 0, 0, 0, "FILE *" },
    [FILES] = STRUCT(files, m_files),
    [PFILES] = POINTER(T(FILES)),
    [SIZE] = SCALAR(PC3_KIND_UINT, pc3_size, "size_t"),
    [PVOID] = POINTER(0),
    [PINT] = POINTER(T(INT)),
    [LIVE] = STRUCT(live, m_live),
};

static int events, in_critical;
static int main_resume(void);
static const struct pc3_point points[];
static struct pc3_func funcs[] = { { "main", (void (*)(void))main_resume, 0, points, 1 } };
static const struct pc3_point points[] = { { &funcs[0], 1, 1, "library.c", "checkpoint", T(LIVE) } };
static struct pc3_global globals[] = { { "library.c:events", &events, T(INT), sizeof events, 0 },
    { "library.c:in_critical", &in_critical, T(INT), sizeof in_critical, 0 } };
static void note(int event, void *context);
static const struct pc3_fnref fnrefs[] = { { "library.c:note", (void (*)(void))note } };
static int user_main(int, char **, char **);
static struct pc3_unit unit = { PC3_DESCRIPTOR_VERSION, PC3_UNIT_HAS_POINTS, "library.c", types, NTYPES, funcs, 1, globals, 2, fnrefs, 1,
    user_main, &funcs[0], 0 };
__attribute__((constructor)) static void register_unit(void) { pc3_register_unit(&unit); }
static struct pc3_site site_strings = { T(PCHAR), "library.c", 1 }, site_files = { T(FILES), "library.c", 2 };
static struct pc3_site site_unknown = { 0, "library.c", 3 }, site_char = { T(CHAR), "library.c", 4 };

extern __typeof__(fopen) pc3_fopen;
extern __typeof__(fclose) pc3_fclose;
extern long pc3_getline(char **, pc3_size *, FILE *);

static void note(int event, void *context) { *(int *)context += event == PC3_BEFORE ? 1 : 1000; }

static int loop(struct live l, int resumed) {
    for (; l.i < 24; l.i++) {
        if (!resumed) {
            /* Never here: a critical section. */
            pc3_critical_begin();
            in_critical = 1;
            if (PC3_UNLIKELY(pc3_flag) && pc3_due(&points[0])) abort();
            in_critical = 0;
            pc3_critical_end();
            errno = 40 + l.i % 7;
            if (PC3_UNLIKELY(pc3_flag) && pc3_due(&points[0])) {
                *(struct live *)pc3_frame_save(&points[0], 0) = l;
                return 0;
            }
        }
        resumed = 0;
        int error = errno;
        long n = pc3_getline(&l.line, &l.room, l.i % 2 ? stdin : l.f->in);
        if (n > 0) l.line[n - 1] = 0;
        l.list = pc3_realloc(l.list, (l.i + 1) * sizeof *l.list, &site_strings);
        l.list[l.i] = n > 0 ? pc3_strdup(l.line) : pc3_strndup("end", 2);
        pc3_size old = l.joined ? strlen(l.joined) : 0;
        l.joined = pc3_realloc(l.joined, old + strlen(l.list[l.i]) + 1, &site_char);
        strcpy(l.joined + old, l.list[l.i]);
        if (l.untyped) l.untyped[l.i % 4] = l.list[l.i];
        fprintf(l.f->append, "%d %s\n", l.i, l.list[l.i / 2]);
        fseek(l.f->update, 3 * l.i, SEEK_SET);
        fprintf(l.f->update, "%03d", l.i);
        rewind(l.f->update);
        printf("%d %ld %s %d %s %d\n", l.i, n, l.list[l.i], error, l.untyped && l.untyped[0] ? (char *)l.untyped[0] : "-", feof(l.f->in) != 0);
    }
    printf("%s\n", l.joined);
    if (events < 0) return 1;
    pc3_fclose(l.f->in);
    pc3_fclose(l.f->append);
    pc3_fclose(l.f->update);
    return 3;
}
static int user_main(int argc, char **argv, char **env) {
    struct live l = { 0 };
    (void)env;
    l.f = pc3_malloc(sizeof *l.f, &site_files);
    l.f->in = pc3_fopen(argv[1], "r");
    l.f->append = pc3_fopen("append", "a");
    l.f->update = pc3_fopen("update", "w+");
    if (argc > 2) l.untyped = pc3_calloc(4, sizeof *l.untyped, &site_unknown);
    pc3_on(PC3_BEFORE | PC3_CONTINUE | PC3_RESTART, note, &events);
    return loop(l, 0);
}
static int main_resume(void) {
    const struct pc3_frame *f = pc3_frame_load();
    struct live l = *(struct live *)f->live;
    pc3_resumed();
    if (events % 1000 * 1000 != events / 1000 * 1000) events = -1 << 30; /* as many after as before */
    return loop(l, 1);
}
