// Types from values.
#if PART == 1
static auto auto_total = 2.5;
static struct auto_pair { short a; double b; } auto_pair(int n)
{
	auto p = (struct auto_pair){ (short)n, n / 4.0 };
	p.b += auto_total;
	return p;
}
#elif PART == 2
	auto auto_d = 1.5 * step;
	const auto auto_l = 40L + step;
	static auto auto_s = 7u;
	auto auto_p = &auto_d;
	auto auto_r = auto_pair(step);
	typeof(auto_r.b) auto_b = auto_r.b;
	typeof(auto_p) *auto_pp = &auto_p;
	auto (auto_f) = auto_pair;
	auto_s += step;
#else
	**auto_pp += 0.25;
	for (auto i = 0ull; i < 3; i++) {
		auto_total += auto_f((int)i).b;
		sum += sizeof i;
	}
	printf("auto %g %ld %u %g %d %g %g %d\n", auto_d, auto_l, auto_s, *auto_p, auto_r.a, auto_b, auto_total,
	       _Generic(auto_l, long: 1, default: 2));
#endif
