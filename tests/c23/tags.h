// A tag that is defined again, with the same members.
#if PART == 1
struct tags { int a; double b; struct tags_in { char c[3]; } in; };
enum tags_kind { TAGS_ONE = 1, TAGS_TWO };
union tags_u { int i; unsigned u; };
#if !defined __clang__ || __clang_major__ >= 21
struct tags { int a; double b; struct tags_in { char c[3]; } in; };
enum tags_kind { TAGS_ONE = 1, TAGS_TWO };
union tags_u { int i; unsigned u; };
#define TAGS(t) struct tags_of_##t { t value; int n; }
#else
struct tags_of_long { long value; int n; };
struct tags_of_float { float value; int n; };
#define TAGS(t) struct tags_of_##t
#endif
static double tags_sum(struct tags *t)
{
	return t->a + t->b + t->in.c[1];
}
static TAGS(long) tags_make(long n)
{
	return (TAGS(long)){ n, 2 };
}
#elif PART == 2
	struct tags tags_t = { step, 0.5, { { 1, 2, 3 } } };
	TAGS(long) tags_l = tags_make(step * 100);
	TAGS(float) tags_f = { .value = 1.25f, .n = step };
	enum tags_kind tags_k = step & 1 ? TAGS_ONE : TAGS_TWO;
	union tags_u tags_u = { .i = step };
#else
	TAGS(long) *tags_p = &tags_l;
	tags_p->value++;
	sum += (int)tags_sum(&tags_t) + tags_f.n + tags_u.i;
	printf("tags %g %ld %g %d\n", tags_sum(&tags_t), tags_l.value, tags_f.value, tags_k);
#endif
