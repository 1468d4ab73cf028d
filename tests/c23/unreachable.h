// What is never reached.
#if PART == 1
static int unreachable_of(int n)
{
	switch (n) {
	case 1: return 10;
	case 2: return 20;
	case 3: return 30;
	default: unreachable();
	}
}
[[noreturn]] static void unreachable_never(int n)
{
	if (n >= 0)
		unreachable();
	for (;;) {
	}
}
#elif PART == 2
	int unreachable_n = step > 0 ? unreachable_of(step) : (unreachable(), 1);
#else
	if (unreachable_n < 10)
		unreachable_never(-1);
	sum += unreachable_n + (unreachable_n > 5 ? 1 : (unreachable(), 0));
	printf("unreachable %d\n", unreachable_n);
#endif
