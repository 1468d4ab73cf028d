/* pc3-test: seq args=-n,4,alpha,beta=7,-v */
/* The command line, used and changed after locations; pointers into it. */
#include "check.h"

struct options {
    int verbose, number;
    char **words;
    const char *value; /* into an argument */
};

static int parse(int argc, char *argv[], struct options *o)
{
    for (int i = 1; i < argc; i++) {
#pragma pc3 checkpoint
        if (strcmp(argv[i], "-v") == 0)
            o->verbose = 1;
        else if (strcmp(argv[i], "-n") == 0 && i + 1 < argc)
            o->number = atoi(argv[++i]);
        else {
            char *equals = strchr(argv[i], '=');
            if (equals)
                o->value = equals + 1;
            *o->words++ = argv[i];
        }
    }
    return argc;
}

int main(int argc, char *argv[])
{
    char *words[16] = {NULL};
    struct options o = {0, 0, words, "none"};
    show("count", parse(argc, argv, &o));
#pragma pc3 checkpoint
    show("verbose", o.verbose * 10 + o.number);
    show("words", o.words - words);
    show_text("value", o.value);
    for (char **w = words; *w; w++) {
#pragma pc3 checkpoint
        show_text("word", *w);
        **w = '*';
    }
    while (*++argv) {
#pragma pc3 checkpoint
        show_text("argument", *argv);
    }
    show("end", *argv == NULL && argc > 0);
    return finish();
}
