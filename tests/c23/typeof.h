// Types of expressions, with and without qualifiers.
#if PART == 1
static const volatile int typeof_cv = 3;
static typeof_unqual(typeof_cv) typeof_plain = 4;
typedef typeof(int (*)(int, double)) typeof_function;
static int typeof_add(int a, double b)
{
	return a + (int)b;
}
typeof(typeof_add) typeof_declared;
static const char typeof_text[] = "typeof";
struct typeof_s { const int c; typeof(char[4]) four; typeof_unqual(const long) l; };
int typeof_declared(int a, double b)
{
	return a - (int)b;
}
#elif PART == 2
	typeof_unqual(typeof_cv) typeof_u = typeof_cv + step;
	typeof(typeof_text) typeof_t = "TYPEOF";
	typeof_function typeof_f = step & 1 ? typeof_add : typeof_declared;
	struct typeof_s typeof_s = { 1, "abc", step };
	typeof_unqual(typeof_s.c) typeof_c = 8;
	typeof_unqual(_Atomic(int)) typeof_a = 9;
	int typeof_n = step + 1;
	int typeof_v[typeof_n];
	for (int i = 0; i < typeof_n; i++)
		typeof_v[i] = i * step;
	typeof(&typeof_v[0]) typeof_p = typeof_v + 1;
#else
	typeof_u += typeof_f(typeof_c++, 2.5);
	typeof_plain += typeof_u + typeof_a++;
	sum += typeof_plain + *typeof_p + (int)(sizeof typeof_v / sizeof(typeof(*typeof_v)));
	printf("typeof %d %s %d %ld %d %s\n", typeof_u, typeof_t, typeof_c, typeof_s.l, typeof_a, typeof_s.four);
#endif
