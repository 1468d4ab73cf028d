/* pc3-test: seq */
/* Pointers to and into string literals, arrays of them, literals that are tails of others. */
#include "check.h"

#define JOINED "first " "second" " \x41\101\t\"quoted\""

struct entry {
    const char *key, *text;
};
static const char *greeting = "hello, world", *tail = "world";
static struct entry table[] = {{"one", "1"}, {"two", "2"}, {"joined", JOINED}, {NULL, NULL}};
static char writable[] = "writable";

static const char *look_up(const char *key)
{
    for (const struct entry *e = table; e->key; e++) {
#pragma pc3 checkpoint
        if (strcmp(e->key, key) == 0)
            return e->text;
    }
    return "missing";
}

static const char *skip(const char *text, char until)
{
    while (*text && *text != until) {
#pragma pc3 checkpoint
        text++;
    }
    return text;
}

static const char *sign(int x)
{
#pragma pc3 checkpoint
    return x < 0 ? "negative" : x > 0 ? "positive" : "zero";
}

int main(void)
{
    const char *comma = skip(greeting, ','), *same = greeting + 7, *empty = "", *words[3] = {"a", "", "with\0nul"};
    char local[] = "local", *in_local = local + 2;
#pragma pc3 checkpoint
    show_text("comma", comma);
    show_text("same", same);
    show("equal", strcmp(same, tail) == 0);
    show_text("joined", look_up("joined"));
    show_text("missing", look_up("three"));
    show("empty", (long long)strlen(empty));
    for (int i = -1; i < 2; i++) {
        const char *s = sign(i), *e = skip(s, 0);
#pragma pc3 checkpoint
        show_text(s, words[i + 1]);
        show("length", e - s);
    }
    show("after nul", words[2][5]);
    *in_local = 'X';
    writable[0] = 'W';
#pragma pc3 checkpoint
    show_text("local", local);
    show_text("writable", writable);
    greeting = tail;
    tail = look_up("two");
#pragma pc3 checkpoint
    show_text("greeting", greeting);
    show_text("tail", tail);
    show_text("function", __func__);
    /* One that has been chosen waits for another argument. */
    char line[40];
    sprintf(line, "%s %s %d", writable[0] == 'W' ? "chosen" : "other", tail, (int)strlen(sign(5)));
    show_text("line", line);
    return finish();
}
