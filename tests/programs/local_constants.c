/* pc3-test: seq */
/* What is defined within functions moves in front of them: constants and sizes there that mention locals and statics. */
#include <stdlib.h>
#include "check.h"

struct grid {
    long long **row;
};

static int separators(int n)
{
    static char const sep[] = {':', ' '};
    return (int)({ __typeof__(sep[0] + sizeof sep) x = (unsigned)n; x + sizeof sep; });
}

static void fill(struct grid *g, int s)
{
    enum { ONE = sizeof *g->row[s] };
    enum { ALL = 8 * ONE, SMALL = sizeof(g->row[s][0]) / ONE };
    static char room[sizeof *g->row[s] * 2];
    struct pair { char text[ALL]; __typeof__(s) n; } *p = malloc(sizeof *p);
    p->n = s;
    g->row[s] = malloc(ALL);
    for (int i = 0; i < 8; i++) {
#pragma pc3 checkpoint
        g->row[s][i] = i * p->n + (int)sizeof room / (int)ONE + SMALL;
    }
    free(p);
}

int main(void)
{
    struct grid g = {calloc(4, sizeof *g.row)};
    for (int i = 0; i < 4; i++) {
        fill(&g, i);
#pragma pc3 checkpoint
        show("row", g.row[i][7]);
        show("separators", separators(i));
    }
    return finish();
}
