/* tempnam, whose result is allocated like the program's own memory.  By itself, because linkers warn of it. */

typedef __typeof__(sizeof 0) size;

size strlen(const char *);
char *strcpy(char *, const char *);
void *malloc(size);

char *unused_name(const char *, const char *) __asm__("tempnam");
void give_back(void *) __asm__("pc3_library_free");

char *tempnam(const char *, const char *) __asm__("pc3_tempnam");

char *tempnam(const char *where, const char *prefix)
{
    char *native = unused_name(where, prefix), *copy;
    if (!native)
        return 0;
    copy = (char *)malloc(strlen(native) + 1);
    if (copy)
        strcpy(copy, native);
    give_back(native);
    return copy;
}
