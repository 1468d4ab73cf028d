/* pc3-test: seq */
// run: PC3_EVERY=1x PC3_STOP_AFTER=1 as=COUNTED
// run: PC3_RESTART=latest on=i686 as=COUNTED
// sh: rm -r ckpt
// run: PC3_EVERY=1x PC3_STOP_AFTER=1 as=CHOSEN
// run: PC3_RESTART=latest on=i686 as=CHOSEN

struct node {
    struct node *next;
    long value;
};

static struct node first = {0, 1};

#ifdef COUNTED
static long bytes = 3 * sizeof(struct node) + 1;
#pragma pc3 bytes bytes of struct node
#else
static struct value {
    int kind;
    union {
        long number;
        struct node *link;
        char text[8];
    } as;
} value = {7, {.link = &first}};
#pragma pc3 union value.as by kind: number = 0, link = 1, text = 2
#endif

int main(void) {
    struct node *second = &first;
#ifdef CHOSEN
    value.kind = value.as.link->value == 1 ? 7 : 1;
#else
    bytes += first.value - 1;
#endif
#pragma pc3 checkpoint
    return second->value != 1;
}
