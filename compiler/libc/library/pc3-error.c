/* error_at_line, which remembers where it has spoken of last. */

typedef __builtin_va_list list;

extern unsigned error_one_per_line;
typedef __typeof__(sizeof 0) size;

size strlen(const char *);
int strcmp(const char *, const char *);
char *strcpy(char *, const char *);
void *malloc(size);
int vasprintf(char **, const char *, list);
void free(void *);
void speak(int, int, const char *, unsigned, const char *, ...) __asm__("error_at_line");

void error_at_line(int, int, const char *, unsigned, const char *, ...) __asm__("pc3_error_at_line");

void error_at_line(int status, int number, const char *file, unsigned line, const char *format, ...)
{
    /* A copy: what it was given may be a text that a restart does not have. */
    static char *last_file;
    static unsigned last_line;
    char *text;
    list arguments;
    int length;
    if (error_one_per_line) {
        if (last_line == line && (file && last_file ? !strcmp(file, last_file) : !file && !last_file))
            return;
        free(last_file);
        last_file = file ? (char *)malloc(strlen(file) + 1) : 0;
        if (last_file)
            strcpy(last_file, file);
        last_line = line;
    }
    __builtin_va_start(arguments, format);
    length = vasprintf(&text, format, arguments);
    __builtin_va_end(arguments);
    if (length < 0)
        return;
    if (error_one_per_line) {
        error_one_per_line = 0;
        speak(status, number, file, line, "%s", text);
        error_one_per_line = 1;
    } else
        speak(status, number, file, line, "%s", text);
    free(text);
}
