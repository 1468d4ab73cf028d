int a;
int f { return a; }
int main(void) { return 0; }
