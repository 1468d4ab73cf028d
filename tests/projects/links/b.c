static int calls = 100;

int helper(int i) { return i * 2 + calls++; }
