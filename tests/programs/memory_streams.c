/* pc3-test: seq */
/* Streams in memory, in every mode, with the program moved between their calls. */
#define _GNU_SOURCE
#include "check.h"

static char area[40];

static void reading(void)
{
    char text[] = "one two 33 four\nfive", word[20];
    FILE *f = fmemopen(text, strlen(text), "r");
    int n;
    while (fscanf(f, "%19s", word) == 1) {
#pragma pc3 checkpoint
        show_text("word", word);
        show("at", ftell(f));
    }
    show("end", feof(f));
    rewind(f);
    int c = fgetc(f);
    ungetc('#', f);
#pragma pc3 checkpoint
    show("given back", fgetc(f) * 1000 + c);
    fseek(f, -4, SEEK_END);
#pragma pc3 checkpoint
    n = (int)fread(word, 1, 10, f);
    word[n] = 0;
    show_text("tail", word);
    show("wrong", fseek(f, 100, SEEK_SET));
    fclose(f);
}

static void writing(const char *mode)
{
    memset(area, '.', sizeof area - 1);
    strcpy(area, "begun");
    FILE *f = fmemopen(area, sizeof area - 1, mode);
    for (int i = 0; i < 6; i++) {
        int done = fprintf(f, "<%d>", i * i * i);
#pragma pc3 checkpoint
        if (i % 2)
            done = 10 * fflush(f);
        show("done", done);
        show("at", ftell(f));
    }
    fseek(f, 2, SEEK_SET);
    fputs("!!", f);
#pragma pc3 checkpoint
    show("closed", fclose(f));
    for (size_t i = 0; i < sizeof area; i++)
        mix(area[i]);
    show_text(mode, area);
}

static void full(void)
{
    char small[8];
    FILE *f = fmemopen(small, sizeof small, "w");
    setbuf(f, NULL);
    int n = 0;
#pragma pc3 checkpoint
    while (n < 20 && fputc('a' + n, f) != EOF)
        n++;
    show("room", n);
    show("error", !!ferror(f));
#pragma pc3 checkpoint
    fclose(f);
    show_text("small", small);
}

static void own(void)
{
    FILE *f = fmemopen(NULL, 100, "w+");
    char line[30];
    for (int i = 0; i < 5; i++)
        fprintf(f, "line %d\n", i);
#pragma pc3 checkpoint
    rewind(f);
    while (fgets(line, sizeof line, f)) {
#pragma pc3 checkpoint
        show_text("own", line);
    }
    fclose(f);
}

static void growing(void)
{
    char *text = NULL;
    size_t size = 99;
    FILE *f = open_memstream(&text, &size);
    for (int i = 0; i < 400; i++) {
        fprintf(f, "%d,", i * 7919);
        if (i % 80 == 0) {
#pragma pc3 checkpoint
            fflush(f);
            show("size", (long long)size);
            show("sum", text[size - 2] + text[size]);
        }
    }
    fseek(f, 3, SEEK_SET);
    fputs("xyz", f);
#pragma pc3 checkpoint
    fseek(f, 0, SEEK_END);
    fclose(f);
    show("size", (long long)size);
    for (size_t i = 0; i < size; i++)
        mix(text[i]);
#pragma pc3 checkpoint
    show("length", (long long)strlen(text));
    text = realloc(text, 2 * size);
    free(text);
    f = open_memstream(&text, &size);
#pragma pc3 checkpoint
    fclose(f);
    show("empty", size + strlen(text));
    free(text);
}

int main(void)
{
    static const char *const modes[] = {"w", "w+", "a", "a+", "r+"};
    reading();
    for (int i = 0; i < 5; i++)
        writing(modes[i]);
    full();
    own();
    growing();
    return finish();
}
