/* An MPI program instrumented by hand the way pc3cc does it.  At its location every rank has a posted receive, a
 * synchronous send that nobody has received, messages of longs in its queue that no receive has asked for, persistent
 * requests and a communicator of its own making.
 *
 * inflight STEPS: prints a checksum. */
#define PC3_MAIN_UNIT
#include "pc3_rt.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define LEN 40
struct state {
    long early[LEN], late[LEN], in[LEN], sync, sync_in;
    double p_out, p_in;
    MPI_Request reqs[2], persistent[2];
    MPI_Comm comm;
    unsigned long sum;
};
static struct state state;
#define S (*(struct state *)((char *)&state + pc3_delta))

struct live_main { int argc; char **argv; int i, steps; };

enum { INT, LONG, ULONG, CHAR, DOUBLE, PCHAR, PPCHAR, LONGS, HANDLE, HANDLES, STATE, LIVE, NTYPES };
static struct pc3_type types[NTYPES];
#define T(x) (&types[x])
#define M(s, f, t) { #f, T(t), __builtin_offsetof(struct s, f), 0 }
static const struct pc3_member m_state[] = { M(state, early, LONGS), M(state, late, LONGS), M(state, in, LONGS),
    M(state, sync, LONG), M(state, sync_in, LONG), M(state, p_out, DOUBLE), M(state, p_in, DOUBLE), M(state, reqs, HANDLES),
    M(state, persistent, HANDLES), M(state, comm, HANDLE), M(state, sum, ULONG) };
static const struct pc3_member m_live[] = { M(live_main, argc, INT), M(live_main, argv, PPCHAR), M(live_main, i, INT),
    M(live_main, steps, INT) };
#define SCALAR(k, t, n) { 0, k, 0, __alignof__(t), sizeof(t), 0, 0, 0, n }
#define POINTER(e) { 0, PC3_KIND_POINTER, 0, __alignof__(void *), sizeof(void *), 0, e, 0, "" }
#define ARRAY(t, n, e) { 0, PC3_KIND_ARRAY, 0, __alignof__(t), sizeof(t) * (n), n, e, 0, "" }
#define STRUCT(s, m) { 0, PC3_KIND_STRUCT, 0, __alignof__(struct s), sizeof(struct s), sizeof m / sizeof *m, 0, m, "struct " #s }
static struct pc3_type types[NTYPES] = {
    [INT] = SCALAR(PC3_KIND_SINT, int, "int"),
    [LONG] = SCALAR(PC3_KIND_SINT, long, "long"),
    [ULONG] = SCALAR(PC3_KIND_UINT, unsigned long, "unsigned long"),
    [CHAR] = SCALAR(PC3_KIND_CHAR, char, "char"),
    [DOUBLE] = SCALAR(PC3_KIND_FLOAT, double, "double"),
    [PCHAR] = POINTER(T(CHAR)),
    [PPCHAR] = POINTER(T(PCHAR)),
    [LONGS] = ARRAY(long, LEN, T(LONG)),
    [HANDLE] = SCALAR(PC3_KIND_HANDLE, void *, "MPI_Request"),
    [HANDLES] = ARRAY(void *, 2, T(HANDLE)),
    [STATE] = STRUCT(state, m_state),
    [LIVE] = STRUCT(live_main, m_live),
};

static int main_resume(void);
static const struct pc3_point main_points[];
static struct pc3_func funcs[] = { { "main", (void (*)(void))main_resume, 0, main_points, 1 } };
static const struct pc3_point main_points[] = { { &funcs[0], 1, 1, "inflight.c", "checkpoint", T(LIVE) } };
static struct pc3_global globals[] = { { "inflight.c:state", &state, T(STATE), sizeof state, 0 } };
static int user_main(int, char **, char **);
static struct pc3_unit unit = { PC3_DESCRIPTOR_VERSION, PC3_UNIT_PRIVATE_GLOBALS | PC3_UNIT_HAS_MPI | PC3_UNIT_HAS_POINTS,
    "inflight.c", types, NTYPES, funcs, 1, globals, 1, 0, 0, user_main, &funcs[0], 0 };
__attribute__((constructor)) static void register_unit(void) { pc3_register_unit(&unit); }

static void add(unsigned long v) { S.sum = (S.sum * 31 + v) & 0x7fffffff; }

/* Before the location: starts what is in flight there. */
static void begin(int i) {
    int r, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    int left = (r + n - 1) % n, right = (r + 1) % n;
    if (i == 0) {
        MPI_Comm_dup(MPI_COMM_WORLD, &S.comm);
        MPI_Send_init(&S.p_out, 1, MPI_DOUBLE, right, 7, S.comm, &S.persistent[0]);
        MPI_Recv_init(&S.p_in, 1, MPI_DOUBLE, left, 7, S.comm, &S.persistent[1]);
    }
    for (int k = 0; k < LEN; k++) S.early[k] = r * 1000 + i * 10 - k, S.late[k] = -S.early[k];
    MPI_Send(S.early, LEN, MPI_LONG, right, 1, S.comm);
    S.sync = i - r;
    MPI_Issend(&S.sync, 1, MPI_LONG, right, 2, S.comm, &S.reqs[0]);
    MPI_Send(S.late, 3, MPI_LONG, right, 1, S.comm);
    MPI_Irecv(S.in, LEN, MPI_LONG, left, 3, S.comm, &S.reqs[1]);
}

/* After it: completes everything. */
static void finish(int i) {
    int r, n, count;
    MPI_Status st;
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    int left = (r + n - 1) % n, right = (r + 1) % n;
    MPI_Send(S.late, LEN, MPI_LONG, right, 3, S.comm);
    long got[LEN];
    MPI_Recv(&S.sync_in, 1, MPI_LONG, left, 2, S.comm, MPI_STATUS_IGNORE);
    add(S.sync_in + 1000);
    for (int k = 0; k < 2; k++) {
        MPI_Recv(got, LEN, MPI_LONG, MPI_ANY_SOURCE, 1, S.comm, &st);
        MPI_Get_count(&st, MPI_LONG, &count);
        for (int j = 0; j < count; j++) add(got[j] + 100000);
        add(count + st.MPI_SOURCE);
    }
    MPI_Waitall(2, S.reqs, MPI_STATUSES_IGNORE);
    for (int j = 0; j < LEN; j++) add(S.in[j] + 100000);
    S.p_out = i * 0.5 + r;
    MPI_Startall(2, S.persistent);
    MPI_Waitall(2, S.persistent, MPI_STATUSES_IGNORE);
    add((unsigned long)(S.p_in * 2));
}

static int end(void) {
    unsigned long total;
    int r;
    MPI_Comm_rank(S.comm, &r);
    MPI_Reduce(&S.sum, &total, 1, MPI_UNSIGNED_LONG, MPI_BXOR, 0, S.comm);
    if (r == 0) printf("%lu\n", total);
    MPI_Finalize();
    return 0;
}

static __attribute__((noinline)) int save(int argc, char **argv, int i, int steps) {
    struct live_main *l = pc3_frame_save(&main_points[0], 0);
    l->argc = argc, l->argv = argv, l->i = i, l->steps = steps;
    return 0;
}

static int user_main(int argc, char **argv, char **env) {
    MPI_Init(&argc, &argv);
    int steps = atoi(argv[1]);
    for (int i = 0; i < steps; i++) {
        begin(i);
        pc3_me->passages++;
        if (PC3_UNLIKELY(pc3_flag) && pc3_due(&main_points[0])) return save(argc, argv, i, steps);
        finish(i);
    }
    return end();
}

static int main_resume(void) {
    const struct pc3_frame *f = pc3_frame_load();
    struct live_main *l = f->live;
    int argc = l->argc, i = l->i, steps = l->steps;
    char **argv = l->argv;
    pc3_resumed();
    finish(i++);
    for (; i < steps; i++) {
        begin(i);
        pc3_me->passages++;
        if (PC3_UNLIKELY(pc3_flag) && pc3_due(&main_points[0])) return save(argc, argv, i, steps);
        finish(i);
    }
    return end();
}
