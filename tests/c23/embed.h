// Bytes of a file.
#if PART == 1
static const unsigned char embed_all[] = {
#embed "embedded.txt"
};
static unsigned char *embed_few = (unsigned char[]){
#embed "embedded.txt" limit(3)
};
static char embed_text[] = {
#embed "embedded.txt" limit(5) suffix(, 0)
};
struct embed_s { int before; unsigned char bytes[8]; int behind; };
static struct embed_s embed_s = { 1, {
#embed "embedded.txt" limit(8)
}, 2 };
static int embed_first =
#embed "embedded.txt" limit(1)
;
#elif PART == 2
	unsigned char embed_local[] = {
#embed "embedded.txt" prefix(9,)
	};
	int embed_none[] = {
#embed "embedded.txt" limit(0) if_empty(7, 8)
	};
#else
	for (size_t i = 0; i < sizeof embed_all; i++)
		sum = (sum * 3 + embed_all[i] + embed_local[i + 1]) % 9973;
	sum += embed_few[step - 1]++;
	embed_text[step] = 'x';
	embed_s.bytes[step]++;
	printf("embed %d %s %d %d %d %d %zu\n", embed_local[0], embed_text, embed_s.bytes[2], embed_s.behind, embed_first,
	       embed_none[1], sizeof embed_local);
#if __has_embed("embedded.txt") != __STDC_EMBED_FOUND__
#error
#endif
#endif
