/* Offsets of members that a checkpoint keeps. */
#include <pc3.h>
#include <stddef.h>

struct config {
    int first;
    char *name;
    long level;
};
static struct option {
    const char *key;
    size_t offset;
    int seen;
} options[] = {
    {"first", offsetof(struct config, first), 0},
    {"name", offsetof(struct config, name), 0},
    {"level", (size_t)&((struct config *)0)->level, 0},
};
static const size_t fixed[] = {offsetof(struct config, level)};
static size_t untouched = offsetof(struct config, level), at;

int main(int argc, char **argv)
{
    size_t used = offsetof(struct config, level);
    at = offsetof(struct config, level);
    used += at;
    options[argc].seen++;
    pc3_checkpoint();
    return (int)(options[argc].offset + fixed[0] + untouched + at) + argv[0][0];
}
