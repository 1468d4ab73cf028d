//! What types of memory, and what reasons for having none, are found in small functions.
#![allow(clippy::unwrap_used)]

use pc3_portability::heap::{analyse, report, SizeForm};
use pc3_program::annotations::Annotations;
use pc3_program::program::Program;
use pc3_syntax::tree::QualType;
use pc3_syntax::types::Target;

const PRELUDE: &str = "
typedef unsigned long size_t;
void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *, size_t);
int posix_memalign(void **, size_t, size_t); int MPI_Alloc_mem(long, void *, void *); void *memset(void *, int, size_t); void *memcpy(void *, const void *, size_t); void exit(int);
struct s { int n; double v[]; }; struct one { int n; char name[1]; }; struct flat { int a; double b; };
struct holder { double *d; char *text; char *bytes; void *any; unsigned *words; };
struct derived { struct flat base; int more; };
static void *need(void *p) { if (!p) exit(1); return p; }
static void *xmalloc(size_t n) { void *p = malloc(n ? n : 1); if (!p) exit(1); return p; }
static void *xcalloc(size_t n, size_t m) { size_t all = n * m; void *p = need(malloc(all)); memset(p, 0, all); return p; }
static void *xrealloc(void *p, size_t n) { p = realloc(p, n); return need(p); }
static void *through(size_t n) { return xmalloc(n); }
void take(double *);
";

/// Types of the allocations of `f`, in order.
fn check(body: &str, expected: &str) {
    let text = format!("# 1 \"t.c\"\n{PRELUDE}{body}\n");
    let (unit, diagnostics) = pc3_syntax::lower::build("t.c", text, &Target::default());
    assert!(
        !diagnostics.has_errors(),
        "{body}: {:?}",
        diagnostics.list.first().map(|d| &d.message)
    );
    let units = [unit];
    let program = Program::new(&units);
    let graph = pc3_program::callgraph::analyse(&program, false);
    let heap = analyse(&program, &graph, &Annotations::default(), true);
    let last = units[0]
        .functions
        .last()
        .map(|f| f.span.clone())
        .unwrap_or(0..0);
    let found: Vec<String> = heap.sites[0]
        .iter()
        .filter(|s| units[0].expr(s.call).span.start >= last.start)
        .map(|s| match s.elem {
            Some(q) => units[0].type_name(QualType {
                is_const: false,
                ..q
            }),
            None if s.in_wrapper => "caller's".into(),
            None => "?".into(),
        })
        .collect();
    assert_eq!(found.join("; "), expected, "{body}");
}

#[test]
fn memory_that_is_given_away_in_pieces() {
    const POOL: &str =
        "struct pool { size_t item, used; char *block; }; static char *at; static char text[80];";
    let check = |give: &str, expected: &str| {
        check(
            &format!("{POOL} {give} void f(struct pool *p, size_t n) {{ p->block = malloc(n); at = malloc(n); }}"),
            expected,
        );
    };
    check("", "char; char");
    check(
        "void *get(struct pool *p) { return p->block + p->item * p->used++; }",
        "?; char",
    );
    check(
        "void *bump(size_t n) { void *r = at; at += n; return r; }",
        "char; ?",
    );
    // The whole is characters all the same, and so are pieces of a pointer to characters.
    check(
        "void *whole(struct pool *p) { return p->block; } char *tail(struct pool *p) { return p->block + 1; }",
        "char; char",
    );
}

#[test]
fn sizes() {
    check(
        "void f(int n) { int (*p)[n] = malloc(sizeof(int[2][n])); double (*q)[n][3] = malloc(n * sizeof(double[n][3])); int (*r)[4] = malloc(sizeof(int[n][4])); }",
        "int; double [3]; int [4]",
    );
    check(
        "void f(int n) { int a = n, b = a, c = b, d = c, e = d, g = e; void *p = malloc(g), *q = malloc(g * 8), *r = malloc(g * sizeof(double)); }",
        "?; ?; double",
    );
    check(
        "void f(int n) { double *p = (double *)malloc(2 * n * sizeof(double) + 256); struct flat *q = malloc(n * sizeof(struct flat) + 64); }",
        "double; ?",
    );
    check(
        "void f(int n) { void *p = malloc(n ?: 1), *q = malloc((n ?: 1) * sizeof(int)); }",
        "?; int",
    );
    check(
        "void f(int n) { void *p = malloc(n * sizeof(double)); }",
        "double",
    );
    check("void f(int n) { int *p = calloc(n, sizeof *p); }", "int");
    check(
        "void f(int n) { struct s *p = malloc(sizeof(struct s) + n * sizeof(double)); }",
        "struct s",
    );
    check(
        "void f(int n) { struct s *p = malloc(n * sizeof(double) + sizeof *p); }",
        "struct s",
    );
    check(
        "void f(int n) { void *p = malloc(n * sizeof(double) + sizeof(struct s)); }",
        "struct s",
    );
    check(
        "void f(int n) { struct one *p = malloc(sizeof *p + n); }",
        "struct one",
    );
    check("void f(int n) { struct s *p = malloc(__builtin_offsetof(struct s, v) + n * sizeof p->v[0]); }", "struct s");
    check("void f(int n) { struct s *p; size_t all = sizeof *p + n * sizeof(double); p = malloc(all); }", "struct s");
    // A chain of variables longer than is followed.
    check(
        "void f(void) { int a = 4; int b = a * 2; int c = b; int d = c; int e = d; int n = e; void *p = malloc(n); }",
        "?",
    );
    // What follows is no part of the struct.
    check(
        "void f(int n) { struct flat *p = malloc(sizeof *p + n * sizeof(float)); }",
        "?",
    );
    check(
        "void f(int n) { struct flat *p = malloc(sizeof *p + n); }",
        "?",
    );
    check(
        "void f(int n) { char **p = malloc(n * sizeof *p + 100); }",
        "?",
    );
    check(
        "void f(int n) { struct flat *p = malloc((n + 1) * sizeof *p); }",
        "struct flat",
    );
    check(
        "void f(int n) { struct flat *p = malloc(sizeof(struct derived)); }",
        "struct derived",
    );
    check(
        "void f(int n) { struct flat *p = malloc(4 * sizeof(long)); }",
        "struct flat",
    );
    check(
        "void f(int n) { double *p = malloc(n * sizeof(long)); }",
        "double",
    );
    check(
        "void f(int n) { char *p = malloc(n * sizeof(char)); }",
        "char",
    );
    check(
        "void f(int n) { int (*p)[4] = malloc(n * sizeof *p); }",
        "int [4]",
    );
    check(
        "void f(int n) { double *p = malloc(n > 3 ? n * sizeof *p : sizeof *p); }",
        "double",
    );
}

#[test]
fn sizes_with_another_way_out() {
    // For no memory, or a size that cannot be.
    check(
        "void f(int n) { struct flat *p = malloc(n ? n * sizeof *p : 1), *q = malloc(n < 0 ? (size_t)-1 : n * sizeof *q); }",
        "struct flat; struct flat",
    );
    const FAILS: &str = "static size_t fails(const char *s) { if (s) exit(1); return 0; } static size_t other(int n) { return n; }";
    check(
        &format!("{FAILS} void f(size_t n) {{ struct flat *p = malloc(n < 9 ? n * sizeof *p : fails(0)); void *q = malloc(n < 9 ? n * sizeof *p : other(1)); }}"),
        "struct flat; ?",
    );
    // It may be as much as something else needs.
    check(
        "void f(int n) { void *p = malloc(n ? sizeof(struct flat) : 4096); }",
        "?",
    );
    check(
        "void f(int n) { struct s *p = malloc((__builtin_offsetof(struct s, v) + 7 + n * sizeof(double)) & ~(size_t)7); void *q = malloc(n & 15); }",
        "struct s; ?",
    );
    // An array of any length goes on, if what is asked for begins within it.
    const LONGER: &str = "struct long_name { int n; char text[6]; };";
    check(
        &format!("{LONGER} void f(int n) {{ struct long_name *p = malloc(sizeof *p - 1 + n), *q = malloc(sizeof *q + n); }}"),
        "struct long_name; ?",
    );
}

#[test]
fn destinations() {
    check("void f(int n) { double *p = malloc(n * 8); }", "double");
    check(
        "void f(struct holder *h, int n) { h->d = malloc(n); h->text = malloc(n); }",
        "double; char",
    );
    check("void f(double **a, int n) { a[1] = malloc(n); }", "double");
    check("double *f(int n) { return malloc(8 * 3); }", "double");
    check(
        "void f(int n) { void *p = malloc(n); memset(p, 0, n); double *d = p; }",
        "double",
    );
    check("void f(int n) { void *p = malloc(n); take(p); }", "double");
    check(
        "void f(int n) { void *p; if ((p = malloc(n)) == 0) exit(1); ((struct flat *)p)->a = 1; }",
        "?",
    );
    check(
        "void f(int n) { void *p = malloc(n); int *i = p; double *d = p; }",
        "?",
    );
    check("void f(int n) { void *p = malloc(n); }", "?");
    check(
        "void f(int n) { double *p = n ? (exit(0), malloc(n)) : 0; }",
        "double",
    );
    check(
        "void f(int n) { double *p; if (posix_memalign((void **)&p, 64, n)) exit(1); }",
        "double",
    );
    check(
        "void f(struct holder *h, int n, void *where) { int *p; MPI_Alloc_mem(n, 0, &p); MPI_Alloc_mem(n, 0, (void *)&h->d);
            MPI_Alloc_mem(n * sizeof(struct flat), 0, where); MPI_Alloc_mem(n, 0, where); }",
        "int; double; struct flat; ?",
    );
    check(
        "void f(double *p, int n) { double *q = need(realloc(p, n)); }",
        "double",
    );
    check(
        "void f(struct holder *h, int n) { h->any = realloc(h->d, n); }",
        "double",
    );
    // Characters that are looked at as something else.
    check(
        "void f(int n) { char *p = malloc(n); struct flat *q = (struct flat *)(p + 8); }",
        "?",
    );
    check(
        "void f(struct holder *h, int n) { h->bytes = malloc(n); int *i = (int *)&h->bytes[4]; }",
        "?",
    );
    check(
        "void f(struct holder *h, int n) { h->words = malloc(n); short *i = (short *)h->words; }",
        "?",
    );
}

#[test]
fn wrappers() {
    check(
        "void f(int n) { double *p = need(malloc(n)); char *c = need(malloc(n)); }",
        "double; char",
    );
    check(
        "void f(int n) { double *p = xmalloc(n); char *c = through(n); }",
        "double; char",
    );
    check(
        "void f(int n) { void *p = xcalloc(n, sizeof(struct flat)); }",
        "struct flat",
    );
    check(
        "void f(struct flat *p, int n) { p = xrealloc(p, n * sizeof *p); }",
        "struct flat",
    );
    check("void *f(size_t n) { return malloc(n); }", "caller's");
    check(
        "void *f(size_t n) { return malloc(sizeof(double)); }",
        "double",
    );
    check(
        "void *f(void *q, size_t n) { return memcpy(xmalloc(n), q, n); }",
        "caller's",
    );
    let aligned = "static size_t pad; static void *aligned(size_t n) { void *p = 0; size_t all = n + pad; int bad = posix_memalign(&p, 64, all); if (!p || bad) exit(1); return p; }
        static void *array(unsigned long long n, int size) { size_t all = n; all *= size; void *p = aligned(all); return p; }";
    check(
        &format!("{aligned} void *f(size_t n) {{ return aligned(n); }}"),
        "caller's",
    );
    check(
        &format!("{aligned} void f(int n) {{ double *d = aligned(n); double (*p)[8][6] = (double (*)[8][6])array(8 * 6, sizeof(double)); }}"),
        "double; double [8][6]",
    );
    // Only what is returned is the caller's.
    check(
        "void *f(size_t n) { int *m = malloc(n); void *q = malloc(n); return q; }",
        "int; caller's",
    );
    let shared = "static void *shared(size_t n) { void *p; MPI_Alloc_mem(n, 0, &p); return p; }";
    check(
        &format!("{shared} void f(int n) {{ double *d = shared(n); int *i = shared(n); }}"),
        "double; int",
    );
}

#[test]
fn wrappers_of_sizes_in_steps() {
    const STEPS: &str = "void *steps(size_t n) { size_t units = (n + 15) >> 4, bytes = units << 4; void *p = malloc(bytes); return need(p); }
        static inline void *copy(void *to, const void *from, size_t n) { return __builtin___memcpy_chk(to, from, n, -1); }
        void *same(const void *p, size_t n) { return copy(steps(n), p, n); }
        char *text(int k) { static char *slots[9]; size_t n = k + 4; char *p = malloc(n); slots[k] = p; return p; }
        int printf(const char *, ...);";
    check(
        &format!("{STEPS} void f(struct holder *h, int n) {{ h->any = steps(n * sizeof(struct flat)); h->any = same(h, n * sizeof(double)); printf(text(3)); }}"),
        "struct flat; double; char",
    );
}

#[test]
fn wrappers_with_headers() {
    // Behind a header that the caller does not see.
    let headers = "static void *sized(size_t n) { long *p = malloc(n + 8); p[0] = n; p++; return p; }
        static void *counted(size_t n) { size_t *p = (size_t *)malloc(n + sizeof(size_t)); *p = n; return (void *)(p + 1); }";
    for body in [
        "void *f(size_t n) { long *p = malloc(n + 8); p[0] = n; p++; return p; }",
        "void *f(size_t n) { long *p = malloc(n + 8); p[0] = n; return p + 1; }",
        "void *f(size_t n) { size_t *p = (size_t *)malloc(n + sizeof(size_t)); *p = n; return (void *)(p + 1); }",
        "char *f(size_t n) { long *p; p = (long *)malloc(n + 8); p[0] = n; return (char *)&p[1]; }",
    ] {
        check(body, "?");
    }
    check(
        &format!("{headers} void f(int n) {{ double *d = sized(n); d = counted(n); }}"),
        "",
    );
    check(
        "long *f(size_t n) { long *p = malloc(n + 8); p[0] = n; p++; return p; }",
        "long",
    );
    check(
        "char *f(size_t n) { char *p = malloc(8 * 4); *p = 0; return p + 1; }",
        "char",
    );
    check(
        "void *f(size_t n) { char *p = malloc(n + 8); *p = 0; return p + 8; }",
        "?",
    );
    // As functions that allocate were declared before there was `void *`.
    let early =
        "static int *check(int n) { int *p = (int *)malloc(n); if (!p) exit(1); return p; }";
    check(
        &format!("{early} void f(int n) {{ int *a = check(n * 4); char **t = (char **)check(n * sizeof *t); struct s *s = (struct s *)check(sizeof *s); check(8)[1] = 2; }}"),
        "int; char *; struct s; int",
    );
    // Resizing by a wrapper with two sizes; freeing by one is no allocation.
    let resize = "static void *resize(void *o, void *p, size_t was, size_t n) { if (!n) return 0; return realloc(p, n); }
        struct user { void *(*resize)(void *, void *, size_t, size_t); }; void set(struct user *u) { u->resize = resize; }";
    check(
        &format!("{resize} void f(struct user *u, int *p, int n) {{ p = u->resize(u, p, n * sizeof(int), 2 * n * sizeof(int)); u->resize(u, p, n, 0); }}"),
        "int",
    );
    check(
        "void f(int n) { char *p = (char *)malloc(7 + 3 * sizeof(int)); }",
        "char",
    );
}

#[test]
fn heads_in_front() {
    const HEADS: &str = "struct head { size_t size; int kind; };
        static void *behind(size_t n) { struct head *h = malloc(sizeof *h + n); h->size = n; return h + 1; }
        static struct head *whole(size_t n) { struct head *h = malloc(sizeof(struct head) + n); return h; }
        static void *inner(size_t n) { struct head *h = whole(n); return (char *)h + sizeof *h; }";
    let check = |uses: &str, expected: &str| {
        check(&format!("{HEADS} void f(int n) {{ {uses} }}"), expected);
    };
    check("struct flat *x = behind(sizeof *x);", "struct flat");
    check("double *d = inner(n * sizeof *d);", "double");
    check(
        "struct head *h = whole(sizeof(struct flat));",
        "struct flat",
    );
    check("struct head *h = whole(n);", "?");
}

#[test]
fn initialisers() {
    let types = "struct pair { int n; union { double *d; char *c; }; struct { char *text; int *list[2]; } in; };";
    check(
        &format!("{types} void f(int n) {{ struct pair p = {{n, {{malloc(n)}}, {{malloc(n), {{malloc(n), malloc(n)}}}}}}; }}"),
        "double; char; int; int",
    );
    check(
        &format!("{types} void f(int n) {{ struct pair p = (struct pair){{.in.text = malloc(n), .in.list[1] = malloc(n)}}; }}"),
        "char; int",
    );
    // Where the memory is also looked at as something else.
    check(
        &format!("{types} void g(struct pair *p) {{ short *s = (short *)p->in.list[0]; }} void f(int n) {{ struct pair p = {{.in.list = {{malloc(n)}}}}; double *all[2] = {{malloc(n)}}; }}"),
        "?; double",
    );
}

#[test]
fn wrappers_behind_pointers() {
    let pool = "struct pool { void *(*get)(void *, int, int); };
        static void *plain(void *opaque, int n, int size) { void *v = malloc(n * size); return v; }
        void init(struct pool *p) { p->get = plain; }";
    check(
        &format!("{pool} void f(struct pool *p) {{ double *d = (p->get)(p, sizeof(double), 1); int *i = p->get(p, 10, sizeof *i); }}"),
        "double; int",
    );
    check(
        &format!("{pool} static void *other(void *o, int n, int s) {{ return o; }} void g(struct pool *p) {{ p->get = other; }}
            void f(struct pool *p) {{ int *i = p->get(p, 10, sizeof *i); }}"),
        "",
    );
}

#[test]
fn numbers_also_kept_as_bytes() {
    let form = |body: &str| {
        let text = format!("# 1 \"t.c\"\n{PRELUDE}struct state {{ unsigned *words; unsigned char *bytes; }};\n{body}\n");
        let (unit, _) = pc3_syntax::lower::build("t.c", text, &Target::default());
        let units = [unit];
        let program = Program::new(&units);
        let graph = pc3_program::callgraph::analyse(&program, false);
        let heap = analyse(&program, &graph, &Annotations::default(), true);
        heap.sites[0].last().map(|s| s.form)
    };
    let allocate = "s->words = malloc(n * sizeof(unsigned));";
    let kept = form(&format!(
        "void f(struct state *s, int n) {{ {allocate} s->bytes = (unsigned char *)s->words; }}"
    ));
    assert_eq!(kept, Some(SizeForm::Mixed));
    let seen = form(&format!(
        "int f(struct state *s, int n) {{ {allocate} return ((unsigned char *)s->words)[1]; }}"
    ));
    assert_eq!(seen, Some(SizeForm::Row));
}

#[test]
fn the_report() {
    let text = format!(
        "# 1 \"t.c\"\n{}\n# 1 \"a.c\"\n{}",
        PRELUDE,
        "char *strdup(const char *);
void f(struct holder *h, int n) {
    h->d = malloc(n * sizeof *h->d);
    h->text = strdup(\"t\");
    h->any = malloc(n);
    void *p = malloc(n); double *d = p;
    h->words = xmalloc(n);
    struct s *s = malloc(sizeof *s + n * sizeof(double));
    h->any = realloc(h->d, n);
    void *(*by)(unsigned long) = malloc;
}
static char *cursor;
static void *deal(size_t n) { char *p = cursor; cursor += n; return p; }
struct app { int tag; struct app *f, *x; }; struct ind { int tag; long v; };
void g(struct app *a) { struct ind *i = (struct ind *)a; i->v = 1; struct flat *d = deal(sizeof *d); d->a = 1; }
"
    );
    let (unit, _) = pc3_syntax::lower::build("a.c", text, &Target::default());
    let units = [unit];
    let program = Program::new(&units);
    let graph = pc3_program::callgraph::analyse(&program, false);
    let heap = analyse(&program, &graph, &Annotations::default(), true);
    let mut report = report::report(&program, &heap);
    report.lines.retain(|l| l.file == "a.c");
    let expected = "\
a.c:3: malloc in f: double, by the `sizeof` in its size
a.c:4: strdup in f: char, that is what the library function makes
a.c:5: malloc in f: unknown, as neither the size nor where the result goes names a type
a.c:6: malloc in f: double, by the first typed use of `p`, which it goes to
a.c:7: xmalloc in f: unsigned int, by `h->words`, which it is assigned to
a.c:8: malloc in f: struct s with a longer array at its end, by the `sizeof` in its size, which adds the array's
a.c:9: realloc in f: double, by what its first argument points to
a.c:10: malloc in f: unknown, as it is called through a pointer
a.c:15: deal in g: struct flat, by the `sizeof` in its size
9 places that allocate, 2 of unknown type
What is of unknown type can only go back to its own architecture. To change that write the size with sizeof, assign the result to a typed pointer, or say it: `#pragma pc3 type TYPE` above, or `type a.c:5: TYPE` in a file for --annotations.
a.c:13: deal hands out pieces of memory, each of the type that its caller takes it for and of the size that they ask for
a.c:15: memory of `struct app` is also written as `struct ind`: values that could be either do not change architecture
";
    assert_eq!(report::text(&report), expected);
    let json = report::json(&report);
    let objects: Vec<serde_json::Value> = json
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert_eq!(objects.len(), 11);
    assert_eq!(objects[0]["type"], "double");
    assert_eq!(objects[2]["known"], false);
    assert!(objects[2]["type"].is_null() && objects[2]["help"].is_string());
    assert_eq!(
        (&objects[6]["line"], &objects[6]["file"]),
        (&9.into(), &"a.c".into())
    );
}

#[test]
fn pieces_are_what_their_callers_say() {
    const BLOCK: &str = "struct r { char *at, *end; void *free; size_t used, item; struct link { struct link *next; } *links; }; \
        static struct r r; static char text[80]; static size_t used;";
    let check = |give: &str, calls: &str, expected: &str| {
        check(
            &format!("{BLOCK} {give} void f(double **d, char **c) {{ {calls} }}"),
            expected,
        );
    };
    check(
        "static void *get(size_t n) { void *p = r.at; r.at += n; return p; }",
        "struct flat *x = get(sizeof *x); *d = get(8); *c = get(3); get(5);",
        "struct flat; double; char; ?",
    );
    check(
        "static void *get(size_t n, size_t align) { char *p = r.end + ((r.used + align - 1) & ~(align - 1)); r.used = p + n - r.end; return p; }",
        "struct flat *x = get(2 * sizeof *x, 8);",
        "struct flat",
    );
    check(
        "static void *get(size_t n, size_t each) { size_t at = used; used += n * each; return text + at; }
         static void *all(size_t n) { return memset(get(n, 1), 0, n); }",
        "struct flat *x = get(3, sizeof *x), *y = all(sizeof *y);",
        "struct flat; struct flat",
    );
    check(
        "size_t up(size_t n, size_t to); static void *get(size_t n, size_t to) { size_t at = up(used, to); void *p = text + at; used = at + n; return p; }",
        "struct flat *x = get(3 * sizeof *x, 8);",
        "struct flat",
    );
    check(
        "static void *get(void) { void *p = r.free; r.free = *(void **)p; return p; }",
        "struct flat *x = get(); *d = get();",
        "struct flat; double",
    );
    check(
        "static void *get(void) { struct link *p = r.links; if (p) r.links = p->next; return p; }",
        "struct flat *x = (struct flat *)get();",
        "struct flat",
    );
    // As K&R had it.
    check(
        "static char *get(unsigned n) { if (r.end - r.at < n) return 0; r.at += n; return r.at - n; }",
        "struct flat *x = (struct flat *)get(sizeof(struct flat));",
        "struct flat",
    );
    // These give away nothing.
    check(
        "static void *nth(size_t i) { return r.at + i * r.item; }",
        "struct flat *x = nth(3);",
        "",
    );
    check(
        "static void *get(size_t n) { (void)n; return r.free; }",
        "struct flat *x = get(4);",
        "",
    );
    check(
        "static char *get(void) { return r.at++; }",
        "char *x = get();",
        "",
    );
    check(
        "static void *get(struct flat **p) { return *p++; }",
        "struct flat *x = get(0);",
        "",
    );
}
