/* localeconv, whose result is memory of the program. */

typedef __typeof__(sizeof 0) size;

size strlen(const char *);
char *strcpy(char *, const char *);
void *malloc(size);
void free(void *);

struct pc3_conventions {
    char *text[10];
    char number[14];
};

struct pc3_conventions *conventions(void) __asm__("localeconv");
struct pc3_conventions *localeconv(void) __asm__("pc3_localeconv");

static struct pc3_conventions kept;

struct pc3_conventions *localeconv(void)
{
    const struct pc3_conventions *now = conventions();
    int i;
    for (i = 0; i < 10; i++) {
        free(kept.text[i]);
        kept.text[i] = (char *)malloc(strlen(now->text[i]) + 1);
        if (kept.text[i])
            strcpy(kept.text[i], now->text[i]);
    }
    for (i = 0; i < 14; i++)
        kept.number[i] = now->number[i];
    return &kept;
}
