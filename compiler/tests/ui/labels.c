int main(void) {
again:
    goto nowhere;
again:
    goto elsewhere;
}
