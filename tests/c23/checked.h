// Arithmetic that tells of an overflow, and selections by type.
#if PART == 1
#if __has_include(<stdckdint.h>)
#include <stdckdint.h>
#else
#define ckd_add(r, a, b) __builtin_add_overflow(a, b, r)
#define ckd_sub(r, a, b) __builtin_sub_overflow(a, b, r)
#define ckd_mul(r, a, b) __builtin_mul_overflow(a, b, r)
#endif
#define CHECKED_NAME(x) _Generic((x), bool: "bool", unsigned char: "byte", nullptr_t: "null", default: "other")
static bool checked_any;
static int checked_total = 0x7fff'fff0;
#elif PART == 2
	short checked_s;
	bool checked_a = ckd_add(&checked_s, 32'000, step * 500);
	unsigned checked_u = 0;
	bool checked_m = ckd_mul(&checked_u, 0x8000'0000u, (unsigned)step);
	const char *checked_n = CHECKED_NAME(checked_a);
#else
	long long checked_l;
	checked_any |= ckd_sub(&checked_l, -9'223'372'036'854'775'807ll, step);
	checked_any |= ckd_add(&checked_total, checked_total, step);
	sum += checked_s + (int)(checked_u % 1000) + checked_m + checked_a;
	printf("checked %d %d %u %d %s %s %lld\n", checked_s, checked_a, checked_u, checked_any, checked_n,
	       CHECKED_NAME(nullptr), checked_l);
#endif
