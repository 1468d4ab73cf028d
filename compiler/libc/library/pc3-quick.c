/* What is to be called by quick_exit. */

void _Exit(int);

int at_quick_exit(void (*)(void)) __asm__("pc3_at_quick_exit");
void quick_exit(int) __asm__("pc3_quick_exit");

enum { MOST = 1024 };

static void (*list[MOST])(void);
static int count;

int at_quick_exit(void (*function)(void))
{
    if (count == MOST)
        return -1;
    list[count++] = function;
    return 0;
}

void quick_exit(int status)
{
    while (count > 0)
        list[--count]();
    _Exit(status);
}
