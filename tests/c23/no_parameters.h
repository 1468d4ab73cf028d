// `f()` has no parameters.
#if PART == 1
static int none_count;
static int none_next()
{
	return ++none_count;
}
static int (*none_choose())()
{
	return none_next;
}
struct none_table { int (*f)(); const char *name; };
static int none_call(int f())
{
	return f() + 1;
}
#elif PART == 2
	int (*none_f)() = none_choose();
	struct none_table none_t = { none_next, "next" };
	static_assert(_Generic(none_f, int (*)(void): 1, default: 0));
#else
	sum += none_f() + none_call(none_t.f) + none_call(none_f);
	printf("none %d %s %d\n", none_count, none_t.name, none_f == none_t.f);
#endif
