// Enumerations with types; enumerators of the type that holds all of them.
#if PART == 1
enum enums_small : unsigned char { ENUMS_A, ENUMS_B = 200, ENUMS_C };
enum enums_later : short;
static enum enums_later enums_of(int n);
enum enums_later : short { ENUMS_LOW = -30000, ENUMS_NEXT };
typedef unsigned long long enums_number;
enum enums_wide : enums_number { ENUMS_WIDE = 1ull << 40 };
enum enums_named : enums_number;
enum enums_measured : typeof(unsigned short);
enum enums_measured : unsigned short { ENUMS_MEASURED = 60000 };
enum enums_counted { ENUMS_TOP = 0xffffffffu, ENUMS_OVER, ENUMS_KIND = _Generic(ENUMS_OVER, unsigned: 2, default: 1) };
enum { ENUMS_LARGE = 5'000'000'000, ENUMS_ONE = 1 };
enum enums_bool : bool { ENUMS_NO, ENUMS_YES };
static enum enums_later enums_of(int n)
{
	return n & 1 ? ENUMS_LOW : ENUMS_NEXT;
}
struct enums_all { enum enums_small s : 8; enum enums_wide w; enum enums_later l[2]; enum enums_bool b : 1; };
static struct enums_all enums_all = { ENUMS_C, ENUMS_WIDE + 3, { ENUMS_LOW, ENUMS_NEXT }, ENUMS_YES };
#elif PART == 2
	enum enums_small enums_s = ENUMS_C;
	enum enums_wide enums_w = ENUMS_WIDE;
	enum enums_later enums_l = enums_of(step);
	auto enums_e = ENUMS_LARGE;
	enum enums_block : long { ENUMS_IN = 9 } enums_i = ENUMS_IN;
	enum : signed char { ENUMS_NEG = -5 };
	static_assert(sizeof enums_s == 1 && sizeof enums_w == 8 && sizeof ENUMS_LOW == 2);
#else
	enums_all.l[step & 1]++;
	sum += (int)enums_s + (int)(enums_e % 1000) + ENUMS_NEG + (int)sizeof ENUMS_NEG;
	switch (enums_s) {
	case ENUMS_A: sum++; break;
	case ENUMS_B: sum += 2; break;
	case ENUMS_C: sum += 3; break;
	}
	sum += (int)ENUMS_KIND + ENUMS_MEASURED;
	printf("enums %d %llu %d %lld %ld %d %llu %d %d\n", enums_s, (enums_number)enums_w, enums_l, (long long)enums_e,
	       (long)enums_i, enums_all.s, (enums_number)enums_all.w, enums_all.l[1], enums_all.b);
#endif
