/* Texts that every unit has as its own. */
#ifndef TEXTS_H
#define TEXTS_H

#include "../check.h"
#include <wchar.h>

#define IDLE "idle"

/* Each unit's: one of its texts, by number. */
const char *first_text(int which);
const char *second_text(int which);
const wchar_t *second_wide(void);
int second_knows(const char *text);
/* The name of a function of the other unit, and of its namesake here. */
const char *second_name(void);

#endif
