// pc3cc: -w
/* C23: the object is there as long as the program, as a static variable. At file scope all are. */
int *outside = (static int[]){ 1, 2 };
int main(void) {
    int *p = (static int[]){ 3 };
    const int *q = &(constexpr int){ 4 };
    return *p + *q + outside[0];
}
