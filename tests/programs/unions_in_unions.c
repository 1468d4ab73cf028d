/* pc3-test: seq */
/* Unions that begin where the unions begin in which they lie: each has its own note of what was written last, also when
 * others are written behind it, and where objects are copied, moved and given back. */
#include "check.h"
#include <stdlib.h>
#include <string.h>

union word {
    double number;
    char *text;
    long count;
};
struct node {
    union {
        struct {
            union word left, right;
            int n;
        } pair;
        struct {
            long length;
            char *bytes;
            double weight[4];
        } blob;
        double values[12];
        char letters[90];
    } as;
    int pad;
};

static char name[] = "a name";

static void fill(struct node *v, int kind, long i) {
    switch (kind % 6) {
    case 0:
        v->as.pair.left.number = i + 0.5;
        v->as.pair.right.text = name + i % 5;
        v->as.pair.n = (int)i;
        break;
    case 1:
        v->as.pair.right.count = i;
        v->as.pair.left.text = name + i % 6;
        v->as.pair.n = -(int)i;
        break;
    case 2:
        v->as.blob.bytes = name + i % 3;
        v->as.blob.length = i * 3;
        for (int k = 0; k < 4; k++) v->as.blob.weight[k] = i + k / 8.0;
        break;
    case 3:
        for (int k = 0; k < 12; k++) v->as.values[k] = i - k / 4.0;
        break;
    case 4:
        for (int k = 0; k < 90; k++) v->as.letters[k] = (char)('a' + (i + k) % 26);
        break;
    default:
        v->as.pair.left.count = i;
        v->as.pair.left.number = -i;
        v->as.pair.right.text = name;
        v->as.pair.right.count = i + 1;
        v->as.pair.n = 7;
    }
}

static double look(const struct node *v, int kind) {
    double s = 0;
    switch (kind % 6) {
    case 0: return v->as.pair.left.number + v->as.pair.right.text[0] + v->as.pair.n;
    case 1: return v->as.pair.right.count + v->as.pair.left.text[0] + v->as.pair.n;
    case 2:
        for (int k = 0; k < 4; k++) s += v->as.blob.weight[k];
        return s + v->as.blob.length + v->as.blob.bytes[0];
    case 3:
        for (int k = 0; k < 12; k++) s += v->as.values[k];
        return s;
    case 4:
        for (int k = 0; k < 90; k++) s += v->as.letters[k] * k;
        return s;
    default: return v->as.pair.left.number + v->as.pair.right.count + v->as.pair.n;
    }
}

int main(void) {
    enum { N = 30 };
    struct node *all = malloc(N * sizeof *all), *one[N], spare;
    for (int i = 0; i < N; i++) {
        fill(&all[i], i, i);
        one[i] = malloc(sizeof *one[i]);
        *one[i] = all[i];
    }
    for (int round = 0; round < 8; round++) {
#pragma pc3 checkpoint
        double s = 0;
        for (int i = 0; i < N; i++) s += look(&all[i], i + round) * (i + 1) + look(one[i], i + round);
        printf("%d %.17g\n", round, s);
        /* Each becomes what the next one was. */
        spare = all[0];
        memmove(all, all + 1, (N - 1) * sizeof *all);
        memcpy(&all[N - 1], &spare, sizeof spare);
        fill(&all[N - 1], N - 1 + round + 1, round);
        struct node *more = realloc(all, (N + 40 * (round + 1)) * sizeof *all);
        all = more;
        for (int i = 0; i < N; i++) {
            free(one[i]);
            one[i] = malloc(sizeof *one[i]);
            memcpy(one[i], &all[i], sizeof *one[i]);
        }
    }
    return 0;
}
