/* pc3-test: seq */
/* Output in every size and manner, with lines left unfinished at locations. */
#include "check.h"

static void dots(int count)
{
    for (int i = 0; i < count; i++) {
        putchar('.');
#pragma pc3 checkpoint
    }
}

static void block(int lines)
{
    char line[101];
    for (int i = 0; i < lines; i++) {
        memset(line, 'a' + i % 26, 100);
        line[100] = '\n';
        fwrite(line, 1, sizeof line, stdout);
        mix(line[i % 100]);
#pragma pc3 checkpoint
    }
}

int main(void)
{
    printf("begin ");
#pragma pc3 checkpoint
    printf("%s, %d%c", "same line", 2, '\n');
    dots(10);
    fputs(" half", stdout);
    fflush(stdout);
#pragma pc3 checkpoint
    puts(" done");
    block(100);
    for (int i = 0; i < 5; i++) {
        fprintf(stdout, "%*d|%-*d|%05.1f\n", i + 2, i, i + 2, i * i, i / 2.0);
#pragma pc3 checkpoint
        fputc('#', stdout);
    }
    dots(3);
    printf("\n");
    return finish();
}
