/* pc3-test: seq */
/* What streams have read ahead, beside descriptors that are read and moved: by the program itself, through a second
 * stream, through a file that another writes meanwhile; characters given back that are none of the file's. */
#include "check.h"
#include <fcntl.h>
#include <unistd.h>

static char own[37], line[80];

static long below(FILE *f)
{
    return (long)lseek(fileno(f), 0, SEEK_CUR);
}

static void say(const char *what, FILE *f)
{
#pragma pc3 checkpoint
    show_text(what, fgets(line, sizeof line, f) ? strtok(line, "\n") : "end");
#pragma pc3 checkpoint
    show("below", below(f));
    show("reached", ftell(f));
}

static void through_descriptors(FILE *f)
{
    char text[11] = "";
    for (int i = 0; i < 4; i++) {
        fseek(f, 70L * i, SEEK_SET);
#pragma pc3 checkpoint
        show("below", below(f));
        show("read", read(fileno(f), text, 10));
        show_text("text", strtok(text, "\n"));
#pragma pc3 checkpoint
        show("reached", ftell(f));
        lseek(fileno(f), 5, SEEK_CUR);
        if (i == 2)
            show("written", write(fileno(f), "X", 1));
#pragma pc3 checkpoint
        fseek(f, 0, SEEK_CUR);
        show("below", below(f));
    }
}

static void given_back(FILE *f)
{
    rewind(f);
    int c = getc(f);
    ungetc('Q', f);
#pragma pc3 checkpoint
    show("reached", ftell(f));
    show("back", getc(f));
    c = getc(f);
    ungetc(c + 1, f);
#pragma pc3 checkpoint
    fseek(f, 0, SEEK_CUR);
    show("again", getc(f));
    show("reached", ftell(f));
}

int main(void)
{
    FILE *w = fopen("input", "w+"), *f, *second, *small, *bare;
    for (int i = 0; i < 900; i++)
        fprintf(w, "line %04d\n", i);
    rewind(w);
    f = fopen("input", "r");
    second = fdopen(dup(fileno(f)), "r");
    small = fopen("input", "r+");
    setvbuf(small, own, _IOFBF, sizeof own);
    bare = fopen("input", "r");
    setvbuf(bare, NULL, _IONBF, 0);
    for (int i = 0; i < 4; i++) {
        say("first", f);
        say("second", second);
        say("small", small);
        say("bare", bare);
        ungetc('a' + i, bare);
        if (i == 1) {
            int other = open("input", O_WRONLY);
            show("changed", pwrite(other, "changed", 7, 40) + pwrite(other, "changed", 7, 5000));
            close(other);
        }
    }
    through_descriptors(w);
    given_back(w);
    while (fgets(line, sizeof line, second))
        if (line[8] == '7')
            show_text("rest", strtok(line, "\n"));
    say("first", f);
    say("small", small);
    fclose(w);
    return finish();
}
