/* pc3-test: seq args=one,two */
/* Constructors run once, before main and in their order: what they make is state like any other, through the
 * program's own allocation wrapper, too.  Destructors run at the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
    struct item *next;
    int value;
};

static void *need(size_t bytes)
{
    void *p = malloc(bytes);
    if (!p)
        exit(1);
    return p;
}

static int checksum, runs, given;
static struct item *kept;
static FILE *log_file;
static char order[20];

static void early(void) __attribute__((constructor(500 + 1), used));
static void early(void)
{
    struct item *a = need(sizeof *a);
    a->value = 17;
    a->next = need(sizeof *a->next);
    a->next->value = 4;
    checksum = a->value * a->next->value;
    free(a->next);
    a->next = 0;
    kept = a;
    runs++;
    strcat(order, "b");
}

__attribute__((__constructor__)) static void later(int argc, char **argv)
{
    given = argc + argv[argc - 1][0];
    log_file = tmpfile();
    fprintf(log_file, "first ");
    strcat(order, "c");
    srand(7);
}

__attribute__((constructor(102))) void first(void)
{
    strcat(order, "a");
    printf("first of all\n");
}

static void registered(void)
{
    printf("registered by a constructor\n");
}

__attribute__((constructor)) static void registers(void)
{
    atexit(registered);
}

__attribute__((destructor(200))) static void last(void)
{
    printf("last of all: %d %d\n", checksum, kept->value);
}

static void both(void) __attribute__((constructor, destructor));
static void both(void)
{
    printf("both, runs %d\n", runs++);
}

int main(void)
{
    struct item *list = 0;
    for (int i = 0; i < 8; i++) {
        struct item *p = need(sizeof *p);
        p->next = list;
        p->value = i * checksum;
        list = p;
#pragma pc3 checkpoint
        checksum += i + rand() % 10;
        fprintf(log_file, "%d ", i);
    }
    for (; list; list = list->next)
        printf("%d\n", list->value);
    char text[100] = "";
    rewind(log_file);
    fgets(text, sizeof text, log_file);
    printf("%d %d %d %d %s %s\n", checksum, runs, given, kept->value, order, text);
    return 0;
}
