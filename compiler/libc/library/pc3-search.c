/* Search trees and hash tables of <search.h>, in memory of the program.
 *
 * Trees are balanced as 2-3-4 trees in red and black, split on the way down, and have the shape of the GNU C library's: twalk shows it. */

typedef __typeof__(sizeof 0) size;

void *malloc(size);
void *calloc(size, size);
void free(void *);
int strcmp(const char *, const char *);
int *__errno_location(void);

enum { NO_SUCH = 3, NO_MEMORY = 12, WRONG = 22 };

/* The program finds its key at the start of a node. */
struct pc3_node {
    const void *key;
    struct pc3_node *left, *right;
    int red;
};

typedef int compare(const void *, const void *);

void *tsearch(const void *, void **, compare *) __asm__("pc3_tsearch");
void *tfind(const void *, void *const *, compare *) __asm__("pc3_tfind");
void *tdelete(const void *, void **, compare *) __asm__("pc3_tdelete");
void twalk(const void *, void (*)(const void *, int, int)) __asm__("pc3_twalk");
void twalk_r(const void *, void (*)(const void *, int, void *), void *) __asm__("pc3_twalk_r");
void tdestroy(void *, void (*)(void *)) __asm__("pc3_tdestroy");

static int is_red(const struct pc3_node *n)
{
    return n && n->red;
}

static struct pc3_node *turned_right(struct pc3_node *n)
{
    struct pc3_node *up = n->left;
    n->left = up->right;
    up->right = n;
    up->red = 0;
    n->red = 1;
    return up;
}

static struct pc3_node *turned_left(struct pc3_node *n)
{
    struct pc3_node *up = n->right;
    n->right = up->left;
    up->left = n;
    up->red = 0;
    n->red = 1;
    return up;
}

/* A red node below a red one below `n`: the middle one of the three goes on top. */
static struct pc3_node *mended(struct pc3_node *n)
{
    if (is_red(n->left)) {
        if (is_red(n->left->right))
            n->left = turned_left(n->left);
        if (is_red(n->left->left))
            return turned_right(n);
    }
    if (is_red(n->right)) {
        if (is_red(n->right->left))
            n->right = turned_right(n->right);
        if (is_red(n->right->right))
            return turned_left(n);
    }
    return n;
}

/* `up` is above `n`, `top` above that. */
static struct pc3_node *put_below(struct pc3_node *n, struct pc3_node *up, struct pc3_node *top, const void *key, compare *order,
                                  struct pc3_node **found)
{
    int c;
    if (!n) {
        n = (struct pc3_node *)malloc(sizeof(struct pc3_node));
        *found = n;
        if (n) {
            n->key = key;
            n->left = n->right = 0;
            n->red = 1;
        }
        return n;
    }
    c = order(key, n->key);
    if (!c) {
        *found = n;
        return n;
    }
    if (is_red(n->left) && is_red(n->right)) {
        n->left->red = n->right->red = 0;
        n->red = 1;
        /* It goes above both, so that the GNU C library asks once more on its way down. */
        if (is_red(up) && (up->left == n) != (top->left == up))
            order(key, (c < 0) == (up->right == n) ? up->key : top->key);
    }
    if (c < 0)
        n->left = put_below(n->left, n, up, key, order, found);
    else
        n->right = put_below(n->right, n, up, key, order, found);
    return n->red ? n : mended(n);
}

void *tsearch(const void *key, void **root, compare *order)
{
    struct pc3_node *found = 0, *top;
    if (!root)
        return 0;
    top = put_below((struct pc3_node *)*root, 0, 0, key, order, &found);
    if (top)
        top->red = 0;
    *root = top;
    return found;
}

void *tfind(const void *key, void *const *root, compare *order)
{
    struct pc3_node *n = root ? (struct pc3_node *)*root : 0;
    while (n) {
        int c = order(key, n->key);
        if (!c)
            break;
        n = c < 0 ? n->left : n->right;
    }
    return n;
}

static struct pc3_node **child(struct pc3_node *n, int right)
{
    return right ? &n->right : &n->left;
}

/* The child on one side goes on top. */
static void turn(struct pc3_node **at, int right)
{
    struct pc3_node *n = *at, *up = *child(n, right);
    *child(n, right) = *child(up, !right);
    *child(up, !right) = n;
    *at = up;
}

/* Ways by one side of `*at` have a black node less than those by the other: do all of `*at` have one less now? */
static int levelled(struct pc3_node **at, int right)
{
    struct pc3_node *n = *at, *other = *child(n, !right), *inner, *outer;
    if (other->red) {
        other->red = 0;
        n->red = 1;
        turn(at, !right);
        at = child(other, right);
        other = *child(n, !right);
    }
    inner = *child(other, right);
    outer = *child(other, !right);
    if (!is_red(inner) && !is_red(outer)) {
        int less = !n->red;
        other->red = 1;
        n->red = 0;
        return less;
    }
    if (is_red(outer)) {
        other->red = n->red;
        outer->red = 0;
    } else {
        inner->red = n->red;
        turn(child(n, !right), right);
    }
    n->red = 0;
    turn(at, !right);
    return 0;
}

/* Of a node with one child or none.  Do the ways have a black node less? */
static int taken_out(struct pc3_node **at)
{
    struct pc3_node *n = *at, *next = n->left ? n->left : n->right;
    int less = !n->red;
    *at = next;
    if (less && is_red(next)) {
        next->red = 0;
        less = 0;
    }
    free(n);
    return less;
}

static int first_taken_out(struct pc3_node **at, const void **key)
{
    struct pc3_node *n = *at;
    if (n->left)
        return first_taken_out(&n->left, key) && levelled(at, 0);
    *key = n->key;
    return taken_out(at);
}

/* `*up`: what is above it. */
static int key_taken_out(struct pc3_node **at, const void *key, compare *order, void **up)
{
    struct pc3_node *n = *at;
    int c;
    if (!n) {
        *up = 0;
        return 0;
    }
    c = order(key, n->key);
    if (c) {
        *up = n;
        return key_taken_out(child(n, c > 0), key, order, up) && levelled(at, c > 0);
    }
    if (n->left && n->right)
        return first_taken_out(&n->right, &n->key) && levelled(at, 1);
    return taken_out(at);
}

/* Of what was on top the result is the root: any that is not null will do. */
void *tdelete(const void *key, void **root, compare *order)
{
    void *up = root;
    if (!root)
        return 0;
    key_taken_out((struct pc3_node **)root, key, order, &up);
    return up;
}

static void walk(const struct pc3_node *n, void (*action)(const void *, int, int), int depth)
{
    if (!n->left && !n->right) {
        action(n, 3, depth);
        return;
    }
    action(n, 0, depth);
    if (n->left)
        walk(n->left, action, depth + 1);
    action(n, 1, depth);
    if (n->right)
        walk(n->right, action, depth + 1);
    action(n, 2, depth);
}

void twalk(const void *root, void (*action)(const void *, int, int))
{
    if (root && action)
        walk((const struct pc3_node *)root, action, 0);
}

static void walk_with(const struct pc3_node *n, void (*action)(const void *, int, void *), void *with)
{
    if (!n->left && !n->right) {
        action(n, 3, with);
        return;
    }
    action(n, 0, with);
    if (n->left)
        walk_with(n->left, action, with);
    action(n, 1, with);
    if (n->right)
        walk_with(n->right, action, with);
    action(n, 2, with);
}

void twalk_r(const void *root, void (*action)(const void *, int, void *), void *with)
{
    if (root && action)
        walk_with((const struct pc3_node *)root, action, with);
}

void tdestroy(void *root, void (*end)(void *))
{
    struct pc3_node *n = (struct pc3_node *)root;
    if (!n)
        return;
    tdestroy(n->left, end);
    tdestroy(n->right, end);
    end((void *)n->key);
    free(n);
}

struct entry {
    char *key;
    void *data;
};

struct pc3_table {
    struct entry *table;
    unsigned size, filled;
};

int hcreate(size) __asm__("pc3_hcreate");
struct entry *hsearch(struct entry, int) __asm__("pc3_hsearch");
void hdestroy(void) __asm__("pc3_hdestroy");
int hcreate_r(size, struct pc3_table *) __asm__("pc3_hcreate_r");
int hsearch_r(struct entry, int, struct entry **, struct pc3_table *) __asm__("pc3_hsearch_r");
void hdestroy_r(struct pc3_table *) __asm__("pc3_hdestroy_r");

static struct pc3_table the_table;

static int is_prime(unsigned n)
{
    unsigned d;
    for (d = 3; d <= n / d; d += 2)
        if (n % d == 0)
            return 0;
    return n % 2 != 0;
}

int hcreate_r(size wanted, struct pc3_table *t)
{
    unsigned n = wanted < 3 ? 3 : (unsigned)wanted | 1;
    if (!t || wanted > 0x7fffffff) {
        *__errno_location() = t ? NO_MEMORY : WRONG;
        return 0;
    }
    if (t->table)
        return 0;
    while (!is_prime(n))
        n += 2;
    t->size = n;
    t->filled = 0;
    t->table = (struct entry *)calloc((size)n, sizeof(struct entry));
    return t->table != 0;
}

int hsearch_r(struct entry item, int enter, struct entry **found, struct pc3_table *t)
{
    unsigned hash = 0, i, n;
    const char *c;
    for (c = item.key; *c; c++)
        hash = hash * 31 + (unsigned char)*c;
    for (i = hash % t->size, n = 0; n < t->size && t->table[i].key; n++, i = i + 1 == t->size ? 0 : i + 1)
        if (!strcmp(t->table[i].key, item.key)) {
            *found = t->table + i;
            return 1;
        }
    *found = 0;
    if (!enter || t->filled == t->size) {
        *__errno_location() = enter ? NO_MEMORY : NO_SUCH;
        return 0;
    }
    t->table[i] = item;
    t->filled++;
    *found = t->table + i;
    return 1;
}

void hdestroy_r(struct pc3_table *t)
{
    if (!t) {
        *__errno_location() = WRONG;
        return;
    }
    free(t->table);
    t->table = 0;
}

int hcreate(size wanted)
{
    return hcreate_r(wanted, &the_table);
}

struct entry *hsearch(struct entry item, int enter)
{
    struct entry *found;
    hsearch_r(item, enter, &found, &the_table);
    return found;
}

void hdestroy(void)
{
    hdestroy_r(&the_table);
}
