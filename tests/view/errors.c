struct s {
    int a;
};
static int takes(struct s *p) { return p->a; }
int main(void) {
    const int k = 2;
    k = 3;
    break;
#pragma pc3 checkpoint
    return takes(k, 2);
}
