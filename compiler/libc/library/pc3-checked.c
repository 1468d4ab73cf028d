/* What the C library's headers call with _FORTIFY_SOURCE where the compiler has no __builtin_va_arg_pack: what it allocates
 * is the program's, as with vasprintf. */

typedef __builtin_va_list list;
int vasprintf(char **, const char *, list);

int __asprintf_chk(char **, int, const char *, ...) __asm__("pc3___asprintf_chk");

int __asprintf_chk(char **into, int flag, const char *format, ...)
{
    list arguments;
    int n;
    (void)flag;
    __builtin_va_start(arguments, format);
    n = vasprintf(into, format, arguments);
    __builtin_va_end(arguments);
    return n;
}
