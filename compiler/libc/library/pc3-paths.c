/* Functions that return memory which the program is to free: it is allocated like the program's own. */

typedef __typeof__(sizeof 0) size;
typedef __typeof__(*L"") wide;

size strlen(const char *);
char *strcpy(char *, const char *);
size wcslen(const wide *);
wide *wcscpy(wide *, const wide *);
void *malloc(size);

char *folder(char *, size) __asm__("getcwd");
char *without_links(const char *, char *) __asm__("realpath");
char *canonical(const char *) __asm__("canonicalize_file_name");
char *current(void) __asm__("get_current_dir_name");
void give_back(void *) __asm__("pc3_library_free");

char *getcwd(char *, size) __asm__("pc3_getcwd");
char *realpath(const char *, char *) __asm__("pc3_realpath");
char *canonicalize_file_name(const char *) __asm__("pc3_canonicalize_file_name");
char *get_current_dir_name(void) __asm__("pc3_get_current_dir_name");
wide *wcsdup(const wide *) __asm__("pc3_wcsdup");

static char *ours(char *native)
{
    char *copy;
    if (!native)
        return 0;
    copy = (char *)malloc(strlen(native) + 1);
    if (copy)
        strcpy(copy, native);
    give_back(native);
    return copy;
}

char *getcwd(char *into, size bytes)
{
    return into ? folder(into, bytes) : ours(folder(0, bytes));
}

char *realpath(const char *path, char *into)
{
    return into ? without_links(path, into) : ours(without_links(path, 0));
}

char *canonicalize_file_name(const char *path)
{
    return ours(canonical(path));
}

char *get_current_dir_name(void)
{
    return ours(current());
}

wide *wcsdup(const wide *text)
{
    wide *copy = (wide *)malloc((wcslen(text) + 1) * sizeof(wide));
    return copy ? wcscpy(copy, text) : 0;
}
