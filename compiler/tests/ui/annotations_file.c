// pc3cc: --annotations=nowhere.txt
int main(void) { return 0; }
