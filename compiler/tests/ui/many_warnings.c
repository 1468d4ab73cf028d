/* Of many warnings of one kind some are shown. */
#include <stdlib.h>

void *kept_1;
void *kept_2;
void *kept_3;
void *kept_4;
void *kept_5;
void *kept_6;
void *kept_7;
void *kept_8;
void *kept_9;
void *kept_10;
void *kept_11;
void *kept_12;
void *kept_13;
void *kept_14;
void *kept_15;
void *kept_16;
void *kept_17;
void *kept_18;
void *kept_19;
void *kept_20;
void *kept_21;
void *kept_22;

void make(size_t size)
{
    kept_1 = malloc(size);
    kept_2 = malloc(size);
    kept_3 = malloc(size);
    kept_4 = malloc(size);
    kept_5 = malloc(size);
    kept_6 = malloc(size);
    kept_7 = malloc(size);
    kept_8 = malloc(size);
    kept_9 = malloc(size);
    kept_10 = malloc(size);
    kept_11 = malloc(size);
    kept_12 = malloc(size);
    kept_13 = malloc(size);
    kept_14 = malloc(size);
    kept_15 = malloc(size);
    kept_16 = malloc(size);
    kept_17 = malloc(size);
    kept_18 = malloc(size);
    kept_19 = malloc(size);
    kept_20 = malloc(size);
    kept_21 = malloc(size);
    kept_22 = malloc(size);
}

int main(void)
{
    make(7);
#pragma pc3 checkpoint
    return kept_1 != 0;
}
