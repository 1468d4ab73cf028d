/* What the C library's headers call with _FORTIFY_SOURCE where the compiler has no __builtin_va_arg_pack: who prints in a
 * program with ranks has to be known, as with the functions that are not checked. */

typedef __builtin_va_list list;
int vprintf(const char *, list);
int vfprintf(void *, const char *, list);
int vdprintf(int, const char *, list);

int __vprintf_chk(int, const char *, list) __asm__("pc3___vprintf_chk");
int __vfprintf_chk(void *, int, const char *, list) __asm__("pc3___vfprintf_chk");
int __vdprintf_chk(int, int, const char *, list) __asm__("pc3___vdprintf_chk");
int __printf_chk(int, const char *, ...) __asm__("pc3___printf_chk");
int __fprintf_chk(void *, int, const char *, ...) __asm__("pc3___fprintf_chk");
int __dprintf_chk(int, int, const char *, ...) __asm__("pc3___dprintf_chk");

int __vprintf_chk(int flag, const char *format, list arguments)
{
    (void)flag;
    return vprintf(format, arguments);
}

int __vfprintf_chk(void *stream, int flag, const char *format, list arguments)
{
    (void)flag;
    return vfprintf(stream, format, arguments);
}

int __vdprintf_chk(int descriptor, int flag, const char *format, list arguments)
{
    (void)flag;
    return vdprintf(descriptor, format, arguments);
}

int __printf_chk(int flag, const char *format, ...)
{
    list arguments;
    int n;
    (void)flag;
    __builtin_va_start(arguments, format);
    n = vprintf(format, arguments);
    __builtin_va_end(arguments);
    return n;
}

int __fprintf_chk(void *stream, int flag, const char *format, ...)
{
    list arguments;
    int n;
    (void)flag;
    __builtin_va_start(arguments, format);
    n = vfprintf(stream, format, arguments);
    __builtin_va_end(arguments);
    return n;
}

int __dprintf_chk(int descriptor, int flag, const char *format, ...)
{
    list arguments;
    int n;
    (void)flag;
    __builtin_va_start(arguments, format);
    n = vdprintf(descriptor, format, arguments);
    __builtin_va_end(arguments);
    return n;
}
