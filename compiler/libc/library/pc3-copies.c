/* Functions that allocate what they return, in programs that have a malloc of their own: they call that one, as the
 * C library's do. */

typedef __typeof__(sizeof 0) size;
typedef __builtin_va_list arguments;
struct _IO_FILE;

void *malloc(size);
void *realloc(void *, size);
void free(void *);
size strlen(const char *);
size strnlen(const char *, size);
void *memcpy(void *, const void *, size);
int vsnprintf(char *, size, const char *, arguments);
int getc(struct _IO_FILE *);
int *__errno_location(void);

char *strdup(const char *) __asm__("pc3_copied_strdup");
char *strndup(const char *, size) __asm__("pc3_copied_strndup");
int vasprintf(char **, const char *, arguments) __asm__("pc3_copied_vasprintf");
int asprintf(char **, const char *, ...) __asm__("pc3_copied_asprintf");
long getdelim(char **, size *, int, struct _IO_FILE *) __asm__("pc3_copied_getdelim");
long __getdelim(char **, size *, int, struct _IO_FILE *) __asm__("pc3_copied___getdelim");
long getline(char **, size *, struct _IO_FILE *) __asm__("pc3_copied_getline");

enum { NO_MEMORY = 12, WRONG = 22, FIRST = 120 };

static char *copied(const char *text, size n)
{
    char *copy = (char *)malloc(n + 1);
    if (copy) {
        memcpy(copy, text, n);
        copy[n] = 0;
    }
    return copy;
}

char *strdup(const char *text)
{
    return copied(text, strlen(text));
}

char *strndup(const char *text, size most)
{
    return copied(text, strnlen(text, most));
}

int vasprintf(char **into, const char *format, arguments list)
{
    arguments again;
    char *text;
    int n;
    __builtin_va_copy(again, list);
    n = vsnprintf(0, 0, format, again);
    __builtin_va_end(again);
    if (n < 0)
        return -1;
    text = (char *)malloc((size)n + 1);
    if (!text)
        return -1;
    *into = text;
    return vsnprintf(text, (size)n + 1, format, list);
}

int asprintf(char **into, const char *format, ...)
{
    arguments list;
    int n;
    __builtin_va_start(list, format);
    n = vasprintf(into, format, list);
    __builtin_va_end(list);
    return n;
}

long getdelim(char **line, size *room, int end, struct _IO_FILE *file)
{
    size n = 0;
    int c;
    if (!line || !room || !file) {
        *__errno_location() = WRONG;
        return -1;
    }
    for (;;) {
        if (!*line || n + 1 >= *room) {
            size more = *line && *room ? 2 * *room : FIRST;
            char *text = (char *)realloc(*line, more);
            if (!text) {
                *__errno_location() = NO_MEMORY;
                return -1;
            }
            *line = text;
            *room = more;
        }
        c = getc(file);
        if (c < 0)
            break;
        (*line)[n++] = (char)c;
        if (c == end)
            break;
    }
    (*line)[n] = 0;
    return n ? (long)n : -1;
}

/* What the library's header calls. */
long __getdelim(char **line, size *room, int end, struct _IO_FILE *file)
{
    return getdelim(line, room, end, file);
}

long getline(char **line, size *room, struct _IO_FILE *file)
{
    return getdelim(line, room, '\n', file);
}
