// Sizes and offsets in arrays: multiples of one size are converted; what no location sees, and what pointers do not tell apart, is not told of.
#include <pc3.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct part { char kind; double x; long n; };
struct table { int n; size_t at[3], two[2][2]; };
static size_t stride[2] = {0, sizeof(struct part)}, never[2] = {sizeof(struct part), sizeof(struct table)};
size_t sums[2];
static struct table table = {2, {0, sizeof(struct part) + 8}, {{0}}};
static void fill(size_t *to, int n) {
    for (int i = 0; i < n; i++) to[i] = i * sizeof(struct part);
}
static void copy(long *to, const long *from, int n) {
    for (int i = 0; i < n; i++) to[i] = from[i];
}
int main(int argc, char **argv) {
    size_t whole[3] = {0, sizeof(struct part), 2 * sizeof(struct part)}, other[2] = {0, offsetof(struct part, n)};
    size_t before[2] = {offsetof(struct part, x), sizeof(struct part) + offsetof(struct part, n)}, filled[4];
    size_t *block = malloc(4 * sizeof *block), *given = malloc(2 * sizeof *given), *used = malloc(2 * sizeof *used);
    long counts[2] = {argc, 2}, lengths[2], ids[2];
    fill(filled, 4);
    block[1] = 3 * sizeof(struct part);
    given[1] = sizeof(struct part) + sizeof(struct table);
    used[1] = sizeof(struct part) + sizeof(struct table);
    lengths[0] = sizeof(struct part);
    lengths[1] = sizeof(struct table);
    copy(counts, lengths, 2);
    copy(ids, counts, 2);
    sums[1] = sizeof(struct part) + 1;
    table.two[1][0] = 2 * sizeof(struct part);
    printf("%zu\n", before[0] + before[1] + used[1]);
    used[0] = 1;
    pc3_checkpoint();
    printf("%zu %zu %zu\n", whole[1] + other[1] + filled[1], block[1] + given[1] + stride[1] + never[0], table.at[1] + table.two[1][0] + sums[1]);
    stride[0] = 0;
    before[0] = offsetof(struct part, x);
    before[1] = argc;
    printf("%zu %zu\n", before[0], before[1]);
    free(used);
    return (int)ids[0];
}
