// Numbers of any width, which are gone at the locations.
#if PART == 1
static int bitint_of(int n)
{
	return (int)(((_BitInt(70))n << 60 >> 58) + 3wb);
}
static_assert(sizeof(_BitInt(8)) == 1 && sizeof(unsigned _BitInt(33)) == 8);
enum { BITINT = (int)sizeof(0wb), BITINT_U = (int)(0xffuwb + 1uwb) };
#elif PART == 2
	int bitint_n = bitint_of(step);
	int bitint_c = (int)(12'3wb + 1wb);
	int bitint_s = (int)(unsigned _BitInt(3))(step + 6);
#else
	sum += bitint_n + bitint_c + bitint_s;
	printf("bitint %d %d %d %d %d\n", bitint_n, bitint_c, bitint_s, BITINT, BITINT_U);
#endif
