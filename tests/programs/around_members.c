/* pc3-test: seq */
/* From a member to what it is a part of, by bytes: pointers to nothing in particular and to structs are kept of that. */
#include "check.h"
#include <stddef.h>

struct link {
    struct link *next;
    const void *key;
};
struct word {
    char text[10];
    int count;
    struct link in;
    struct {
        long weight;
        struct link by_weight;
    } more;
};
struct found {
    void *whole;
    struct word *word;
    const char *text;
} found;

static void *around(struct link *link, size_t offset)
{
    return (void *)((char *)link - offset);
}

static struct link *pushed(struct link *list, struct link *link, const void *key)
{
    link->next = list;
    link->key = key;
#pragma pc3 checkpoint
    return link;
}

int main(void)
{
    static struct word fixed = { "fixed", 1, { 0, 0 }, { 3, { 0, 0 } } };
    static const char *const names[] = { "bob", "jack", "gary", "ty" };
    struct link *words = pushed(NULL, &fixed.in, fixed.text), *weights = NULL;
    for (int i = 0; i < 4; i++) {
        struct word *w = malloc(sizeof *w);
        strcpy(w->text, names[i]);
        w->count = i;
        w->more.weight = 10 * i;
        words = pushed(words, &w->in, w->text);
        if (i & 1)
            weights = pushed(weights, &w->more.by_weight, around(&w->in, offsetof(struct word, in)));
    }
    for (struct link *l = words; l; l = l->next) {
        found.whole = around(l, offsetof(struct word, in));
        found.word = (struct word *)((char *)l - offsetof(struct word, in));
        found.text = l->key;
#pragma pc3 checkpoint
        show(found.text, found.word->count);
        show("same", found.whole == l->key && found.word == found.whole);
    }
    for (struct link *l = weights; l; l = l->next) {
        found.whole = around(l, offsetof(struct word, more.by_weight));
#pragma pc3 checkpoint
        show_text("weight of", l->key);
        show("is", ((struct word *)found.whole)->more.weight);
    }
    return finish();
}
