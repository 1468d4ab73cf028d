// Functions without a parameter in front of the others.
#if PART == 1
static int variadic_sum(...)
{
	va_list ap;
	va_start(ap);
	int n = va_arg(ap, int), sum = 0;
	for (int i = 0; i < n; i++)
		sum += va_arg(ap, int);
	va_end(ap);
	return sum;
}
static double variadic_named(int n, ...)
{
	va_list ap, again;
	double sum = n;
	va_start(ap);
	va_copy(again, ap);
	sum += va_arg(ap, double);
	sum *= va_arg(again, double) + va_arg(ap, int);
	va_end(again);
	va_end(ap);
	return sum;
}
static void *variadic_third(...)
{
	va_list ap;
	va_start(ap, 0);
	(void)va_arg(ap, int);
	(void)va_arg(ap, long long);
	void *p = va_arg(ap, void *);
	va_end(ap);
	return p;
}
#elif PART == 2
	int (*variadic_f)(...) = variadic_sum;
	int variadic_n = variadic_f(3, step, 20, 30);
	double variadic_d = variadic_named(step, 0.5, 2);
#else
	int *variadic_p = variadic_third(1, 2ll, &sum);
	*variadic_p += variadic_n + variadic_f(0);
	printf("variadic %d %g %d\n", variadic_n, variadic_d, variadic_p == &sum);
#endif
