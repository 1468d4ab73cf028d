// pc3cc: --checkpoint-at=mian --checkpoint-at=at_nowhere.c:99 --checkpoint-at=other.c:3 --checkpoint-at=a-b
static int work(int i) {
    return i + 1;
}
int main(void) {
    return work(2);
}
