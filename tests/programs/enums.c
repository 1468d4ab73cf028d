/* pc3-test: seq */
/* Enumerations: negative and large constants, as indices, in structures, local types. */
#include "check.h"

enum level { LOW = -5, MIDDLE, HIGH = 1000000 };
enum { SIZE = 4, MASK = SIZE - 1 };
typedef enum { IDLE, BUSY, DONE } status;

struct task {
    enum level level;
    status status;
    enum { PLAIN, URGENT = 'u' } mark;
};

static status advance(status s)
{
#pragma pc3 checkpoint
    return s == DONE ? IDLE : s + 1;
}

static enum level lower(enum level l)
{
    switch (l) {
    case HIGH:
#pragma pc3 checkpoint
        return MIDDLE;
    case MIDDLE:
        return LOW;
    case LOW:
        break;
    }
#pragma pc3 checkpoint
    return HIGH;
}

int main(void)
{
    enum step { FIRST = 1, SECOND = FIRST << 4, THIRD = SECOND | 3 } step = FIRST;
    struct task tasks[SIZE] = {{HIGH, IDLE, PLAIN}, {LOW, BUSY, URGENT}, {MIDDLE, DONE, PLAIN}, {LOW, DONE, URGENT}};
    int histogram[DONE + 1] = {0};
    for (int i = 0; i < 10; i++) {
        struct task *t = &tasks[i & MASK];
        t->status = advance(t->status);
        t->level = lower(t->level);
        histogram[t->status]++;
        step = step == FIRST ? SECOND : step == SECOND ? THIRD : FIRST;
#pragma pc3 checkpoint
        show("task", t->level * 10LL + (int)t->status);
        show("mark", (int)t->mark);
        show("step", (int)step);
    }
    for (status s = IDLE; s <= DONE; s++)
        show("histogram", histogram[s]);
    return finish();
}
