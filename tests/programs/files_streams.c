/* pc3-test: seq */
/* Streams in every mode: read and written in the middle of things, pushed back, buffered by the program,
 * removed while open. */
#define _GNU_SOURCE
#include "check.h"
#include <unistd.h>

static FILE *log_file, *again;
static char buffer[300];

static void say(const char *text, long value)
{
    fprintf(log_file, "%s=%ld;", text, value);
#pragma pc3 checkpoint
    show(text, value);
}

static void write_input(void)
{
    FILE *f = fopen("input", "w");
    for (int i = 0; i < 200; i++) {
        fprintf(f, "%d word%d %g\n", i, i * 7, i / 4.0);
        if (i % 60 == 59) {
#pragma pc3 checkpoint
        }
    }
    fclose(f);
}

static void scan(void)
{
    FILE *f = fopen("input", "r");
    setvbuf(f, buffer, _IOFBF, sizeof buffer);
    char word[20], *line = NULL;
    size_t room = 0;
    int n;
    double x;
    for (int i = 0; i < 6; i++) {
        if (fscanf(f, "%d %19s %lf", &n, word, &x) != 3)
            abort();
        show_text("word", word);
        say("number", n + (long)(4 * x));
    }
    fgetc(f);
    ungetc('Z', f);
    ungetc('Y', f);
    say("position", ftell(f));
    say("line", (long)getline(&line, &room, f));
    show_text("pushed", line);
    ungetc('\n', f);
#pragma pc3 checkpoint
    say("newline", fgetc(f));
    fseek(f, -30, SEEK_END);
    while (fgets(word, sizeof word, f))
        say("rest", (long)strlen(word));
    say("end", feof(f) != 0);
    say("still", fgetc(f));
    free(line);
    fclose(f);
}

/* `m` asks glibc to read through a mapping. */
static void mapped(void)
{
    FILE *f = fopen("input", "rm");
    char line[60];
    while (fgets(line, sizeof line, f)) {
#pragma pc3 checkpoint
        say("mapped", ftell(f));
    }
    fclose(f);
}

static void update(void)
{
    FILE *f = fopen("table", "w+");
    for (int i = 0; i < 10; i++)
        fprintf(f, "%04d\n", i);
    for (int i = 0; i < 10; i += 3) {
        fseek(f, i * 5, SEEK_SET);
        fprintf(f, "%c", 'a' + i);
        fseek(f, 0, SEEK_CUR);
        say("behind", fgetc(f));
    }
    rewind(f);
    long sum = 0;
    int c;
    while ((c = fgetc(f)) != EOF)
        sum = (sum * 31 + c) % 1000003;
    say("table", sum);
    f = freopen("table", "r+", f);
    fseek(f, 2, SEEK_SET);
    fputc('#', f);
    say("reopened", ftell(f));
    fclose(f);
    f = fopen("table", "a+");
    say("start", fgetc(f));
    fputs("tail", f);
    say("appended", ftell(f));
    fseek(f, 1, SEEK_SET);
    say("second", fgetc(f));
    fclose(f);
}

/* Appended to by opening and closing: what follows a checkpoint must not be there twice. */
static void append(int n)
{
    FILE *f = fopen("journal", "a");
    fprintf(f, "entry %d\n", n);
    fclose(f);
    f = fopen("journal", "r");
    fseek(f, 0, SEEK_END);
    say("journal", ftell(f));
    fclose(f);
}

static void removed(void)
{
    FILE *t = tmpfile(), *f = fopen("gone", "w+");
    fputs("nobody else sees this", f);
    unlink("gone");
    fputs("nor that", t);
#pragma pc3 checkpoint
    fprintf(t, ", at %ld", ftell(f));
    rewind(t);
    rewind(f);
    char text[60];
    say("temporary", (long)fread(text, 1, 8, t));
    text[8] = 0;
    show_text("text", text);
    fputs("somebody", f);
#pragma pc3 checkpoint
    say("there", access("gone", F_OK) == 0);
    rewind(f);
    show_text("removed", fgets(text, sizeof text, f));
    show_text("rest", fgets(text, sizeof text, t));
    fclose(t);
    fclose(f);
}

static void copy(const char *name)
{
    FILE *f = fopen(name, "r");
    char line[100];
    while (fgets(line, sizeof line, f)) {
        printf("%s: %s", name, line);
        for (char *p = line; *p; p++)
            mix(*p);
    }
    putchar('\n');
    fclose(f);
}

int main(void)
{
    log_file = fopen("log", "w");
    setvbuf(log_file, NULL, _IOLBF, 0);
    again = fdopen(dup(fileno(log_file)), "a");
    write_input();
    scan();
    mapped();
    append(1);
    update();
    append(2);
    fprintf(again, "<again>");
#pragma pc3 checkpoint
    fflush(again);
    removed();
    append(3);
    say("descriptor", fileno(again));
    fclose(again);
    fclose(log_file);
    log_file = stdout;
    copy("log");
    copy("journal");
    copy("table");
    return finish();
}
