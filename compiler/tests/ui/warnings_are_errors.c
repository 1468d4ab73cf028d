// pc3cc: -Werror
int main(void) { return 0; }
