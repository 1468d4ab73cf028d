// pc3cc: --message-format=json
int main(void) {
    return nowhere;
}
