/* A length within a cast may not call what reaches a location. */
#include <pc3.h>
#include <stdlib.h>

static int width(void)
{
    pc3_checkpoint();
    return 5;
}

int main(void)
{
    char *flat = malloc(sizeof(char[3][width()]));
    char (*rows)[5] = (char (*)[width()])flat;
    return rows != 0;
}
