// Objects that are constants.
#if PART == 1
constexpr int constant_n = 4;
constexpr double constant_d = 0.5;
static constexpr unsigned char constant_c = 0xff;
struct constant_s { int a; struct { short b; } in; };
constexpr struct constant_s constant_s = { 3, { constant_n + 1 } };
static int constant_table[constant_n] = { [constant_n - 1] = constant_n * 2, constant_s.a - 3 };
static double constant_other = constant_d * 3;
struct constant_bits { unsigned x : constant_n; int rest[constant_s.in.b]; };
#elif PART == 2
	constexpr int constant_m = constant_n * 2;
	static constexpr long constant_l = constant_m + 1L;
	enum { constant_first = constant_m, constant_second };
	constexpr char constant_text[] = "text";
	constexpr int constant_list[] = { 1, constant_m, 3 };
	int constant_a[constant_m] = { [constant_l - 2] = step };
	static int constant_here[sizeof constant_text] = { constant_m };
	const int *constant_p = &constant_list[1];
	struct constant_bits constant_b = { 5, { [constant_n] = 6 } };
#else
	switch (step + 2) {
	case constant_n: sum += 10; break;
	case constant_n + 1: sum += 20; break;
	default: sum += constant_s.a;
	}
	constant_table[step & 3] += constant_a[7] + (int)constant_l;
	for (constexpr int k = 2; constant_here[1] < k * step; constant_here[1]++)
		sum += k + constant_second;
	printf("constexpr %d %g %d %s %d %d %g %d %d %d\n", constant_table[1], constant_d, constant_c, constant_text,
	       *constant_p, constant_here[1], constant_other, (int)constant_l, constant_b.x, constant_b.rest[4]);
#endif
