// Values of nothing.
#if PART == 1
struct empty_s { int a; struct { double d; char *p; } in[2]; };
static struct empty_s empty_global = {};
static int empty_array[3] = {};
static int empty_sum(struct empty_s s, const int *list)
{
	return s.a + (int)s.in[1].d + (s.in[0].p == nullptr) + list[2];
}
#elif PART == 2
	struct empty_s empty_l = {};
	int empty_n = {}, *empty_p = {};
	int empty_a[4] = {};
	int empty_length = step + 1;
	int empty_v[empty_length] = {};
	union { long l; char c[8]; } empty_u = {};
	empty_l.in[1].d = step;
#else
	empty_global = (struct empty_s){};
	empty_array[step - 1] += empty_sum(empty_l, empty_a) + empty_sum((struct empty_s){}, (int[3]){});
	empty_v[step] += step;
	for (int i = 0; i <= step; i++)
		sum += empty_v[i];
	sum += empty_n + (empty_p == nullptr) + (int)empty_u.l;
	printf("empty %d %d %d %g\n", empty_array[0], empty_array[1], empty_global.a, empty_l.in[1].d);
#endif
