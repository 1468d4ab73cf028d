void pc3_checkpoint(void);
static int elsewhere(int n) {
    int twice(int k) { return 2 * k + n; }
    return twice(n);
}
int main(void) {
    int n = 0;
    int up(int by) { return n + by; }
    for (int i = 0; i < 3; i++) {
        n = up(elsewhere(i));
        pc3_checkpoint();
    }
    return n;
}
