/* strerror and strsignal, whose results are memory of the program. */

char *error_text(int) __asm__("strerror");
char *signal_text(int) __asm__("strsignal");

char *strerror(int) __asm__("pc3_strerror");
char *strsignal(int) __asm__("pc3_strsignal");

static char error[256], signal_name[256];

static char *kept(char *into, const char *text)
{
    int i;
    for (i = 0; text[i] && i < 255; i++)
        into[i] = text[i];
    into[i] = 0;
    return into;
}

char *strerror(int number)
{
    return kept(error, error_text(number));
}

char *strsignal(int number)
{
    return kept(signal_name, signal_text(number));
}
