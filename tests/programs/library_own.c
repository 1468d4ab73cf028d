/* pc3-test: seq abi=own */
/* Memory that the program gives to functions of the C library, which put there what only their own ABI reads: obstacks, states of
 * random_r. */
#define _GNU_SOURCE
#include "check.h"
#include <obstack.h>

#define obstack_chunk_alloc malloc
#define obstack_chunk_free free

static struct obstack words;
static char *list[4];

static void no_memory(void)
{
    fputs("no memory\n", stderr);
    exit(obstack_exit_failure);
}

int main(void)
{
    static char state[64];
    static struct random_data data;
    int32_t number;
    void (*before)(void) = obstack_alloc_failed_handler;
    obstack_alloc_failed_handler = no_memory;
    obstack_exit_failure = 7;
    obstack_init(&words);
    initstate_r(3, state, sizeof state, &data);
    for (int i = 0; i < 4; i++) {
        obstack_grow(&words, "word ", 5);
#pragma pc3 checkpoint
        obstack_1grow(&words, '0' + i);
        list[i] = obstack_copy0(&words, "", 0);
        random_r(&data, &number);
        show("random", number);
        show_text("word", list[i]);
    }
    srandom_r(9, &data);
#pragma pc3 checkpoint
    random_r(&data, &number);
    show("random", number);
    for (int i = 0; i < 4; i++)
        show_text("word", list[i]);
    show("handler", obstack_alloc_failed_handler == no_memory && before != no_memory);
    show("status", obstack_exit_failure);
    obstack_free(&words, list[1]);
#pragma pc3 checkpoint
    show_text("first", list[0]);
    obstack_free(&words, NULL);
    return finish();
}
