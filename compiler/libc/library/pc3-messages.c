/* strerror and strsignal, whose results are memory of the program: messages that the library knows stay. */

typedef __typeof__(sizeof 0) size;

void *malloc(size);
void free(void *);
size strlen(const char *);
int strcmp(const char *, const char *);
char *strcpy(char *, const char *);

char *error_text(int) __asm__("strerror");
char *signal_text(int) __asm__("strsignal");

char *strerror(int) __asm__("pc3_strerror");
char *strsignal(int) __asm__("pc3_strsignal");

/* Numbers beyond share the last place. */
enum { ERRORS = 135, SIGNALS = 65 };

static char *errors[ERRORS], *signals[SIGNALS];

static char *kept(char **place, const char *text)
{
    if (!*place || strcmp(*place, text)) {
        free(*place);
        *place = (char *)malloc(strlen(text) + 1);
        if (*place)
            strcpy(*place, text);
    }
    return *place;
}

char *strerror(int number)
{
    return kept(errors + (number >= 0 && number < ERRORS - 1 ? number : ERRORS - 1), error_text(number));
}

char *strsignal(int number)
{
    return kept(signals + (number > 0 && number < SIGNALS - 1 ? number : SIGNALS - 1), signal_text(number));
}
