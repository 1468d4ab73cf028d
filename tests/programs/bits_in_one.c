/* pc3-test: seq */
/* Bit-fields of structs that stand in arrays of one element. */
#include "check.h"

struct part {
    unsigned kind : 12;
    int level : 5;
    int value;
};

struct whole {
    int *other;
    struct part only[1][1];
    char name[3];
    struct part more[2];
};

static struct whole all[3];

int main(void)
{
    for (int i = 0; i < 3; i++) {
        all[i].other = &all[2 - i].only[0][0].value;
        all[i].only[0][0] = (struct part){1000 + i, -i, i};
        all[i].more[1] = (struct part){7 * i, i, -i};
#pragma pc3 checkpoint
        for (int j = 0; j <= i; j++) {
            show("kind", all[j].only[0][0].kind);
            show("level", all[j].only[0][0].level);
            show("more", all[j].more[1].kind);
            show("other", *all[j].other);
        }
    }
    return finish();
}
