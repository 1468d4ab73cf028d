/* glob and wordexp, whose results are memory of the program. */

typedef __typeof__(sizeof 0) size;

void *malloc(size);
void *realloc(void *, size);
void free(void *);
size strlen(const char *);
char *strcpy(char *, const char *);

struct pc3_paths {
    size gl_pathc;
    char **gl_pathv;
    size gl_offs;
    int gl_flags;
    void (*closes)(void *);
    void *(*reads)(void *);
    void *(*opens)(const char *);
    int (*looks)(const char *, void *);
    int (*asks)(const char *, void *);
};

struct pc3_words {
    size we_wordc;
    char **we_wordv;
    size we_offs;
};

int native_glob(const char *, int, int (*)(const char *, int), struct pc3_paths *) __asm__("glob");
void native_globfree(struct pc3_paths *) __asm__("globfree");
int native_wordexp(const char *, struct pc3_words *, int) __asm__("wordexp");
void native_wordfree(struct pc3_words *) __asm__("wordfree");

int glob(const char *, int, int (*)(const char *, int), struct pc3_paths *) __asm__("pc3_glob");
void globfree(struct pc3_paths *) __asm__("pc3_globfree");
int wordexp(const char *, struct pc3_words *, int) __asm__("pc3_wordexp");
void wordfree(struct pc3_words *) __asm__("pc3_wordfree");

/* With free places in front, as in all lists here. */
static char **longer(char **list, size front, size have, char **more, size n)
{
    char **all = (char **)realloc(list, (front + have + n + 1) * sizeof(char *));
    size i;
    if (!all)
        return 0;
    if (!list)
        for (i = 0; i < front; i++)
            all[i] = 0;
    for (i = 0; i < n; i++) {
        char *text = (char *)malloc(strlen(more[i]) + 1);
        if (text)
            strcpy(text, more[i]);
        all[front + have + i] = text;
    }
    all[front + have + n] = 0;
    return all;
}

static void drop(char **list, size front, size n)
{
    size i;
    for (i = 0; list && i < n; i++)
        free(list[front + i]);
    free(list);
}

enum { DOOFFS = 8, NOCHECK = 16, APPEND = 32, ALTDIRFUNC = 512, NOSPACE = 1, NOMATCH = 3 };

int glob(const char *pattern, int flags, int (*failed)(const char *, int), struct pc3_paths *into)
{
    struct pc3_paths found;
    char **all;
    size front = flags & DOOFFS ? into->gl_offs : 0;
    int done;
    __builtin_memset(&found, 0, sizeof found);
    if (flags & ALTDIRFUNC) {
        found.closes = into->closes;
        found.reads = into->reads;
        found.opens = into->opens;
        found.looks = into->looks;
        found.asks = into->asks;
    }
    /* What is appended to decides whether a pattern that fits nothing is an error. */
    if (!(flags & APPEND)) {
        into->gl_pathc = 0;
        into->gl_pathv = 0;
        if (!(flags & DOOFFS))
            into->gl_offs = 0;
    }
    done = native_glob(pattern, flags & ~(DOOFFS | APPEND), failed, &found);
    into->gl_flags = found.gl_flags | (flags & (DOOFFS | APPEND));
    if (found.gl_pathc || !done) {
        all = longer(into->gl_pathv, front, into->gl_pathc, found.gl_pathv, found.gl_pathc);
        if (all) {
            into->gl_pathv = all;
            into->gl_pathc += found.gl_pathc;
        } else
            done = NOSPACE;
    }
    native_globfree(&found);
    return done;
}

void globfree(struct pc3_paths *paths)
{
    drop(paths->gl_pathv, paths->gl_flags & DOOFFS ? paths->gl_offs : 0, paths->gl_pathc);
    paths->gl_pathv = 0;
    paths->gl_pathc = 0;
}

enum { WORDS_DOOFFS = 1, WORDS_APPEND = 2, WORDS_REUSE = 8 };

int wordexp(const char *text, struct pc3_words *into, int flags)
{
    struct pc3_words found;
    char **all;
    size front = flags & WORDS_DOOFFS ? into->we_offs : 0;
    int done;
    if (flags & WORDS_REUSE)
        wordfree(into);
    if (!(flags & WORDS_APPEND)) {
        into->we_wordc = 0;
        into->we_wordv = 0;
        into->we_offs = front;
    }
    __builtin_memset(&found, 0, sizeof found);
    done = native_wordexp(text, &found, flags & ~(WORDS_DOOFFS | WORDS_APPEND | WORDS_REUSE));
    if (done)
        return done;
    all = longer(into->we_wordv, front, into->we_wordc, found.we_wordv, found.we_wordc);
    if (all) {
        into->we_wordv = all;
        into->we_wordc += found.we_wordc;
    }
    native_wordfree(&found);
    return all ? 0 : NOSPACE;
}

void wordfree(struct pc3_words *words)
{
    drop(words->we_wordv, words->we_offs, words->we_wordc);
    words->we_wordv = 0;
    words->we_wordc = 0;
}
