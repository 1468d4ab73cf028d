// Directives and macros.
#if PART == 1
#ifdef PREPROCESSOR_NONE
#error
#elifdef __STDC_VERSION__
#define PREPROCESSOR_A 1
#else
#error
#endif
#ifndef __STDC__
#elifndef PREPROCESSOR_NONE
#define PREPROCESSOR_B 2
#endif
#warning "a warning"
#define PREPROCESSOR_CALL(f, ...) f(1 __VA_OPT__(, ) __VA_ARGS__)
#define PREPROCESSOR_TEXT(...) "" __VA_OPT__(#__VA_ARGS__)
#define PREPROCESSOR_INIT(x, ...) int x __VA_OPT__(= { __VA_ARGS__ })
#if !__has_include(<stdbool.h>) || __has_c_attribute(maybe_unused) < 201904L
#error
#endif
#if true && !false && __STDC_VERSION__ > 202000L
static PREPROCESSOR_INIT(preprocessor_g, 5);
static PREPROCESSOR_INIT(preprocessor_h);
#endif
static int preprocessor_one(int a)
{
	return a;
}
static int preprocessor_two(int a, int b)
{
	return a * 10 + b;
}
#elif PART == 2
	PREPROCESSOR_INIT(preprocessor_l, step);
	const char *preprocessor_t = PREPROCESSOR_TEXT(a, "b") PREPROCESSOR_TEXT();
#else
	sum += PREPROCESSOR_CALL(preprocessor_one) + PREPROCESSOR_CALL(preprocessor_two, 7) + PREPROCESSOR_A + PREPROCESSOR_B;
	preprocessor_h += preprocessor_l;
	printf("preprocessor %s %d %d\n", preprocessor_t, preprocessor_g, preprocessor_h);
#endif
