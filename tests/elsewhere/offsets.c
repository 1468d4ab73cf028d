/* pc3-test: seq */
/* A table of options with offsets in it: x86-64 and i686, another member would be read. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static struct config {
    char *name;
    long level;
    int verbose;
} config = {"x", 3, 1};
static struct option {
    const char *key;
    size_t offset;
    int seen;
} options[] = {{"level", offsetof(struct config, level), 0}, {"verbose", offsetof(struct config, verbose), 0}};

int main(void) {
    for (int i = 0; i < 2; i++) {
        options[i].seen++;
#pragma pc3 checkpoint
        char *at = (char *)&config + options[i].offset;
        printf("%s %ld\n", options[i].key, i ? *(int *)at : *(long *)at);
    }
    return 0;
}
