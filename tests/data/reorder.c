/* pc3-test: mpi ranks=16 */
/* Topologies with reordering, of a grid whose nodes are numbered badly: says how many edges lead from one process to another, in the
 * order of the ranks and in the one that was found (standard error); what is computed on them does not depend on that. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SIDE = 4, NODES = SIDE * SIDE };

static int number(int x, int y)
{
    return (x * SIDE + y) * 5 % NODES;
}

/* The neighbours of all nodes, as MPI_Graph_create has them. */
static int edges[4 * NODES], ends[NODES];

static void grid(void)
{
    int list[NODES][4], n[NODES], at = 0;
    for (int x = 0; x < SIDE; x++)
        for (int y = 0; y < SIDE; y++) {
            int me = number(x, y), k = 0;
            if (x > 0)
                list[me][k++] = number(x - 1, y);
            if (x < SIDE - 1)
                list[me][k++] = number(x + 1, y);
            if (y > 0)
                list[me][k++] = number(x, y - 1);
            if (y < SIDE - 1)
                list[me][k++] = number(x, y + 1);
            n[me] = k;
        }
    for (int node = 0; node < NODES; node++) {
        for (int i = 0; i < n[node]; i++)
            edges[at++] = list[node][i];
        ends[node] = at;
    }
}

static int between(MPI_Comm comm, int n, const int *to)
{
    int size, mine = (int)getpid(), count = 0, sum, all[NODES];
    MPI_Comm_size(comm, &size);
    MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, comm);
    for (int i = 0; i < n; i++)
        count += to[i] >= 0 && all[to[i]] != mine;
    MPI_Allreduce(&count, &sum, 1, MPI_INT, MPI_SUM, comm);
    return sum;
}

/* `before`, `n`: the edges of the caller's rank without reordering; `after`, `m`: those of its node. */
static void show(const char *what, MPI_Comm comm, const int *before, int n, const int *after, int m)
{
    int world, rank, value, got[8], sum = 0, all[NODES], later[NODES];
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Comm_rank(comm, &rank);
    int was = between(MPI_COMM_WORLD, n, before), is = between(comm, m, after);
    if (world == 0)
        fprintf(stderr, "%s: %d now %d\n", what, was, is);
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    for (int round = 0; round < 3; round++) {
        value = rank * rank + round;
#pragma pc3 checkpoint
        for (int i = 0; i < 8; i++)
            got[i] = 0;
        MPI_Neighbor_allgather(&value, 1, MPI_INT, got, 1, MPI_INT, comm);
        for (int i = 0; i < m; i++)
            sum += (i + 1) * got[i];
    }
    int node, sums[NODES];
    MPI_Comm_rank(comm, &node);
    MPI_Allgather(&node, 1, MPI_INT, later, 1, MPI_INT, MPI_COMM_WORLD);
    int kept = node == rank;
    for (int i = 0; i < NODES; i++)
        kept &= later[i] == all[i];
    sum = kept ? sum : -1;
    MPI_Gather(&sum, 1, MPI_INT, sums, 1, MPI_INT, 0, comm);
    if (node == 0) {
        printf("%s:", what);
        for (int i = 0; i < NODES; i++)
            printf(" %d", sums[i]);
        printf("%s\n", world == 0 ? "" : " not by rank 0");
        fflush(stdout);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank, mapped, n, before[8], after[8], weights[8], ones[8], wide[2] = {2, 8}, closed[2] = {0, 0};
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    grid();

    int first = rank ? ends[rank - 1] : 0, degree = ends[rank] - first;
    const int *own = edges + first;
    MPI_Graph_create(MPI_COMM_WORLD, NODES, ends, edges, 1, &comm);
    int node;
    MPI_Comm_rank(comm, &node);
    MPI_Graph_map(MPI_COMM_WORLD, NODES, ends, edges, &mapped);
    MPI_Graph_neighbors_count(comm, node, &n);
    MPI_Graph_neighbors(comm, node, n, after);
    show(mapped == node ? "graph" : "graph that was mapped otherwise", comm, own, degree, after, n);
    MPI_Comm_free(&comm);

    for (int i = 0; i < degree; i++)
        weights[i] = 1 + (rank + own[i]) % 3;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, own, weights, degree, own, weights, MPI_INFO_NULL, 1, &comm);
    MPI_Comm_rank(comm, &node);
    int in, out, weighted, from[8], fromweights[8];
    MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    MPI_Dist_graph_neighbors(comm, in, from, fromweights, out, after, ones);
    for (int i = 0; i < out; i++)
        if (!weighted || ones[i] != 1 + (node + after[i]) % 3 || fromweights[i] != ones[i])
            MPI_Abort(MPI_COMM_WORLD, 3);
    show("adjacent", comm, own, degree, after, out);
    MPI_Comm_free(&comm);

    int sources[NODES], degrees[NODES];
    for (int i = 0; i < NODES; i++)
        sources[i] = i, degrees[i] = ends[i] - (i ? ends[i - 1] : 0);
    MPI_Dist_graph_create(MPI_COMM_WORLD, rank == 5 ? NODES : 0, sources, degrees, edges, MPI_UNWEIGHTED, MPI_INFO_NULL, 1,
                          &comm);
    MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    MPI_Dist_graph_neighbors(comm, in, from, MPI_UNWEIGHTED, out, after, MPI_UNWEIGHTED);
    show("named", comm, own, degree, after, out);
    MPI_Comm_free(&comm);

    for (int reorder = 0; reorder < 2; reorder++) {
        MPI_Cart_create(MPI_COMM_WORLD, 2, wide, closed, reorder, &comm);
        for (int d = 0; d < 2; d++)
            MPI_Cart_shift(comm, d, 1, &after[2 * d], &after[2 * d + 1]);
        if (reorder) {
            MPI_Comm_rank(comm, &node);
            MPI_Cart_map(MPI_COMM_WORLD, 2, wide, closed, &mapped);
            show(mapped == node ? "grid" : "grid that was mapped otherwise", comm, before, 4, after, 4);
        }
        for (int i = 0; i < 4; i++)
            before[i] = after[i];
        MPI_Comm_free(&comm);
    }
    MPI_Finalize();
    return 0;
}
