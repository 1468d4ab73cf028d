/* pc3-test: seq */
// run: PC3_EVERY=1x PC3_STOP_AFTER=1
// run: PC3_RESTART=latest as=BITS
// run: PC3_RESTART=latest as=LENGTH
// run: PC3_RESTART=latest as=KIND
// run: PC3_RESTART=latest as=SIGN
// run: PC3_RESTART=latest as=ENUM
// run: PC3_RESTART=latest
#include <stdlib.h>

enum color {
    red,
#ifndef ENUM
    green,
#endif
    blue,
};

struct item {
#ifdef BITS
    unsigned flags : 3;
#else
    unsigned flags;
#endif
#ifdef LENGTH
    int list[3];
#else
    int list[4];
#endif
#ifdef KIND
    double *value;
#else
    double value;
#endif
#ifdef SIGN
    unsigned number;
#else
    int number;
#endif
    enum color color;
};

static struct item items[2];

int main(void) {
    items[1].flags = 7;
    items[1].number = -1;
    items[1].color = blue;
#pragma pc3 checkpoint
    return items[1].flags != 7 || items[1].list[2] != 0;
}
