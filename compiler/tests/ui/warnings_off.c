// pc3cc: -w
int main(void) { return 0; }
