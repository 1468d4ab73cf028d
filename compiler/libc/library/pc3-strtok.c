/* strtok with a position of its own for each rank, saved with the program. */

typedef __typeof__(sizeof 0) size;

size strspn(const char *, const char *);
size strcspn(const char *, const char *);

char *strtok(char *, const char *) __asm__("pc3_strtok");

static char *rest;

char *strtok(char *text, const char *separators)
{
    char *word = text ? text : rest;
    if (!word)
        return 0;
    word += strspn(word, separators);
    if (!*word) {
        rest = 0;
        return 0;
    }
    rest = word + strcspn(word, separators);
    if (*rest)
        *rest++ = 0;
    else
        rest = 0;
    return word;
}
