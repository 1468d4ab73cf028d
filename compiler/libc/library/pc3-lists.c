/* Lists of texts, one behind the other in one piece of memory (argz.h, envz.h): it is allocated like the program's own. */

typedef __typeof__(sizeof 0) size;

void *realloc(void *, size);
void free(void *);
size strlen(const char *);
char *strstr(const char *, const char *);
void *memcpy(void *, const void *, size);
void *memmove(void *, const void *, size);

int argz_create(char *const *, char **, size *) __asm__("pc3_argz_create");
int argz_create_sep(const char *, int, char **, size *) __asm__("pc3_argz_create_sep");
int argz_append(char **, size *, const char *, size) __asm__("pc3_argz_append");
int argz_add(char **, size *, const char *) __asm__("pc3_argz_add");
int argz_add_sep(char **, size *, const char *, int) __asm__("pc3_argz_add_sep");
void argz_delete(char **, size *, char *) __asm__("pc3_argz_delete");
int argz_insert(char **, size *, char *, const char *) __asm__("pc3_argz_insert");
int argz_replace(char **, size *, const char *, const char *, unsigned *) __asm__("pc3_argz_replace");
int envz_add(char **, size *, const char *, const char *) __asm__("pc3_envz_add");
int envz_merge(char **, size *, const char *, size, int) __asm__("pc3_envz_merge");
void envz_remove(char **, size *, const char *) __asm__("pc3_envz_remove");

enum { NO_MEMORY = 12, WRONG = 22 };

/* Room for `more` behind what is there. */
static int grown(char **list, size length, size more)
{
    char *larger;
    if (!more)
        return 0;
    larger = (char *)realloc(*list, length + more);
    if (!larger)
        return NO_MEMORY;
    *list = larger;
    return 0;
}

int argz_append(char **list, size *length, const char *text, size bytes)
{
    int error = grown(list, *length, bytes);
    if (error)
        return error;
    if (bytes)
        memcpy(*list + *length, text, bytes);
    *length += bytes;
    return 0;
}

int argz_add(char **list, size *length, const char *text)
{
    return argz_append(list, length, text, strlen(text) + 1);
}

int argz_create(char *const *texts, char **list, size *length)
{
    *list = 0;
    *length = 0;
    for (; *texts; texts++) {
        if (argz_add(list, length, *texts)) {
            free(*list);
            *list = 0;
            return NO_MEMORY;
        }
    }
    return 0;
}

/* Separators in a row count once, and none begins a list. */
int argz_add_sep(char **list, size *length, const char *text, int separator)
{
    size n = strlen(text);
    char *to;
    int error;
    if (!n)
        return 0;
    error = grown(list, *length, n + 1);
    if (error)
        return error;
    to = *list + *length;
    for (; *text; text++) {
        if (*text != separator)
            *to++ = *text;
        else if (to > *list && to[-1])
            *to++ = 0;
    }
    *to++ = 0;
    *length = (size)(to - *list);
    return 0;
}

int argz_create_sep(const char *text, int separator, char **list, size *length)
{
    *list = 0;
    *length = 0;
    return argz_add_sep(list, length, text, separator);
}

void argz_delete(char **list, size *length, char *entry)
{
    size n;
    if (!entry)
        return;
    n = strlen(entry) + 1;
    *length -= n;
    memmove(entry, entry + n, *length - (size)(entry - *list));
    if (!*length) {
        free(*list);
        *list = 0;
    }
}

int argz_insert(char **list, size *length, char *before, const char *entry)
{
    size n = strlen(entry) + 1, at;
    int error;
    if (!before)
        return argz_add(list, length, entry);
    if (before < *list || before >= *list + *length)
        return WRONG;
    while (before > *list && before[-1])
        before--;
    at = (size)(before - *list);
    error = grown(list, *length, n);
    if (error)
        return error;
    memmove(*list + at + n, *list + at, *length - at);
    memcpy(*list + at, entry, n);
    *length += n;
    return 0;
}

int argz_replace(char **list, size *length, const char *what, const char *with, unsigned *count)
{
    size from, old = strlen(what), put = strlen(with), made = 0;
    char *other = 0;
    unsigned found = 0;
    int error = 0;
    if (!old)
        return 0;
    for (from = 0; from < *length && !error;) {
        const char *text = *list + from, *next;
        /* Counted once for each text that has it, as the GNU C library does. */
        found += strstr(text, what) != 0;
        while (!error && (next = strstr(text, what))) {
            error = argz_append(&other, &made, text, (size)(next - text));
            if (!error)
                error = argz_append(&other, &made, with, put);
            text = next + old;
        }
        if (!error)
            error = argz_add(&other, &made, text);
        from = (size)(text - *list) + strlen(text) + 1;
    }
    if (error || !found) {
        free(other);
        return error;
    }
    free(*list);
    *list = other;
    *length = made;
    if (count)
        *count += found;
    return 0;
}

/* Where a name ends. */
static size named(const char *entry)
{
    size n = 0;
    while (entry[n] && entry[n] != '=')
        n++;
    return n;
}

static char *entry_of(char *list, size length, const char *name)
{
    size n = named(name), at, k;
    for (at = 0; at < length; at += strlen(list + at) + 1) {
        for (k = 0; k < n && list[at + k] == name[k]; k++)
            ;
        if (k == n && named(list + at) == n)
            return list + at;
    }
    return 0;
}

void envz_remove(char **list, size *length, const char *name)
{
    argz_delete(list, length, entry_of(*list, *length, name));
}

int envz_add(char **list, size *length, const char *name, const char *value)
{
    int error;
    envz_remove(list, length, name);
    if (!value)
        return argz_add(list, length, name);
    error = grown(list, *length, strlen(name) + strlen(value) + 2);
    if (error)
        return error;
    argz_append(list, length, name, strlen(name));
    argz_append(list, length, "=", 1);
    return argz_add(list, length, value);
}

int envz_merge(char **list, size *length, const char *more, size bytes, int override)
{
    size at;
    int error = 0;
    for (at = 0; at < bytes && !error; at += strlen(more + at) + 1) {
        char *old = entry_of(*list, *length, more + at);
        if (old && !override)
            continue;
        argz_delete(list, length, old);
        error = argz_add(list, length, more + at);
    }
    return error;
}
