/* What the test programs share: values are shown and mixed into a checksum. */
#ifndef CHECK_H
#define CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t check_sum = 2166136261u;

static inline void mix(long long value)
{
    for (int byte = 0; byte < 8; byte++)
        check_sum = (check_sum ^ (uint32_t)((unsigned long long)value >> 8 * byte & 255)) * 16777619u;
}

static inline void show(const char *what, long long value)
{
    printf("%s %lld\n", what, value);
    mix(value);
}

static inline void show_real(const char *what, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    printf("%s %.17g\n", what, value);
    mix((long long)bits);
}

static inline void show_text(const char *what, const char *text)
{
    printf("%s %s\n", what, text);
    for (; *text; text++)
        mix(*text);
}

static inline int finish(void)
{
    printf("checksum %08x\n", (unsigned)check_sum);
    return EXIT_SUCCESS;
}

#endif
