extern int counted;

static int sum(int n, int by)
{
    int all = 0;
    for (int i = 0; i < n; i++) {
#pragma pc3 checkpoint
        all += by * i;
        counted++;
    }
    return all;
}

int by_alias(int n) { return sum(n, 1); }
int by_definition(int n) { return sum(n, 10); }
int by_pragma(int n) { return sum(n, 100); }
