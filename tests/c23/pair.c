// Two features of C23 in one function, or one alone: each file has three parts. What the first two parts declare
// is alive at the locations in front of the last one.
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define PART 1
#include FIRST
#ifdef SECOND
#include SECOND
#endif
#undef PART

static int rounds;

static void passage(void)
{
	rounds++;
}

static int both(int step)
{
	int sum = step;
#define PART 2
#include FIRST
#ifdef SECOND
#include SECOND
#endif
#undef PART
	passage();
#define PART 3
#include FIRST
#ifdef SECOND
#include SECOND
#endif
#undef PART
	return sum;
}

int main(void)
{
	int sum = 0;
	for (int step = 1; step <= 3; step++)
		sum = sum % 10007 * 31 + both(step);
	printf("%d after %d\n", sum, rounds);
	return 0;
}
