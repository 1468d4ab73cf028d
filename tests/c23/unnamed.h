// Parameters without names.
#if PART == 1
struct unnamed { int a; double d; };
static int unnamed_f(int, int b, struct unnamed, const char *, double (*)(double))
{
	return b * 2;
}
static int unnamed_g(int [3], void (), int n, ...)
{
	return n + 1;
}
static double unnamed_h(float, [[maybe_unused]] long)
{
	static double kept;
	return kept += 0.5;
}
#elif PART == 2
	int unnamed_n = unnamed_f(1, step, (struct unnamed){ 1, 2 }, "x", nullptr);
	double unnamed_d = unnamed_h(1.5f, 2);
#else
	sum += unnamed_g(nullptr, nullptr, unnamed_n, 4) + unnamed_f(0, 1, (struct unnamed){}, nullptr, nullptr);
	printf("unnamed %d %g %g\n", unnamed_n, unnamed_d, unnamed_h(0, 0));
#endif
