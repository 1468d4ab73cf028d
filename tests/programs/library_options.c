/* pc3-test: seq args=-a,file,-bfoo,--long=5,-xyz,--flag,rest,--lo,9,--,-notopt */
/* A command line of which options and operands are mixed, looked at in the middle and twice. */
#define _GNU_SOURCE
#include "check.h"
#include <getopt.h>

static void words(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        show_text("word", argv[i]);
}

int main(int argc, char **argv)
{
    static int flag;
    static const struct option known[] = {{"long", required_argument, NULL, 'l'}, {"flag", no_argument, &flag, 9}, {NULL, 0, NULL, 0}};
    int c, which = -1;
    while ((c = getopt_long(argc, argv, "ab:xyz", known, &which)) != -1) {
#pragma pc3 checkpoint
        show("option", c * 1000 + optind * 10 + which);
        if (optarg)
            show_text("argument", optarg);
        which = -1;
    }
    show("flag", flag + 100 * optind);
    words(argc, argv);
#pragma pc3 checkpoint
    opterr = 0;
    optind = 1;
    optopt = 5;
    while ((c = getopt(argc, argv, "ab:xyz")) != -1) {
#pragma pc3 checkpoint
        show("again", c * 10000 + optopt * 10 + optind);
    }
    optind = 0;
    char *rest[] = {"program", "-x", "one", "-q", "-y", "two", "three", "-a", NULL};
    while ((c = getopt(8, rest, "-axy")) != -1) {
#pragma pc3 checkpoint
        show("in order", c * 10 + optind + 1000 * optopt);
        if (optarg)
            show_text("operand", optarg);
    }
    char options[] = "size=3,quiet,name=x", *at = options, *value;
    char *const tokens[] = {"size", "quiet", "name", NULL};
    while (*at) {
        c = getsubopt(&at, tokens, &value);
#pragma pc3 checkpoint
        show("part", c);
        if (value)
            show_text("value", value);
    }
    return finish();
}
