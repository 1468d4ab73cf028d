/* pc3-test: mpi ranks=16 args=S */
/* NAS kernel IS: ranks integer keys ten times.  Keys go to the rank that owns their bucket
 * (contiguous key ranges, balanced by the global histogram), where they are counted. */
#include "../npb/npb.h"

enum { ITERATIONS = 10, BUCKETS_LOG2 = 11, BUCKETS = 1 << BUCKETS_LOG2, PROBES = 5 };

/* The five keys at `index` have these ranks, moved up or down with the iteration. */
static const struct {
    int keys_log2, max_log2;
    int index[PROBES], rank[PROBES];
    int rising; /* how many of the probes move up */
    int delay;  /* iteration at which nothing has moved yet */
    int falling_delay;
} classes[] = {
    {16, 11, {48427, 17148, 23627, 62548, 4431}, {0, 18, 346, 64917, 65463}, 3, 0, 0},
    {20, 16, {357773, 934767, 875723, 898999, 404505}, {1249, 11698, 1039987, 1043896, 1048018}, 2, 2, 0},
    {23, 19, {2112377, 662041, 5336171, 3642833, 4250760}, {104, 17523, 123928, 8288932, 8388264}, 3, 1, 1},
};

static int class, ranks, rank;
static int own_keys;      /* keys a rank generates */
static int max_key;
static int *keys;         /* generated */
static int *sorted;       /* by bucket, to send */
static int *received;
static int received_room;
static int received_keys;
static int first_key, last_key; /* the range [first, last) of keys this rank ranks */
static int *key_rank;     /* for each key of the range: keys of the range smaller than it */
static int key_rank_room;
static int lesser_keys;   /* keys on lower ranks */

static void *allocate(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size);
    if (!block) {
        fprintf(stderr, "out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return block;
}

/* Makes room for count numbers; what was there before is lost. */
static void reserve(int **block, int *room, int count)
{
    if (count <= *room)
        return;
    free(*block);
    *room = count + count / 4;
    *block = allocate(*room, sizeof **block);
}

static void generate_keys(void)
{
    uint64_t x = npb_skip(NPB_SEED, (uint64_t)rank * own_keys * 4);
    double scale = max_key / 4;
    for (int i = 0; i < own_keys; i++) {
        double sum = npb_random(&x, NPB_MULT);
        sum += npb_random(&x, NPB_MULT);
        sum += npb_random(&x, NPB_MULT);
        sum += npb_random(&x, NPB_MULT);
        keys[i] = (int)(scale * sum);
    }
}

/* Which rank owns each bucket: as soon as a rank has its share of all keys the next begins. */
static void assign_buckets(const int *histogram, int *owner)
{
    int64_t seen = 0;
    int to = 0;
    for (int b = 0; b < BUCKETS; b++) {
        owner[b] = to;
        seen += histogram[b];
        while (to < ranks - 1 && seen >= (int64_t)(to + 1) * own_keys)
            to++;
    }
}

static void exchange_keys(const int *local, const int *owner)
{
    static int send_count[1024], send_at[1024], receive_count[1024], receive_at[1024];
    for (int r = 0; r < ranks; r++)
        send_count[r] = 0;
    for (int b = 0; b < BUCKETS; b++)
        send_count[owner[b]] += local[b];
    MPI_Alltoall(send_count, 1, MPI_INT, receive_count, 1, MPI_INT, MPI_COMM_WORLD);
    int sent = 0;
    received_keys = 0;
    for (int r = 0; r < ranks; r++) {
        send_at[r] = sent;
        sent += send_count[r];
        receive_at[r] = received_keys;
        received_keys += receive_count[r];
    }
    reserve(&received, &received_room, received_keys);
    MPI_Alltoallv(sorted, send_count, send_at, MPI_INT, received, receive_count, receive_at, MPI_INT, MPI_COMM_WORLD);
}

static void rank_keys(void)
{
    static int local[BUCKETS], global[BUCKETS], owner[BUCKETS], fill[BUCKETS];
    int shift = classes[class].max_log2 - BUCKETS_LOG2;
    memset(local, 0, sizeof local);
    for (int i = 0; i < own_keys; i++)
        local[keys[i] >> shift]++;
    int next = 0;
    for (int b = 0; b < BUCKETS; b++) {
        fill[b] = next;
        next += local[b];
    }
    for (int i = 0; i < own_keys; i++)
        sorted[fill[keys[i] >> shift]++] = keys[i];

    MPI_Allreduce(local, global, BUCKETS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    assign_buckets(global, owner);
    exchange_keys(local, owner);

    int first = BUCKETS, last = BUCKETS;
    lesser_keys = 0;
    for (int b = BUCKETS; b-- > 0;) {
        if (owner[b] >= rank)
            first = b;
        if (owner[b] > rank)
            last = b;
        if (owner[b] < rank)
            lesser_keys += global[b];
    }
    first_key = first << shift;
    last_key = last << shift;

    int range = last_key - first_key;
    reserve(&key_rank, &key_rank_room, range + 1);
    int *count = key_rank;
    memset(count, 0, (range + 1) * sizeof *count);
    for (int i = 0; i < received_keys; i++)
        count[received[i] - first_key + 1]++;
    for (int k = 0; k < range; k++)
        count[k + 1] += count[k];
}

/* Looks up the probes; returns how many have their official rank (on every rank the same). */
static int check_probes(int iteration)
{
    int mine[PROBES] = {0}, value[PROBES], where[PROBES], found[PROBES], right = 0;
    for (int p = 0; p < PROBES; p++)
        if (classes[class].index[p] / own_keys == rank)
            mine[p] = keys[classes[class].index[p] % own_keys];
    MPI_Allreduce(mine, value, PROBES, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int p = 0; p < PROBES; p++) {
        where[p] = -1;
        if (value[p] >= first_key && value[p] < last_key)
            where[p] = key_rank[value[p] - first_key] + lesser_keys;
    }
    MPI_Allreduce(where, found, PROBES, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    for (int p = 0; p < PROBES; p++) {
        int expected = classes[class].rank[p];
        if (p < classes[class].rising)
            expected += iteration - classes[class].delay;
        else
            expected -= iteration - classes[class].falling_delay;
        right += found[p] == expected;
    }
    if (rank == 0)
        printf("iteration %2d: ranks %d %d %d %d %d\n", iteration, found[0], found[1], found[2], found[3], found[4]);
    return right;
}

/* Puts every key at its rank and checks the order within and between ranks. */
static int check_order(void)
{
    int *out = allocate(received_keys, sizeof *out);
    for (int i = 0; i < received_keys; i++)
        out[key_rank[received[i] - first_key]++] = received[i];
    int wrong = 0;
    for (int i = 1; i < received_keys; i++)
        wrong += out[i - 1] > out[i];
    int largest = received_keys ? out[received_keys - 1] : -1, below = -1;
    MPI_Exscan(&largest, &below, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank > 0 && received_keys && below > out[0])
        wrong++;
    int64_t local[2] = {wrong, received_keys}, total[2];
    MPI_Allreduce(local, total, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    free(out);
    return total[0] == 0 && total[1] == (int64_t)own_keys * ranks;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    class = npb_class(argc, argv);
    ranks = npb_ranks(1024);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    own_keys = (1 << classes[class].keys_log2) / ranks;
    max_key = 1 << classes[class].max_log2;
    keys = allocate(own_keys, sizeof *keys);
    sorted = allocate(own_keys, sizeof *sorted);
    generate_keys();

    int right = 0;
    npb_timed(1);
    for (int iteration = 1; iteration <= ITERATIONS; iteration++) {
#pragma pc3 checkpoint
        for (int r = 0; r < 2; r++) {
            int global = r ? iteration + ITERATIONS : iteration;
            if (global / own_keys == rank)
                keys[global % own_keys] = r ? max_key - iteration : iteration;
        }
        rank_keys();
        right += check_probes(iteration);
    }
    npb_timed(0);
    int ordered = check_order();
    if (rank == 0)
        printf("%d of %d probes right, keys %s\n", right, ITERATIONS * PROBES, ordered ? "in order" : "out of order");
    int status = npb_verdict("IS", class, right == ITERATIONS * PROBES && ordered);
    free(keys);
    free(sorted);
    free(received);
    free(key_rank);
    MPI_Finalize();
    return status;
}
