int helper(int i);
static int calls;

int step(int i) { return helper(i) + ++calls; }
