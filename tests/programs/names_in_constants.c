/* pc3-test: seq */
/* Names that change in what is printed nowhere else: `case` labels, lengths, widths, designators. */
#include "check.h"

enum { FIRST = 1, SECOND };
static const char table[9] = "outside", text[7] = "outside";

static int step(int x) {
#pragma pc3 checkpoint
    return x;
}

/* The enumerators of file scope, in another order. */
static int shadowing(int n) {
    enum { SECOND = 5, FIRST };
    int r = 0;
    for (int i = 0; i < n; i++) {
        switch (step(i)) {
        case FIRST: r += i * 100; break;
        case SECOND: r += i; break;
        case 7 ... FIRST + 3: r += 10000; break;
        }
    }
    return r;
}

static int options(int n) {
    enum { LIST, SORT, INDEX };
    int r = 0;
    for (int i = 0; i < n; i++) {
        int option = step(i);
        switch (option) {
        case SORT: r += 1; break;
        case INDEX: r += 10; break;
        }
    }
    return r + LIST;
}

static int again(int n) {
    enum { INDEX, SORT, LIST = SORT + 4 };
    struct { unsigned low : LIST; char room[INDEX + 3]; } s = {0};
    int counts[LIST] = {[SORT] = step(n)};
    for (int i = 0; i < n; i++) {
        enum { SORT = 3 };
        switch (step(i)) {
        case SORT: counts[SORT] += 7; break;
        case LIST: counts[0] += 2; break;
        }
    }
    s.low = (unsigned)step(counts[1]);
    return (int)s.low + counts[3] * 10 + counts[0] * 100 + (int)sizeof s.room;
}

static void fill(char *to) {
    strcpy(to, "ab");
    step(1);
}

/* Variables that have moved: `table` is static, the address of `text` is kept. */
static int sizes(int n) {
    static const int table[] = {1, 2, 3};
    char text[5];
    fill(text);
    int r = 0;
    for (int i = 0; i < n; i++) {
        int copy[sizeof table / sizeof table[0]] = {[sizeof table / sizeof *table - 1] = step(i)};
        char other[sizeof text];
        struct { unsigned b : sizeof table; } bits = {.b = (unsigned)step(4000)};
        memcpy(other, text, sizeof text);
        switch (step(i)) {
        case sizeof table / sizeof *table: r += 10; break;
        case sizeof text: r += 100; break;
        case sizeof other + 2: r += 1000; break;
        }
        r += copy[2] + (int)bits.b + other[1] - 'b';
    }
    return r;
}

int main(void) {
    printf("%d %d\n", shadowing(12), FIRST);
    printf("%d %d\n", options(3), again(6));
    printf("%d %s %s\n", sizes(8), table, text[0] == 'o' ? "outside" : "?");
    return 0;
}
