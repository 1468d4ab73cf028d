/* pc3-test: seq */
/* A program with its own `error`, as gnulib has it: a static link must not want the C library's beside it. */
#include <error.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void (*error_print_progname)(void);
unsigned error_message_count;
int error_one_per_line;
static int printed;

static void name(void)
{
    printf("own %d: ", ++printed);
}

void error(int status, int number, const char *format, ...)
{
    va_list list;
    if (error_print_progname)
        error_print_progname();
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    printf(" (%d)\n", number);
    error_message_count++;
    if (status)
        exit(status);
}

int main(void)
{
    for (int i = 0; i < 6; i++) {
        if (i == 2)
            error_print_progname = name;
        if (i == 4)
            error_one_per_line = 7;
#pragma pc3 checkpoint
        error(0, i, "message %u, %d", error_message_count, error_one_per_line);
    }
    return 0;
}
