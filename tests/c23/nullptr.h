// The null pointer and its type.
#if PART == 1
static int *null_global = nullptr;
static int null_object = 11;
static const char *null_names[3] = { nullptr, "one", nullptr };
static int null_which(nullptr_t)
{
	return 5;
}
static int *null_back(int n)
{
	return n & 1 ? nullptr : &null_object;
}
#elif PART == 2
	nullptr_t null_n = nullptr;
	void *null_v = null_n;
	int *null_i = step > 1 ? &null_object : nullptr;
	auto null_a = nullptr;
	int (*null_f)(nullptr_t) = step > 2 ? null_which : nullptr;
	struct { nullptr_t n; int after; } null_s = { nullptr, 4 };
	static_assert(sizeof(nullptr_t) == sizeof(void *));
#else
	if (null_i)
		sum += ++*null_i;
	sum += _Generic(step > 1 ? null_i : null_n, int *: 4, default: 5);
	sum += null_which(null_n) + (null_f ? null_f(nullptr) : 1) + null_s.after;
	null_global = null_back(step);
	printf("nullptr %d %d %d %d %d %s %d\n", null_v == nullptr, null_i == nullptr, !null_a, null_global == null_n,
	       null_object, null_names[1], _Generic(nullptr, nullptr_t: 1, void *: 2, default: 3));
#endif
