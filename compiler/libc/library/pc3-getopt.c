/* getopt, getopt_long and getopt_long_only with a position of their own for each rank.
 *
 * Operands that have been skipped are argv[first_skipped] up to argv[past_skipped]; the options behind them are brought
 * in front of them when the next word is looked for. */

typedef __typeof__(sizeof 0) size;

struct option {
    const char *name;
    int has_arg;
    int *flag;
    int val;
};

int strcmp(const char *, const char *);
int strncmp(const char *, const char *, size);
char *strchr(const char *, int);
char *getenv(const char *);
int dprintf(int, const char *, ...);

extern char *optarg __asm__("pc3_optarg");
extern int optind __asm__("pc3_optind");
extern int opterr __asm__("pc3_opterr");
extern int optopt __asm__("pc3_optopt");
int getopt(int, char *const *, const char *) __asm__("pc3_getopt");
int pc3_posix_getopt(int, char *const *, const char *);
int getopt_long(int, char *const *, const char *, const struct option *, int *) __asm__("pc3_getopt_long");
int getopt_long_only(int, char *const *, const char *, const struct option *, int *) __asm__("pc3_getopt_long_only");

char *optarg;
int optind = 1, opterr = 1, optopt = '?';

/* The unread letters of argv[optind]. */
static const char *letters;
static int first_skipped, past_skipped, begun, order;
/* The last option that was none, which `optopt` is set to by each call, also by one that finds an option. */
static int unknown;

enum { ORDER_PERMUTE, ORDER_STOP, ORDER_RETURN };

struct scan {
    int argc;
    char **argv;
    const char *shorts;
    const struct option *longs;
    int *which;
    int only;
    int quiet;
};

static int operand(const char *word)
{
    return word[0] != '-' || !word[1];
}

/* Moves argv[from] to the earlier place `to`. */
static void bring(char **argv, int from, int to)
{
    char *word = argv[from];
    for (; from > to; from--)
        argv[from] = argv[from - 1];
    argv[to] = word;
}

/* What lies between the skipped operands and argv[optind] goes in front of them. */
static void exchange(char **argv)
{
    int from;
    for (from = past_skipped; from < optind; from++)
        bring(argv, from, first_skipped + from - past_skipped);
    first_skipped += optind - past_skipped;
    past_skipped = optind;
}

/* Brings the skipped operands up to argv[optind]. */
static void gather(char **argv)
{
    if (first_skipped == past_skipped)
        first_skipped = optind;
    else if (past_skipped != optind)
        exchange(argv);
    past_skipped = optind;
}

/* The word behind the option just read, or 0. */
static char *following(const struct scan *s)
{
    return optind < s->argc ? s->argv[optind++] : 0;
}

static int missing(const struct scan *s)
{
    return s->shorts[0] == ':' ? ':' : '?';
}

static int read_long(const struct scan *s, const char *word, const char *dashes)
{
    const struct option *found = 0, *o;
    int exact = 0, ambiguous = 0;
    size n = 0;
    while (word[n] && word[n] != '=')
        n++;
    for (o = s->longs; o->name && !exact; o++) {
        if (strncmp(o->name, word, n))
            continue;
        exact = !o->name[n];
        if (exact)
            ambiguous = 0;
        else if (found && (s->only || found->has_arg != o->has_arg || found->flag != o->flag || found->val != o->val))
            ambiguous = 1;
        if (exact || !found)
            found = o;
    }
    if (ambiguous || !found) {
        if (!ambiguous && s->only && (dashes[1] != '-') && strchr(s->shorts, word[0]))
            return -1;
        if (!s->quiet) {
            if (ambiguous) {
                dprintf(2, "%s: option '%s%s' is ambiguous; possibilities:", s->argv[0], dashes, word);
                for (o = s->longs; o->name; o++)
                    if (!strncmp(o->name, word, n))
                        dprintf(2, " '%s%s'", dashes, o->name);
                dprintf(2, "\n");
            } else
                dprintf(2, "%s: unrecognized option '%s%s'\n", s->argv[0], dashes, word);
        }
        letters = 0;
        optind++;
        unknown = 0;
        return '?';
    }
    letters = 0;
    optind++;
    if (word[n]) {
        if (!found->has_arg) {
            if (!s->quiet)
                dprintf(2, "%s: option '%s%s' doesn't allow an argument\n", s->argv[0], dashes, found->name);
            unknown = found->val;
            return '?';
        }
        optarg = (char *)word + n + 1;
    } else if (found->has_arg == 1) {
        optarg = following(s);
        if (!optarg) {
            if (!s->quiet)
                dprintf(2, "%s: option '%s%s' requires an argument\n", s->argv[0], dashes, found->name);
            unknown = found->val;
            return missing(s);
        }
    }
    if (s->which)
        *s->which = (int)(found - s->longs);
    if (!found->flag)
        return found->val;
    *found->flag = found->val;
    return 0;
}

static int read_letter(const struct scan *s)
{
    int letter = *letters++;
    const char *known = letter == ':' || letter == ';' ? 0 : strchr(s->shorts, letter);
    int last = !*letters;
    if (last)
        optind++;
    if (!known) {
        if (!s->quiet)
            dprintf(2, "%s: invalid option -- '%c'\n", s->argv[0], letter);
        unknown = letter;
        return '?';
    }
    if (known[0] == 'W' && known[1] == ';' && s->longs) {
        const char *word = letters;
        if (last) {
            word = following(s);
            if (!word) {
                if (!s->quiet)
                    dprintf(2, "%s: option requires an argument -- '%c'\n", s->argv[0], letter);
                unknown = letter;
                return missing(s);
            }
            optind--;
        }
        return read_long(s, word, "-W ");
    }
    if (known[1] != ':')
        return letter;
    if (!last) {
        optarg = (char *)letters;
        optind++;
    } else if (known[2] != ':') {
        optarg = following(s);
        if (!optarg) {
            if (!s->quiet)
                dprintf(2, "%s: option requires an argument -- '%c'\n", s->argv[0], letter);
            unknown = letter;
            letter = missing(s);
        }
    }
    letters = 0;
    return letter;
}

static int scan(struct scan s, int posix)
{
    int r;
    if (s.argc < 1)
        return -1;
    optarg = 0;
    r = s.shorts[0] == '+' || s.shorts[0] == '-';
    if (!optind || !begun) {
        if (!begun)
            unknown = 0;
        if (!optind)
            optind = 1;
        first_skipped = past_skipped = optind;
        letters = 0;
        order = posix || getenv("POSIXLY_CORRECT") ? ORDER_STOP : ORDER_PERMUTE;
        if (r)
            order = s.shorts[0] == '+' ? ORDER_STOP : ORDER_RETURN;
        begun = 1;
    }
    s.shorts += r;
    s.quiet = !opterr || s.shorts[0] == ':';
    if (letters && *letters)
        return read_letter(&s);
    /* The program may have set it back. */
    if (past_skipped > optind)
        past_skipped = optind;
    if (first_skipped > optind)
        first_skipped = optind;
    if (order == ORDER_PERMUTE) {
        gather(s.argv);
        while (optind < s.argc && operand(s.argv[optind]))
            optind++;
        past_skipped = optind;
    }
    if (optind < s.argc && !strcmp(s.argv[optind], "--")) {
        optind++;
        gather(s.argv);
        past_skipped = optind = s.argc;
    }
    if (optind >= s.argc) {
        if (first_skipped != past_skipped)
            optind = first_skipped;
        return -1;
    }
    if (operand(s.argv[optind])) {
        if (order == ORDER_STOP)
            return -1;
        optarg = s.argv[optind++];
        return 1;
    }
    letters = s.argv[optind] + 1;
    if (s.longs) {
        if (*letters == '-')
            return read_long(&s, letters + 1, "--");
        if (s.only && (letters[1] || !strchr(s.shorts, *letters))) {
            r = read_long(&s, letters, "-");
            if (r != -1 || !letters)
                return r;
        }
    }
    return read_letter(&s);
}

static struct scan arguments(int argc, char *const *argv, const char *shorts, const struct option *longs, int *which, int only)
{
    struct scan s;
    s.argc = argc;
    s.argv = (char **)argv;
    s.shorts = shorts;
    s.longs = longs;
    s.which = which;
    s.only = only;
    s.quiet = 0;
    return s;
}

static int told(int result)
{
    optopt = unknown;
    return result;
}

int getopt(int argc, char *const *argv, const char *shorts)
{
    return told(scan(arguments(argc, argv, shorts, 0, 0, 0), 0));
}

int pc3_posix_getopt(int argc, char *const *argv, const char *shorts)
{
    return told(scan(arguments(argc, argv, shorts, 0, 0, 0), 1));
}

int getopt_long(int argc, char *const *argv, const char *shorts, const struct option *longs, int *which)
{
    return told(scan(arguments(argc, argv, shorts, longs, which, 0), 0));
}

int getopt_long_only(int argc, char *const *argv, const char *shorts, const struct option *longs, int *which)
{
    return told(scan(arguments(argc, argv, shorts, longs, which, 1), 0));
}
