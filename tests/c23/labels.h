// Labels in front of declarations and at the end of blocks.
#if PART == 1
static int labels_of(int n)
{
	switch (n) {
	case 1:
		int twice = n * 2;
		return twice;
	case 2: [[maybe_unused]] static int kept = 3;
		return kept++;
	default:
	}
again:
	int square = n * n;
	if (square > 100)
		return square;
	n += 3;
	passage_of_labels:
	if (n < 0)
		goto end;
	goto again;
end:
}
#elif PART == 2
	int labels_n = 0;
[[gnu::unused]] labels_back:
	auto labels_k = labels_n * 2 + step;
	if (labels_n++ < 2)
		goto labels_back;
	for (int i = 0; i < 2; i++) {
		if (i == step)
			goto labels_next;
		labels_n += i;
	labels_next: __attribute__((unused))
	}
#else
	{
		if (labels_k > 6)
			goto labels_out;
		sum += labels_k;
	labels_out:
	}
#if !defined __clang__ || __clang_major__ >= 22
	for (static int kept = 2; kept < 4 + step; kept++)
		sum += kept;
	for (typedef short few; labels_n < 9; labels_n++)
		sum += sizeof(few);
#endif
	sum += labels_of(step);
	printf("labels %d %d %d\n", labels_n, labels_k, labels_of(1));
#endif
