/* pc3-test: mpi ranks=6 */
/* Collectives among neighbours: a grid, a graph by edges that others name, with weights. */
#include "mpi_check.h"

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int dims[2] = {3, 2}, periods[2] = {0, 1}, in, out, weighted;
    MPI_Comm grid, graph;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    /* Rank 0 names the edges of a ring and chords, the others nothing. */
    int sources[6], degrees[6], targets[12], weights[12];
    for (int i = 0; i < ranks; i++) {
        sources[i] = i;
        degrees[i] = 2;
        targets[2 * i] = (i + 1) % ranks;
        targets[2 * i + 1] = (i * 2) % ranks;
        weights[2 * i] = 1 + i;
        weights[2 * i + 1] = 10 + i;
    }
    MPI_Dist_graph_create(MPI_COMM_WORLD, rank == 0 ? ranks : 0, sources, degrees, targets, weights, MPI_INFO_NULL, 0,
                          &graph);
#pragma pc3 checkpoint
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    int from[8], fromw[8], to[8], tow[8];
    MPI_Dist_graph_neighbors(graph, 8, from, fromw, 8, to, tow);
    show_all("degrees", in * 100 + out * 10 + weighted);
    int code = 0;
    for (int i = 0; i < in; i++)
        code = code * 31 + from[i] * 17 + fromw[i];
    for (int i = 0; i < out; i++)
        code = code * 31 + to[i] * 17 + tow[i];
    show_all("edges", code);
    for (int step = 0; step < 3; step++) {
        double halo[4] = {0}, edge[4];
        for (int i = 0; i < 4; i++)
            edge[i] = rank * 10 + i + step;
        MPI_Request request;
        int seen[8] = {0}, word = rank * rank + step;
        if (rank % 2)
            MPI_Ineighbor_alltoall(edge, 1, MPI_DOUBLE, halo, 1, MPI_DOUBLE, grid, &request);
#pragma pc3 checkpoint
        if (rank % 2 == 0)
            MPI_Ineighbor_alltoall(edge, 1, MPI_DOUBLE, halo, 1, MPI_DOUBLE, grid, &request);
        MPI_Neighbor_allgather(&word, 1, MPI_INT, seen, 1, MPI_INT, graph);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        code = 0;
        for (int i = 0; i < in; i++)
            code = code * 31 + seen[i];
        show_all("seen", code);
        show_all("halo", (int)(halo[0] * 1000 + halo[1] * 100 + halo[2] * 10 + halo[3]));
    }
    MPI_Comm_free(&grid);
    MPI_Comm_free(&graph);
    return mpi_finish();
}
