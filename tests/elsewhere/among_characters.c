/* pc3-test: seq */
struct node {
    struct node *next;
    int value;
};

static _Alignas(16) char memory[64];
static struct node *last;

int main(void) {
    last = (struct node *)memory;
    last->value = 1;
    last[1].next = last;
    last++;
#pragma pc3 checkpoint
    return last->next->value != 1;
}
