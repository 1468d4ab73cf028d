/* pc3-test: seq */
/* A malloc of the program's own, from which the C library's results come as well. */
#define _GNU_SOURCE
#include "check.h"

enum { CHUNK = 8192 };
static _Alignas(16) char pool[64 * CHUNK];
static int given, taken;

/* Before main, and within the library, it is called as well. */
void *malloc(size_t n)
{
    return n > CHUNK - 1 ? 0 : pool + CHUNK * (given++ % 64);
}
void free(void *p)
{
    if ((char *)p >= pool && (char *)p < pool + sizeof pool)
        taken++;
}
void *calloc(size_t a, size_t b)
{
    void *p = malloc(a * b);
    return p ? memset(p, 0, a * b) : p;
}
void *realloc(void *p, size_t n)
{
    return p && n < CHUNK ? p : malloc(n);
}

static int inside(const char *p)
{
    return p >= pool && p < pool + sizeof pool;
}

int main(void)
{
    char *all[6], *line = 0;
    size_t room = 0;
    FILE *f = tmpfile();
    int before = given;
    for (int i = 0; i < 6; i++) {
        char text[20], *more;
        snprintf(text, sizeof text, "item %d", i);
        all[i] = i & 1 ? strndup(text, 5) : strdup(text);
        fprintf(f, "%s\n", text);
#pragma pc3 checkpoint
        if (asprintf(&more, "<%s>", all[i]) < 0)
            return 1;
        show_text(more, all[i / 2]);
        show("inside", inside(all[i]) + inside(more));
        free(more);
    }
    rewind(f);
    for (int n = 0; getline(&line, &room, f) > 0; n++) {
#pragma pc3 checkpoint
        show(line, inside(line) + (int)strlen(line));
    }
    free(line);
    for (int i = 0; i < 6; i++)
        free(all[i]);
    show("given and taken", (given - before >= 13) * 100 + (taken >= 13));
    return finish();
}
