/* pc3-test: seq */
/* Structures as parameters, results, temporaries and assignments; pointers into them. */
#include "check.h"

struct point {
    int x, y;
};
struct big {
    double weights[6];
    struct point corner[2];
    char tag[5];
};

static struct point move(struct point p, int dx)
{
    p.x += dx;
#pragma pc3 checkpoint
    p.y -= dx;
    return p;
}

static struct big scale(struct big b, double by)
{
    for (int i = 0; i < 6; i++) {
#pragma pc3 checkpoint
        b.weights[i] *= by;
    }
    b.corner[1] = move(b.corner[0], (int)by);
    b.tag[0]++;
    return b;
}

static struct point pass(struct point p)
{
    return move(move(p, 1), 2);
}

static int area(const struct point *a, struct point b)
{
    struct point copy = *a;
#pragma pc3 checkpoint
    return (copy.x - b.x) * (a->y - b.y);
}

static struct big *largest(struct big *list, int count)
{
    struct big *best = list;
    for (struct big *b = list; b < list + count; b++) {
#pragma pc3 checkpoint
        if (b->weights[5] > best->weights[5])
            best = b;
    }
    return best;
}

int main(void)
{
    struct point p = {3, 4}, q = pass(p), line[3];
    struct big b = {{1, 2, 3, 4, 5, 6}, {{1, 2}, {3, 4}}, "tag"};
    show("pass", q.x * 100 + q.y);
    show("member", move(q, 5).x + scale(b, 2).corner[1].y);
    show("area", area(&p, move(q, 10)));
    line[0] = move(p, 1);
    line[1] = line[0];
    line[2] = (struct point){move(line[1], 2).x, area(&line[0], line[1])};
    for (int i = 0; i < 3; i++)
        show("line", line[i].x * 1000 + line[i].y);
    struct big list[3] = {b, scale(b, 3), scale(scale(b, -1), 4)};
    struct big *best = largest(list, 3);
    show_real("best", best->weights[5]);
    show_text("tag", best->tag);
    b = *best;
    b = scale(b, 0.5);
    show_real("half", b.weights[0] + b.weights[5]);
    show("index", best - list);
    return finish();
}
