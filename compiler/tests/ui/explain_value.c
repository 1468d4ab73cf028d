// pc3cc: --explain=everything
int main(void) { return 0; }
