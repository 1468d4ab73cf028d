// Words that were macros.
#if PART == 1
static thread_local int words_own = 3;
alignas(16) static bool words_flags[3] = { true, false, true };
static_assert(alignof(double) >= 4);
static_assert(true, "with a text");
struct words_s {
	static_assert(sizeof(int) == 4);
	alignas(32) char c;
	bool b : 1, d;
};
static bool words_not(bool b)
{
	return !b;
}
#elif PART == 2
	bool words_b = step > 1;
	alignas(64) char words_a[5] = "over";
	alignas(long long) alignas(16) short words_m = 7;
	struct words_s words_s = { 'c', true, false };
	extern thread_local int words_own;
	static thread_local bool words_t = false;
	static_assert(alignof(struct words_s) == 32);
#else
	words_own += step;
	words_t = words_not(words_t);
	words_flags[1] |= words_b;
	sum += (size_t)words_a % 64 + (size_t)&words_s % 32 + (size_t)&words_m % 16 + words_flags[1];
	printf("words %d %d %s %d %d %c%d %d\n", words_own, words_b, words_a, words_m, words_t, words_s.c, words_s.b,
	       _Generic(true, bool: 1, int: 2) + (int)sizeof(false));
#endif
