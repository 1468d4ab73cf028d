/* Bit-fields of structs that stand in arrays of one element. */
#include <stdio.h>

struct part {
  unsigned kind : 12;
  int level : 5;
  int value;
};
struct whole {
  int *self;
  struct part only[1][1];
  char name[3];
  struct part more[2];
};

static struct whole all[3];

int main(void) {
  for (int i = 0; i < 3; i++) {
    all[i].self = &all[2 - i].only[0][0].value;
    all[i].only[0][0] = (struct part){1000 + i, -i, i};
    all[i].more[1] = (struct part){7 * i, i, -i};
#pragma pc3 checkpoint
    for (int j = 0; j <= i; j++) {
      struct whole *w = &all[j];
      printf("%d %d %d %d %d\n", w->only[0][0].kind, w->only[0][0].level, w->more[1].kind, w->more[1].level, *w->self);
    }
  }
  return 0;
}
