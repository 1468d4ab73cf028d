// Numbers with separators, and binary ones.
#if PART == 1
static long numbers_global = 1'000'000;
static unsigned numbers_table[0b1'00] = { [0b11] = 0b1010'1010u, 0x1'0, };
#define NUMBERS(x) x##'5
static double numbers_d = 1'234.567'8e1'0;
#elif PART == 2
	unsigned long long numbers_l = 0xffff'ffff'0000'0001ull;
	int numbers_o = 0'17, numbers_b = -0B11;
	char numbers_c = '\'';
	double numbers_h = 0x1'0.8p1;
#else
	numbers_global += 1'0 * step;
	numbers_table[3] ^= 0b1'1;
	sum += NUMBERS(1) + numbers_o + numbers_b;
	printf("numbers %ld %u %llu %g %c %g\n", numbers_global, numbers_table[3], numbers_l, numbers_d, numbers_c, numbers_h);
#endif
