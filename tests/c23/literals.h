// Compound literals with storage classes.
#if PART == 1
struct literals_s { int a, *p; };
#if __has_feature(literals_with_storage) || !defined __clang__ || defined LITERALS
#define LITERALS_STATIC static
#define LITERALS_CONSTANT constexpr
#else
#define LITERALS_STATIC
#define LITERALS_CONSTANT const
#endif
static int *literals_global = (int[]){ 1, 2, 3 };
static struct literals_s *literals_s = &(struct literals_s){ 7, (int[2]){ 8, 9 } };
#elif PART == 2
	int *literals_p = (LITERALS_STATIC int[]){ 10, 20, 30 };
	const int *literals_c = &(LITERALS_CONSTANT int){ 40 };
	struct literals_s literals_l = { 5, (LITERALS_STATIC int[1]){ 6 } };
	char *literals_t = (char[]){ "text" };
	int *literals_e = (int[3]){};
#else
	literals_p[1] += step;
	literals_s->p[1]++;
	literals_global[step % 3] += *literals_c;
	literals_t[0] = 'T';
	sum += literals_p[1] + *literals_l.p + literals_e[2];
	printf("literals %d %d %d %d %s\n", literals_p[1], *literals_c, literals_s->p[1], literals_global[1], literals_t);
#endif
