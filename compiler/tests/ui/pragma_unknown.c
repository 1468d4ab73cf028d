int main(void) {
    int i = 0;
#pragma pc3
#pragma pc3 chekpoint
#pragma ccc checkpoint now
#pragma omp barrier
#pragma ccc checkpoint
    return i;
}
