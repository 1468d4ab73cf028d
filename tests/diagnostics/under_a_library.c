/* pc3-test: seq */
// run: PC3_EVERY=1x
/* The location is reached below a function of the C library, which pc3cc cannot see. */
#include <argp.h>

static int passed;

static error_t parse(int key, char *arg, struct argp_state *state) {
    (void)key, (void)arg, (void)state;
#pragma pc3 checkpoint
    passed++;
    return 0;
}

int main(int argc, char **argv) {
    static const struct argp all = {.parser = parse};
    argp_parse(&all, argc, argv, 0, 0, 0);
#pragma pc3 checkpoint
    return !passed;
}
