// pc3cc: -Wpc3-union-block
int main(void) { return 0; }
