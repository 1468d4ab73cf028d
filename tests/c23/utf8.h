// Characters and text in UTF-8.
#if PART == 1
static const unsigned char utf8_text[] = u8"gr\u00fc\u00df";
static auto utf8_c = u8'a';
typedef typeof(u8'x') utf8_char;
static utf8_char utf8_table[3] = { u8'1', u8'\xff', u8'\n' };
static const char utf8_plain[] = u8"plain";
#elif PART == 2
	auto utf8_l = u8'z';
	unsigned char utf8_a[8] = u8"local";
	auto utf8_p = u8"pointer";
	static_assert(sizeof u8'x' == 1 && _Generic(u8'x', unsigned char: 1));
	int utf8_wide = u8'\xfe' + 0;
#else
	utf8_c++;
	utf8_table[0] += step;
	sum += utf8_text[2] + utf8_wide;
	printf("utf8 %zu %c %d %d %c %s %c %s\n", sizeof utf8_text, utf8_c, utf8_table[0], utf8_table[1], utf8_l,
	       (const char *)utf8_a, utf8_p[step], utf8_plain);
#endif
