/* pc3-test: seq */
/* Anonymous structures and unions without pointers; unions of equal representation. */
#include "check.h"

struct shape {
    int kind;
    union {
        struct {
            int width, height;
        };
        struct {
            int radius, segments;
        };
        int numbers[2];
    };
    struct {
        double x, y;
    } at;
    struct {
        unsigned char red, green, blue;
    };
};

union word {
    unsigned value;
    int number;
};

static int tick(int x)
{
#pragma pc3 checkpoint
    return x + 1;
}

static int area(struct shape s)
{
    s.width = tick(s.width);
#pragma pc3 checkpoint
    return s.kind ? s.radius * s.radius * 3 : s.width * s.height;
}

int main(void)
{
    struct shape box = {.kind = 0, .width = 4, .height = 5, .at = {0.5, -2}, .red = 200, .blue = 3};
    struct shape ball = {1, {{7, 12}}, {1, 2}, {1, 2, 3}}, *shapes[] = {&box, &ball};
    union word w = {.number = -2};
    for (int i = 0; i < 2; i++) {
        struct shape *s = shapes[i];
#pragma pc3 checkpoint
        s->at.x += tick(i);
        s->green = (unsigned char)(s->red + s->blue);
        show("area", area(*s));
        show("numbers", s->numbers[0] * 100 + s->numbers[1]);
        show_real("x", s->at.x * s->at.y);
        show("green", s->green);
        w.value >>= 1;
        tick(0);
        show("word", w.number);
    }
    struct shape *copy = malloc(sizeof *copy);
    if (!copy)
        return 1;
    *copy = ball;
    int *inner = &copy->numbers[1];
    tick(0);
    ++*inner;
    show("segments", copy->segments);
    free(copy);
    return finish();
}
