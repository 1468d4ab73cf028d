// Attributes wherever they may stand.
#if PART == 1
[[maybe_unused]] static int attributes_unused, attributes_used [[deprecated]] = 1;
struct [[deprecated("old")]] attributes_s {
	[[maybe_unused]] int a;
	int b [[gnu::aligned(16)]], c;
	[[]] char d[2] [[]];
};
enum [[gnu::packed]] attributes_e { ATTRIBUTES_A [[deprecated]], ATTRIBUTES_B [[maybe_unused]] = 5 };
[[nodiscard("why")]] static int attributes_f([[maybe_unused]] int n, int m [[maybe_unused]])
{
	return n + m;
}
[[gnu::noinline, unsequenced]] static int attributes_g(int n) [[]];
[[__gnu__::__unused__]] static int attributes_array[3] [[gnu::aligned(8)]] = { 1, 2, 3 };
[[]];
[[using_no_such_vendor::attribute(with, (some), "words")]] static int attributes_more;
static int attributes_g(int n)
{
	[[maybe_unused]] int k = n;
	[[]];
	switch (n) {
	[[likely_not_known]] case 1:
		k++;
		[[fallthrough]];
	case 2:
		k += 2;
		[[fallthrough]];
	default:
		k += 4;
	}
	[[maybe_unused]] left: if (k > 20) [[]] return k;
	[[]] for (int i [[maybe_unused]] = 0; i < 2; i++) [[]] { k++; }
	[[]] return k;
}
typedef int attributes_t [[gnu::aligned(16)]];
#elif PART == 2
	[[maybe_unused]] struct attributes_s attributes_s = { 1, step, 3, { 4, 5 } };
	enum attributes_e attributes_e [[]] = ATTRIBUTES_B;
	[[gnu::aligned(32)]] int attributes_l = step, attributes_m = 6;
	int *[[]] attributes_p [[]] = &attributes_l;
	attributes_t attributes_t1 = 9;
#else
	[[]] sum += attributes_g(step) + attributes_f(1, *attributes_p);
	sum += (size_t)&attributes_l % 32 + attributes_used;
	attributes_array[1] += attributes_s.b;
	[[maybe_unused]] int attributes_last = 3;
	printf("attributes %d %d %d %d %d %zu\n", attributes_s.c, attributes_e, attributes_m, attributes_t1,
	       attributes_array[1], sizeof attributes_e);
#endif
