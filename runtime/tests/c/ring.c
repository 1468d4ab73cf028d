/* An MPI program, instrumented by hand: ranks with globals of their own (one of them pointing to another),
 * point-to-point messages that cross a checkpoint, a reduction per step. */
#define PC3_MAIN_UNIT
#include "pc3_rt.h"
#include "mpi.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cell { long value; struct cell *next; };
static struct cell cells[3] = { { 1, &cells[1] }, { 2, &cells[2] }, { 3, &cells[0] } };
static struct cell *cursor = &cells[0];
static double total;
static int rank_of_mine = -1;

enum { INT, LONG, DOUBLE, CELL, PCELL, CELLS, PLONG, LIVE, NTYPES };
static struct pc3_type types[NTYPES];
#define T(x) (&types[x])
struct live { int step, steps, rank, size; long *box; };
#define M(s, f, t) { #f, T(t), __builtin_offsetof(struct s, f), 0 }
static const struct pc3_member m_cell[] = { M(cell, value, LONG), M(cell, next, PCELL) };
static const struct pc3_member m_live[] = { M(live, step, INT), M(live, steps, INT), M(live, rank, INT), M(live, size, INT),
    M(live, box, PLONG) };
#define SCALAR(k, t, n) { 0, k, 0, __alignof__(t), sizeof(t), 0, 0, 0, n }
#define POINTER(e) { 0, PC3_KIND_POINTER, 0, __alignof__(void *), sizeof(void *), 0, e, 0, "" }
#define STRUCT(s, m) { 0, PC3_KIND_STRUCT, 0, __alignof__(struct s), sizeof(struct s), sizeof m / sizeof *m, 0, m, "struct " #s }
static struct pc3_type types[NTYPES] = {
    [INT] = SCALAR(PC3_KIND_SINT, int, "int"),
    [LONG] = SCALAR(PC3_KIND_SINT, long, "long"),
    [DOUBLE] = SCALAR(PC3_KIND_FLOAT, double, "double"),
    [CELL] = STRUCT(cell, m_cell),
    [PCELL] = POINTER(T(CELL)),
    [CELLS] = { 0, PC3_KIND_ARRAY, 0, __alignof__(struct cell), sizeof cells, 3, T(CELL), 0, "" },
    [PLONG] = POINTER(T(LONG)),
    [LIVE] = STRUCT(live, m_live),
};
static int main_resume(void);
static const struct pc3_point points[];
static struct pc3_func funcs[] = { { "main", (void (*)(void))main_resume, 0, points, 1 } };
static const struct pc3_point points[] = { { &funcs[0], 1, 1, "ring.c", "checkpoint", T(LIVE) } };
#define G(x, t, f) { "ring.c:" #x, &x, T(t), sizeof x, f }
static struct pc3_global globals[] = { G(cells, CELLS, PC3_GLOBAL_INIT), G(cursor, PCELL, PC3_GLOBAL_INIT), G(total, DOUBLE, 0),
    G(rank_of_mine, INT, PC3_GLOBAL_INIT) };
static int user_main(int, char **, char **);
static struct pc3_unit unit = { PC3_DESCRIPTOR_VERSION, PC3_UNIT_HAS_POINTS | PC3_UNIT_HAS_MPI | PC3_UNIT_PRIVATE_GLOBALS, "ring.c", types,
    NTYPES, funcs, 1, globals, 4, 0, 0, user_main, &funcs[0], 0 };
__attribute__((constructor)) static void register_unit(void) { pc3_register_unit(&unit); }
static struct pc3_site site_box = { T(LONG), "ring.c", 1 };

static int loop(struct live l, int resumed) {
    pc3_diff pc3_d = pc3_delta;
    for (; l.step < l.steps; l.step++) {
        int right = (l.rank + 1) % l.size, left = (l.rank + l.size - 1) % l.size;
        if (!resumed) {
            l.box[0] = PC3_G(cursor)->value * (l.rank + 1);
            MPI_Send(l.box, 1, MPI_LONG, right, l.step, MPI_COMM_WORLD);
            pc3_me->passages++;
            if (PC3_UNLIKELY(pc3_flag) && pc3_due(&points[0])) {
                *(struct live *)pc3_frame_save(&points[0], 0) = l;
                return 0;
            }
        }
        resumed = 0;
        MPI_Recv(l.box + 1, 1, MPI_LONG, left, l.step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        PC3_G(cursor)->value = (PC3_G(cursor)->value * 31 + l.box[1]) % 1000003;
        PC3_G(cursor) = PC3_G(cursor)->next;
        double mine = 1.0 / (double)(PC3_G(cursor)->value + 1), sum = 0;
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        PC3_G(total) += sum;
    }
    if (PC3_G(rank_of_mine) != l.rank) MPI_Abort(MPI_COMM_WORLD, 9);
    long checksum = PC3_G(cells)[0].value + 2 * PC3_G(cells)[1].value + 3 * PC3_G(cells)[2].value, all = 0;
    MPI_Reduce(&checksum, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (l.rank == 0) printf("%d ranks: %ld %.17g\n", l.size, all, PC3_G(total));
    MPI_Finalize();
    return 5;
}
static int user_main(int argc, char **argv, char **env) {
    pc3_diff pc3_d = pc3_delta;
    struct live l = { 0 };
    (void)env;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &l.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &l.size);
    PC3_G(rank_of_mine) = l.rank;
    l.steps = atoi(argv[1]);
    l.box = pc3_malloc(2 * sizeof *l.box, &site_box);
    return loop(l, 0);
}
static int main_resume(void) {
    const struct pc3_frame *f = pc3_frame_load();
    struct live l = *(struct live *)f->live;
    pc3_resumed();
    return loop(l, 1);
}
