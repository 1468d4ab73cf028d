/* pc3-test: seq */
/* Patterns of the GNU interface, what is told to printf, and other things told to the C library once. */
#define _GNU_SOURCE
#include "check.h"
#include <libintl.h>
#include <printf.h>
#include <regex.h>
#include <stddef.h>
#include <wchar.h>

static void show_registers(const struct re_registers *regs)
{
    for (unsigned i = 0; i < regs->num_regs; i++)
        show("register", regs->start[i] * 100 + regs->end[i]);
}

static void searches(void)
{
    static unsigned char lower[256];
    const char *text = "one TWO three\ntwo and Two";
    int n = (int)strlen(text);
    struct re_pattern_buffer r, icase;
    struct re_registers regs = {0, NULL, NULL};
    memset(&r, 0, sizeof r);
    memset(&icase, 0, sizeof icase);
    re_set_syntax(RE_SYNTAX_POSIX_EXTENDED);
    r.fastmap = malloc(256);
    show("compiled", !re_compile_pattern("^(tw)(o|a+)", 11, &r));
    for (int i = 0; i < 256; i++)
        lower[i] = (unsigned char)(i >= 'A' && i <= 'Z' ? i + 32 : i);
    icase.translate = lower;
    re_set_syntax(RE_SYNTAX_EMACS);
    show("compiled", !re_compile_pattern("\\(two\\)+", 8, &icase));
#pragma pc3 checkpoint
    show("syntax", re_syntax_options == RE_SYNTAX_EMACS);
    show("found", re_search(&r, text, n, 0, n, &regs));
    show_registers(&regs);
#pragma pc3 checkpoint
    show("found", re_search(&icase, text, n, 0, n, &regs));
    show_registers(&regs);
    show("groups", (long long)(r.re_nsub + 10 * icase.re_nsub));
    r.newline_anchor = 0;
#pragma pc3 checkpoint
    show("none", re_search(&r, text, n, 0, n, &regs));
    show("match", re_match(&icase, text, n, 4, NULL));
    show("last", re_search(&icase, text, n, n, -n, &regs));
    r.not_bol = 1;
    show("none", re_match(&r, text, n, 14, NULL));
    show("bad", re_compile_pattern("\\(", 2, &icase) != NULL);
    icase.translate = NULL;
    regfree(&r);
    regfree(&icase);
    show("freed", !r.fastmap);
#pragma pc3 checkpoint
    free(regs.start);
    free(regs.end);
}

struct pair {
    int a, b;
};
static int pair_type, loud;

static int print_pair(FILE *to, const struct printf_info *info, const void *const *args)
{
    const struct pair *p = *(const struct pair *const *)args[0];
    return fprintf(to, info->user & loud ? "<<%d:%d>>" : info->left ? "<%d,%d>" : "(%d,%d)", p->a, p->b);
}

static int pair_size(const struct printf_info *info, size_t n, int *types, int *sizes)
{
    (void)info;
    if (n > 0) {
        types[0] = PA_POINTER;
        sizes[0] = sizeof(void *);
    }
    return 1;
}

static void fetch_pair(void *into, va_list *list)
{
    *(struct pair *)into = va_arg(*list, struct pair);
}

static void formats(void)
{
    struct pair p = {1, 2};
    char text[80];
    const char *volatile format = "%Y %-Y %d";
    const char *volatile louder = "%QY";
    register_printf_specifier('Y', print_pair, pair_size);
#pragma pc3 checkpoint
    snprintf(text, sizeof text, format, &p, &p, 3);
    show_text("formatted", text);
    loud = register_printf_modifier(L"Q");
    pair_type = register_printf_type(fetch_pair);
    show("numbers", loud > 0 && pair_type >= PA_LAST);
#pragma pc3 checkpoint
    snprintf(text, sizeof text, louder, &p);
    show_text("formatted", text);
    show("next", register_printf_type(fetch_pair) == pair_type + 1);
}

static void domains(void)
{
    textdomain("pc3");
    bindtextdomain("pc3", "/nowhere");
#pragma pc3 checkpoint
    show_text("domain", textdomain(NULL));
    show_text("folder", bindtextdomain("pc3", NULL));
    show_text("text", gettext("text"));
}

static void quick(void)
{
    printf("quickly\n");
    finish();
    fflush(stdout);
}

int main(void)
{
    searches();
    formats();
    domains();
    at_quick_exit(quick);
#pragma pc3 checkpoint
    quick_exit(3);
}
