/* pc3-test: mpi ranks=2 */
/* Datatypes by differences of what MPI_Get_address said of objects that are gone when a checkpoint is taken. Two structs have
 * members of the same types at the same places, and no others tell which of them is meant. */
#include "mpi_check.h"

#include <string.h>

struct person {
    char name[11];
    long age;
    double height;
    int n;
};

/* As `person` where a `long` has 64 bits. */
struct other {
    char c[11];
    long long age;
    double height;
    int n;
};

struct pair {
    struct other first;
    struct person second;
};

static const int lengths[4] = {11, 1, 1, 1};
static MPI_Datatype members[4];

static MPI_Datatype made(MPI_Aint *at)
{
    MPI_Datatype type;
    MPI_Type_create_struct(4, (int *)lengths, at, members, &type);
    MPI_Type_commit(&type);
    return type;
}

static MPI_Datatype by_base(void)
{
    struct person one;
    MPI_Aint base, at[4];
    MPI_Get_address(&one, &base);
    MPI_Get_address(one.name, &at[0]);
    MPI_Get_address(&one.age, &at[1]);
    MPI_Get_address(&one.height, &at[2]);
    MPI_Get_address(&one.n, &at[3]);
    for (int i = 0; i < 4; i++)
        at[i] = MPI_Aint_diff(at[i], base);
    return made(at);
}

static MPI_Datatype by_first(void)
{
    struct person *all = malloc(3 * sizeof *all);
    MPI_Aint at[4];
    MPI_Get_address(&all[1].name, &at[0]);
    MPI_Get_address(&all[1].age, &at[1]);
    MPI_Get_address(&all[1].height, &at[2]);
    MPI_Get_address(&all[1].n, &at[3]);
    for (int i = 3; i >= 0; i--)
        at[i] -= at[0];
    free(all);
    return made(at);
}

static MPI_Datatype by_one_at_a_time(void)
{
    struct person one;
    MPI_Aint at[4] = {0}, start, here;
    MPI_Get_address(&one.name, &start);
    MPI_Get_address(&one.age, &here);
    at[1] = here - start;
    MPI_Get_address(&one.height, &here);
    at[2] = here - start;
    MPI_Get_address(&one.n, &here);
    at[3] = here - start;
    return made(at);
}

static MPI_Datatype by_last(void)
{
    struct pair one;
    MPI_Aint at[3], last;
    int ones[3] = {1, 1, 1};
    MPI_Datatype types[3] = {MPI_LONG, MPI_DOUBLE, MPI_INT}, type;
    MPI_Get_address(&one.second.n, &last);
    MPI_Get_address(&one.second.age, &at[0]);
    MPI_Get_address(&one.second.height, &at[1]);
    MPI_Get_address(&one.second.n, &at[2]);
    for (int i = 0; i < 3; i++)
        at[i] -= last;
    MPI_Type_create_struct(3, ones, at, types, &type);
    MPI_Type_commit(&type);
    return type;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    members[0] = MPI_CHAR;
    members[1] = MPI_LONG;
    members[2] = MPI_DOUBLE;
    members[3] = MPI_INT;
    MPI_Datatype types[4] = {by_base(), by_first(), by_one_at_a_time(), by_last()};
    struct other unused = {"abc", 5, .25, 3};
    for (int step = 0; step < 3; step++) {
        for (int i = 0; i < 4; i++) {
            struct pair both;
            memset(&both, 0, sizeof both);
            strcpy(both.second.name, rank ? "Grace" : "Ada");
            both.second.age = 40 + step + rank * 7;
            both.second.height = 1.5 + i + rank;
            both.second.n = 10 * step + i - rank;
#pragma pc3 checkpoint
            void *start = i == 3 ? (void *)&both.second.n : (void *)&both.second;
            MPI_Sendrecv_replace(start, 1, types[i], !rank, 1, !rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            show_all("name", both.second.name[0]);
            show_all("age", (int)both.second.age);
            show_all("height", (int)(both.second.height * 4));
            show_all("n", both.second.n + (int)unused.age);
        }
    }
    for (int i = 0; i < 4; i++)
        MPI_Type_free(&types[i]);
    return mpi_finish();
}
