/* pc3-test: seq */
/* Locations and calls inside switch: fall-through, default in the middle, nested, in loops,
 * and a loop that a case label jumps into. */
#include "check.h"

static int step(int x)
{
#pragma pc3 checkpoint
    return x + 1;
}

static int fall(int kind)
{
    int total = 0;
    switch (step(kind)) {
    case 1:
        total += step(1);
#pragma pc3 checkpoint
        /* fall through */
    case 2:
        total += 10;
#pragma pc3 checkpoint
        break;
    default:
        total = step(500);
        /* fall through */
    case 4: {
        int inner = step(total);
#pragma pc3 checkpoint
        total += inner;
        break;
    }
    case 5:
        return step(-1);
    }
    return total;
}

static int machine(const char *text)
{
    enum { START, WORD, NUMBER } state = START;
    int words = 0, numbers = 0;
    for (; *text; text++) {
        switch (state) {
        case START:
            if (*text == ' ')
                continue;
            state = *text >= '0' && *text <= '9' ? NUMBER : WORD;
#pragma pc3 checkpoint
            break;
        case WORD:
            if (*text != ' ')
                break;
            words = step(words);
            state = START;
            break;
        case NUMBER:
            switch (*text) {
            case ' ':
                numbers = step(numbers);
                state = START;
                break;
            default:
                if (*text == '!') {
#pragma pc3 checkpoint
                    goto done;
                }
            }
        }
    }
done:
    return words * 10 + numbers;
}

static int into_loop(int count)
{
    int n = (count + 3) / 4, sum = 0;
    switch (count % 4) {
    case 0:
        do {
            sum += step(1);
            /* fall through */
        case 3:
            sum += step(10);
            /* fall through */
        case 2:
#pragma pc3 checkpoint
            sum += 100;
            /* fall through */
        case 1:
            sum += step(1000);
        } while (--n > 0);
    }
    return sum;
}

int main(void)
{
    for (int kind = 0; kind < 6; kind++)
        show("fall", fall(kind));
    show("machine", machine("one 2 three 44 five 6! seven "));
    for (int count = 1; count < 10; count += 2)
        show("into", into_loop(count));
    return finish();
}
