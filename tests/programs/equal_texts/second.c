/* The same texts, in another order. */
#include "texts.h"

static const char *const own = IDLE;
static const char *const list[] = {"is idle", IDLE, "zero", ""};
static const wchar_t *const broad = L"idle";

const char *second_text(int which)
{
    return list[which];
}

const wchar_t *second_wide(void)
{
    return broad;
}

int second_knows(const char *text)
{
#pragma pc3 checkpoint
    return text == own;
}

static const char *own_name(void)
{
    return __func__;
}

const char *second_name(void)
{
    return own_name();
}
