/* pc3-test: seq */
/* Objects with more alignment than the stack has by itself, where a checkpoint saves them: locals, parameters, results, what waits
   in an expression, arrays of variable length, heap objects, static ones. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "pc3.h"
#ifdef RANKS
#include <mpi.h>
static int rank;
#define printf(...) (rank == 0 ? printf(__VA_ARGS__) : 0)
#endif

typedef double four __attribute__((vector_size(32)));
typedef float sixteen __attribute__((vector_size(64)));
struct line { int n; char text[20]; } __attribute__((aligned(64)));
struct page { int n; } __attribute__((aligned(4096)));
struct holds { char c; four v; };

static struct line lines[3];
static _Alignas(256) int table[5];

static int off(const volatile void *p, unsigned by) { return (int)((uintptr_t)p % by); }

static four grow(four v, struct line l, int n)
{
    four w = v + (double)n;
    if (n > 0) w = grow(w, l, n - 1) + v * 2.0;
    pc3_checkpoint();
    printf("grow %d %d %g %g %s\n", n, off(&l, 64), w[0], w[3], l.text);
    return w;
}

static struct line next(struct line l)
{
    pc3_checkpoint();
    l.n++;
    return l;
}

static int sum(int n)
{
    _Alignas(128) int row[n];
    four many[n];
    struct line local = {n, "local"};
    _Alignas(64) char bytes[10] = "bytes";
    _Alignas(64) int alone = n;
    struct page page = {n};
    struct holds h = {'h', {1, 2, 3, 4}};
    for (int i = 0; i < n; i++) {
        row[i] = i * n;
        many[i] = (four){i, i + 1, i + 2, i + 3};
    }
    pc3_checkpoint();
    int all = 0;
    for (int i = 0; i < n; i++) all += row[i] + (int)many[i][3];
    printf("sum %d %d %d %d %d %d %d %d\n", all, off(row, 128), off(many, _Alignof(four)), off(&local, 64), off(bytes, 64), off(&alone, 64), off(&page, 4096), off(&h, _Alignof(struct holds)));
    return all + local.n + page.n + alone + (int)h.v[2] + bytes[0];
}

int main(int argc, char **argv)
{
#ifdef RANKS
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
    (void)argc, (void)argv;
    four v = {1, 2, 3, 4};
    sixteen s = {1, 2, 3};
    volatile four kept = {5, 6, 7, 8};
    struct line l = {1, "one"};
    four *heap = aligned_alloc(32, 4 * sizeof *heap);
    struct page *pages = NULL;
    char *block = aligned_alloc(1 << 16, 3 << 16);
    if (posix_memalign((void **)&pages, 4096, 2 * sizeof *pages)) return 1;
    for (int i = 0; i < 4; i++) heap[i] = v * (double)i;
    pages[1].n = 11;
    block[7] = 'b';
    lines[2].n = 3;
    table[4] = 4;
    v = grow(v, next(l), 3);
    s += (float)sum(7);
    l = next(next(l));
    pc3_checkpoint();
    printf("main %g %g %g %g %d %d %d\n", v[0], v[3], s[0], s[15], l.n, off(&l, 64), (int)kept[2]);
    printf("heap %g %d %d %d %d %c %d\n", heap[3][3], off(heap, 32), pages[1].n, off(pages, 4096), off(&pages[1], 4096), block[7], off(block, 1 << 16));
    printf("static %d %d %d %d\n", lines[2].n, off(lines, 64), table[4], off(table, 256));
#ifdef RANKS
    MPI_Finalize();
#endif
    return 0;
}
