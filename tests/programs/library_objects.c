/* pc3-test: seq */
/* What the library makes for a program: compiled patterns, lists of files, trees, tables, conversions. */
#define _GNU_SOURCE
#include "check.h"
#include <glob.h>
#include <iconv.h>
#include <regex.h>
#include <search.h>
#include <wordexp.h>

static void patterns(void)
{
    regex_t word, number;
    regmatch_t at[2];
    if (regcomp(&word, "([a-z]+)=", REG_EXTENDED) || regcomp(&number, "=[0-9]*$", REG_NOSUB))
        abort();
    const char *text[] = {"apple=12", "12", "fig=x", "x=7"};
    for (int i = 0; i < 4; i++) {
        int found = !regexec(&word, text[i], 2, at, 0);
#pragma pc3 checkpoint
        show("word", found ? (long)at[1].rm_eo : -1);
        show("number", !regexec(&number, text[i], 0, NULL, 0) + 10 * (long)word.re_nsub);
    }
    char why[100];
    int error = regcomp(&word, "(", REG_EXTENDED);
    show("error", error != 0);
#pragma pc3 checkpoint
    show("why", regerror(error, &word, why, sizeof why) > 5);
    regfree(&number);
}

static void lists(void)
{
    const char *names[] = {"b1.txt", "a1.txt", "c.txt", "a2.txt"};
    for (int i = 0; i < 4; i++)
        fclose(fopen(names[i], "w"));
    glob_t found;
    found.gl_offs = 1;
    show("glob", glob("a*.txt", GLOB_DOOFFS, NULL, &found));
#pragma pc3 checkpoint
    show("none", glob("z*", GLOB_DOOFFS | GLOB_APPEND, NULL, &found) == GLOB_NOMATCH);
    show("more", glob("[bc]*.txt", GLOB_DOOFFS | GLOB_APPEND, NULL, &found));
    found.gl_pathv[0] = "first";
#pragma pc3 checkpoint
    for (char **p = found.gl_pathv; *p; p++)
        show_text("path", *p);
    globfree(&found);
    wordexp_t words;
    setenv("FRUIT", "kiwi plum", 1);
    show("wordexp", wordexp("one $FRUIT 'x y'", &words, 0));
#pragma pc3 checkpoint
    for (size_t i = 0; i < words.we_wordc; i++)
        show_text("word", words.we_wordv[i]);
    wordfree(&words);
}

static int asked;

static int order(const void *a, const void *b)
{
    asked++;
    return strcmp(a, b);
}

static void visit(const void *node, VISIT which, int depth)
{
    if (which == postorder || which == leaf)
        show_text("node", *(char *const *)node);
    mix(which * 100 + depth);
}

static void mixed(const void *node, VISIT which, int depth)
{
    mix(which * 100 + depth + **(char *const *)node * 1000);
}

static void trees(void)
{
    const char *fruit[] = {"pear", "apple", "fig", "kiwi", "plum", "cherry", "lime", "date", "melon"};
    void *root = NULL, *none = NULL;
    for (int i = 0; i < 9; i++) {
        tsearch(fruit[i], &root, order);
#pragma pc3 checkpoint
        show("there", tfind("fig", &root, order) != NULL);
    }
    tsearch("fig", &root, order);
    twalk(root, visit);
    show("gone", tdelete("kiwi", &root, order) != NULL);
    show("none", tdelete("kiwi", &root, order) == none);
#pragma pc3 checkpoint
    twalk(root, visit);
    for (int i = 0; i < 200; i++) {
        const char *one = fruit[i * i % 9], *other = fruit[i * 7 % 5 + i % 3];
        tsearch(one, &root, order);
        tdelete(other, &root, order);
        twalk(root, mixed);
    }
    show("asked", asked);
#pragma pc3 checkpoint
    twalk(root, visit);
    while (root)
        tdelete(*(char **)root, &root, order);
}

static void tables(void)
{
    static char *names[] = {"one", "two", "three"};
    static int values[] = {1, 2, 3};
    show("created", hcreate(3));
    for (int i = 0; i < 3; i++) {
        ENTRY item = {names[i], values + i};
        hsearch(item, ENTER);
#pragma pc3 checkpoint
    }
    ENTRY item = {"three", NULL}, *found = hsearch(item, FIND);
#pragma pc3 checkpoint
    show("three", *(int *)found->data);
    item.key = "four";
    show("full", hsearch(item, ENTER) == NULL);
    hdestroy();
}

static void conversions(void)
{
    iconv_t c = iconv_open("UTF-8", "UCS-2LE");
    char in[] = "c\0\xe9\0\xac\x20x\0y\0", out[40], *from = in, *to = out;
    size_t left = 6, room = sizeof out - 1;
    iconv(c, &from, &left, &to, &room);
#pragma pc3 checkpoint
    left = 4;
    iconv(c, &from, &left, &to, &room);
    *to = 0;
    for (char *p = out; *p; p++)
        show("byte", (unsigned char)*p);
    show("room", (long)room);
    show("closed", iconv_close(c));
    int point, sign;
    char *digits = fcvt(-31.4159, 3, &point, &sign);
#pragma pc3 checkpoint
    show_text("digits", digits);
    show("point", point + 100 * sign);
}

int main(void)
{
    patterns();
    lists();
    trees();
    tables();
    conversions();
    return finish();
}
