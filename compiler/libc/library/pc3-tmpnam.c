/* tmpnam, whose result without a place to put it is memory of the program. */

char *unused_name(char *) __asm__("tmpnam");
char *tmpnam(char *) __asm__("pc3_tmpnam");

static char name[64];

char *tmpnam(char *into)
{
    return unused_name(into ? into : name);
}
