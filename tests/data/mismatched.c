/* pc3-test: mpi ranks=12 */
/* Calls that do not belong together are errors at every rank, and what comes behind them is as ever. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, ranks;

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

/* What rank `odd` does is not what the others do. */
static int call(int what, int odd)
{
    int differs = me == odd;
    double a[400] = {1}, b[8000];
    switch (what) {
    case 0: return differs ? MPI_Barrier(MPI_COMM_WORLD) : MPI_Bcast(a, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    case 1: return MPI_Allreduce(a, b, 1, MPI_DOUBLE, differs ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
    case 2: return MPI_Allreduce(a, b, differs ? 2 : 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    case 3: return MPI_Reduce(a, b, 1, MPI_DOUBLE, MPI_SUM, differs, MPI_COMM_WORLD);
    case 4: return MPI_Bcast(a, 1, MPI_DOUBLE, differs ? 1 : 0, MPI_COMM_WORLD);
    case 5: return differs ? MPI_Barrier(MPI_COMM_WORLD) : MPI_Alltoall(a, 1, MPI_DOUBLE, b, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    case 6: return differs ? MPI_Allgather(a, 1, MPI_DOUBLE, b, 1, MPI_DOUBLE, MPI_COMM_WORLD) : MPI_Barrier(MPI_COMM_WORLD);
    case 7: return differs ? MPI_Alltoall(a, 1, MPI_DOUBLE, b, 1, MPI_DOUBLE, MPI_COMM_WORLD) : MPI_Gather(a, 1, MPI_DOUBLE, b, 1, MPI_DOUBLE, 3, MPI_COMM_WORLD);
    case 8: return MPI_Gather(a, 1, MPI_DOUBLE, b, 1, MPI_DOUBLE, differs ? 2 : 3, MPI_COMM_WORLD);
    case 9: return MPI_Allreduce(a, b, 1, differs ? MPI_LONG_LONG : MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    case 10: {
        int counts[12];
        for (int i = 0; i < ranks; i++) counts[i] = 1;
        if (differs) counts[0] = 2, counts[1] = 0;
        return MPI_Reduce_scatter(a, b, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    case 11: return MPI_Allreduce(a, b, differs ? 400 : 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    case 12: {
        MPI_Request r;
        if (differs) MPI_Ibarrier(MPI_COMM_WORLD, &r);
        else MPI_Iallreduce(a, b, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r);
        return MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    case 13: {
        MPI_Request r;
        MPI_Iallreduce(a, b, differs ? 400 : 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r);
        return MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    case 14: {
        /* As well as the others': another type, of the same signature. */
        MPI_Datatype t;
        MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &t);
        MPI_Type_commit(&t);
        for (int i = 0; i < 4; i++) a[i] = me == 1 ? i + 1 : 0;
        int code = differs ? MPI_Bcast(a, 1, t, 1, MPI_COMM_WORLD) : MPI_Bcast(a, 2, MPI_DOUBLE, 1, MPI_COMM_WORLD);
        MPI_Type_free(&t);
        if (code == MPI_SUCCESS && a[differs ? 2 : 1] != (odd == 1 ? 3 : 2)) abort();
        return code;
    }
    }
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int what = 0; what < 15; what++)
        for (int odd = 0; odd < ranks; odd++) {
            int class = class_of(call(what, odd)), all[12], sum;
            int code = MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            if (code != MPI_SUCCESS || sum != ranks * (ranks - 1) / 2) abort();
            MPI_Gather(&class, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
            if (me == 0) {
                printf("%d by %d:", what, odd);
                for (int i = 0; i < ranks; i++) printf(" %d", all[i]);
                printf("\n");
            }
        }
    MPI_Finalize();
    return 0;
}
