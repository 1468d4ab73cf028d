/* Members whose types pc3cc does not know, where their bytes cannot be kept as they are. */
struct list {
    int length;
    _BitInt(sizeof(int)) numbers[];
};

struct list *kept;

int main(void)
{
#pragma pc3 checkpoint
    return kept != 0;
}
