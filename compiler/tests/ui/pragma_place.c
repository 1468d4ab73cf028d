#pragma pc3 checkpoint
int main(void) {
    int i = 1 +
#pragma pc3 checkpoint
        2;
    if (i)
#pragma pc3 checkpoint
        i++;
    else
#pragma pc3 checkpoint
        i--;
    for (;;)
#pragma pc3 checkpoint
    return i;
}
