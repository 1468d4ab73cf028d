/* pc3-test: seq */
/* Records in a file as they are in memory: x86-64 and s390x, other numbers would be read. */
#include <stdio.h>

struct record {
    int id;
    double value;
};

int main(void) {
    FILE *f = tmpfile();
    struct record r;
    for (int i = 0; i < 3; i++) {
        r.id = i;
        r.value = i * 1.5;
        fwrite(&r, sizeof r, 1, f);
    }
#pragma pc3 checkpoint
    rewind(f);
    while (fread(&r, sizeof r, 1, f) == 1)
        printf("%d %g\n", r.id, r.value);
    return 0;
}
