use super::infer;
use crate::tracking;
use pc3_portability::heap;
use pc3_program::annotations::{Annotations, InUnit};
use pc3_program::callgraph;
use pc3_program::program::Program;
use pc3_syntax::types::Target;

const PRELUDE: &str = "
typedef unsigned long size_t;
void *malloc(size_t); void *memcpy(void *, const void *, size_t); void *memset(void *, int, size_t);
size_t fread(void *, size_t, size_t, void *); void free(void *); int g(void); void show(const union as *);
enum { NONE, INT, REAL, TEXT };
struct v { int kind; union as { long long i; double d; char *s; } as; } *root, one;
static void integer(struct v *p, long long i) { p->as.i = i; p->kind = INT; }
static void text(struct v *p, char *s) { p->kind = TEXT; p->as.s = s; }
int main(void) { root = malloc(sizeof *root); pc3_checkpoint(); return 0; }
";

fn told(text: String) -> String {
    let (unit, diagnostics) = pc3_syntax::lower::build("t.c", text, &Target::default());
    assert!(
        !diagnostics.has_errors(),
        "{:?}",
        diagnostics.list.first().map(|d| &d.message)
    );
    let units = [unit];
    let program = Program::new(&units);
    let graph = callgraph::analyse(&program, false);
    let mut said = Annotations::default();
    said.units.push(InUnit::default());
    let heap = heap::analyse(&program, &graph, &said, true);
    let noted = tracking::analyse(&program, &graph, &said, &heap);
    infer(&program, &noted).told.join("; ")
}

/// What is concluded of `union as`, without what all cases have in common.
fn check(body: &str, expected: &str) {
    let text = format!(
        "# 1 \"t.c\"\nvoid pc3_checkpoint(void); union as;{PRELUDE}\n# 1 \"b.c\"\n{body}\n"
    );
    let told = told(text);
    let told = told.strip_prefix("union as: ").unwrap_or(&told);
    let told = told.strip_prefix("struct v kind & 0xffffffffffffffff: ");
    assert_eq!(told.unwrap_or("nothing"), expected, "{body}");
}

/// Nothing is concluded, for this reason.
fn none(body: &str, why: &str) {
    let text = format!(
        "# 1 \"t.c\"\nvoid pc3_checkpoint(void); union as;{PRELUDE}\n# 1 \"b.c\"\n{body}\n"
    );
    assert_eq!(told(text), format!("union as: none: {why}"), "{body}");
}

#[test]
fn copies_of_bytes_only_read_what_they_are_of() {
    check(
        "void f(struct v *p, struct v *q, size_t n) { __builtin_memcpy(p, q, n * sizeof *q); }",
        "i = 1, s = 3, * = *; 0 checked",
    );
    none(
        "void f(struct v *p, double *q, size_t n) { __builtin_memcpy(p, q, n); }",
        "a function can fill it at b.c:1",
    );
}

#[test]
fn values_and_tags() {
    check("", "i = 1, s = 3, * = *; 0 checked");
    check(
        "void f(struct v *p) { p->as.d = 1.5; p->kind = REAL; }",
        "i = 1, d = 2, s = 3, * = *; 0 checked",
    );
    // What comes last counts.
    check(
        "void f(struct v *p) { p->as.d = 1.5; p->kind = REAL; p->as.i = 1; p->kind = INT; }",
        "i = 1, s = 3, * = *; 0 checked",
    );
    check(
        "void f(struct v *p, int c) { p->as.d = g(); p->kind = c ? REAL : 7; }",
        "i = 1, d = 2 | 7, s = 3, * = *; 0 checked",
    );
    check(
        "void f(struct v *p, int c) { p->as.s = 0; p->kind = c | 64; text(p, \"\"); }",
        "i = 1, s = 3, * = *; 0 checked",
    );
    check(
        "void f(struct v *p, int c) { p->as.s = \"a\"; p->kind = c | 64; }",
        "i = 1, s = any 0x40 | 3, * = *; 0 checked",
    );
    check(
        "struct v three = { REAL, { .d = 3 } }; void f(void) { one = (struct v){ INT, { 4 } }; }",
        "i = 1, d = 2, s = 3, * = *; 0 checked",
    );
    check(
        "void f(struct v *p, const struct v *q) { p->as = q->as; p->kind = q->kind; *p = *q; memcpy(p, q, sizeof *p); }",
        "i = 1, s = 3, * = *; 0 checked",
    );
    // Nothing belongs to a value that is stored alone.
    check(
        "void f(struct v *p) { p->kind = NONE; }",
        "i = 1, s = 3, ? = *; 0 checked",
    );
}

#[test]
fn stores_that_are_checked() {
    check(
        "void f(struct v *p, int c) { if (c) p->as.i = 1; p->as.i += c; }",
        "i = 1, s = 3, * = *; 2 checked",
    );
    check(
        "void f(struct v *p) { p->as.i = 1; g(); }",
        "i = 1, s = 3, * = *; 1 checked",
    );
    // Two pointers may lead to one object.
    none(
        "void f(struct v *p, struct v *q) { q->as.s = \"\"; p->as.i = 1; q->kind = TEXT; p->kind = INT; p->as.i = 3; }",
        "the tag is stored alone at b.c:1",
    );
    none(
        "void f(struct v *p) { p->as.d = 1; }",
        "a member is stored alone at b.c:1",
    );
}

#[test]
fn what_comes_between() {
    for body in [
        "void f(struct v *p) { p->as.i = 1; g(); p->kind = INT; }",
        "void f(struct v *p) { p->as.i = 1; pc3_checkpoint(); p->kind = INT; }",
        "void f(struct v *p, int c) { if (c) p->as.i = 1; p->kind = INT; }",
        "void f(struct v *p, int c) { if (c) goto l; p->as.i = 1; l: p->kind = INT; }",
        "void f(struct v *p, int c) { switch (c) { case 1: p->as.i = 1; case 2: p->kind = INT; } }",
        "void f(struct v *p) { p->as.i = 1; p = root; p->kind = INT; }",
        "void f(void) { root->as.i = 1; root = &one; root->kind = INT; }",
        "void f(struct v *p, struct v *q) { p->as.i = 1; *p = *q; p->kind = INT; }",
        "void f(struct v **p) { (*p)->as.i = 1; *p = root; (*p)->kind = INT; }",
        "void f(struct v *p) { while (g()) p->as.i = 1; p->kind = INT; }",
    ] {
        none(body, "the tag is stored alone at b.c:1");
    }
    none(
        "void f(struct v *p) { p->as.i = 1; p->kind = g(); }",
        "the tag is given any value at b.c:1",
    );
}

#[test]
fn contradictions() {
    none(
        "void f(struct v *p) { p->as.d = 1; p->kind = INT; }",
        "1 belongs to several members",
    );
    none(
        "void f(struct v *p, int c) { p->as.d = 1; p->kind = c | 1; }",
        "1 belongs to several members",
    );
    none(
        "void f(struct v *p, int c) { p->as.d = 1; p->kind = c; }",
        "the tag is given any value at b.c:1",
    );
    none(
        "void f(struct v *p) { p->kind = TEXT; }",
        "the tag is stored alone at b.c:1",
    );
    none(
        "void f(struct v *p, int c) { p->kind = c; }",
        "the tag is given any value at b.c:1",
    );
    none(
        "void f(struct v *p, struct v *q) { p->as = q->as; p->kind = INT; }",
        "it is copied without its tag at b.c:1",
    );
    none(
        "struct v bad = { INT, { .d = 2.5 } };",
        "1 belongs to several members",
    );
    none(
        "struct v bad = { .as.d = 2.5 }; void f(struct v *p) { p->kind = 0; }",
        "the tag is stored alone at b.c:1",
    );
}

#[test]
fn what_writes_behind_its_back() {
    for (body, why) in [
        ("void f(struct v *p, double **d) { *d = &p->as.d; }", "its address is taken at b.c:1"),
        ("void f(struct v *p, int **k) { *k = &p->kind; }", "the address of the tag of struct v is taken"),
        ("void f(struct v *p) { *(double *)p = 1; }", "a pointer to its struct becomes another at b.c:1"),
        ("void f(struct v *p) { *(double *)((char *)p + 8) = 1; }", "a pointer to its struct becomes another at b.c:1"),
        ("void f(struct v *p, void *s) { fread(p, 1, sizeof *p, s); }", "a function can fill it at b.c:1"),
        ("void h(void *p, void *s) { fread(p, 1, 8, s); } void f(struct v *p) { h(p, 0); }", "a function can fill it at b.c:1"),
        ("void h(void *p) { double *d = p; *d = 1; } void f(struct v *p) { h(p); }", "a function can fill it at b.c:1"),
        ("struct base { int kind; }; void f(struct v *p) { ((struct base *)p)->kind = 2; }", "the tag of struct v can be stored as one of struct base"),
        ("struct plain { int kind; double d; }; void f(struct plain *p) { text((struct v *)p, 0); }", "a pointer to something else becomes one to its struct at b.c:1"),
        ("void *at; void f(struct v *p) { at = p; } void h(void) { double *d = at; *d = 1; }", "a pointer to its struct is kept without its type at b.c:1"),
        ("void f(struct v *p, char *b) { memcpy(p, b, sizeof *p); }", "a function can fill it at b.c:1"),
        ("void f(struct v *p) { memset(p, 255, sizeof *p); }", "a function can fill it at b.c:1"),
        ("void f(union as *p) { p->i = 1; }", "a pointer leads to it at b.c:1"),
        ("union as alone;", "the variable `alone` is one without a struct"),
        ("void f(struct v *p, int c) { g() && (c = (p->as.i = 1)); }", "it is stored to in an expression at b.c:1"),
        ("struct w { union as as; } *w; void f(void) { w->as.i = 1; }", "struct w has no tag"),
    ] {
        none(body, why);
    }
    check(
        "void *at; void f(struct v *p) { at = p; } void h(void) { int *d = at; struct v *v = at; *d = 1; text(v, 0); }",
        "i = 1, s = 3, * = *; 0 checked",
    );
    check(
        "void f(struct v *p) { show(&p->as); free(p); memset(p, 0, sizeof *p); }",
        "i = 1, s = 3, * = *; 0 checked",
    );
}

/// What is concluded of a union that a pointer beside it leads to.
fn own(body: &str, expected: &str) {
    const UP: &str = "
void pc3_checkpoint(void); void *malloc(unsigned long); int g(void); struct up;
union in { struct { struct up *next, **back; } open; struct value { long long n; int kind; } value; };
struct up { struct value *v; int mark; union in u; } *ups; struct value one;
static void made(struct up *p) { p->v = &p->u.value; p->v->n = 1; }
static void opened(struct up *p, struct up **at) { p->v = &one; p->u.open.next = ups; p->u.open.back = at; }
int main(void) { ups = malloc(sizeof *ups); pc3_checkpoint(); return 0; }
";
    let told = told(format!("# 1 \"t.c\"\n{UP}\n# 1 \"b.c\"\n{body}\n"));
    let told = told.strip_prefix("union in: ").unwrap_or(&told);
    let told = told.strip_prefix("struct up v & 0xffffffffffffffff: ");
    assert_eq!(told.unwrap_or("nothing"), expected, "{body}");
}

#[test]
fn pointers_to_an_own_member() {
    let with = |checks: usize| format!("value = self, open = *, * = *; {checks} checked");
    for (body, checks) in [
        ("", 1),
        ("void f(struct up *p) { struct value *s = &p->u.value; g(); { struct value *t = (s); t->n = p->v->n; } p->v = s; }", 1),
        ("void f(struct up *p) { p->u.value = *p->v; p->v = &p->u.value; }", 1),
        ("void f(struct up *p) { { struct value *s = &p->u.value; s->n = 1; } p->v = &p->u.value; }", 1),
        ("void f(struct up *p) { p->u.value.n = 1; }", 2),
        ("void f(struct up *p) { p->u.open.next = p; p->v = &one; }", 1),
        ("int f(struct up *p, struct up ***q) { *q = &p->u.open.next; return p->v == &p->u.value; }", 1),
    ] {
        own(body, &with(checks));
    }
    let none = "nothing";
    for body in [
        "void f(struct up *p) { struct value *s = &p->u.value; s->n = 1; g(); p->v = s; }",
        "void f(struct up *p) { struct value *s = &p->u.value; s->n = 1; pc3_checkpoint(); p->v = s; }",
        "void f(struct up *p) { struct value *s = &p->u.value; s->n = 1; if (g()) return; p->v = s; }",
        "void f(struct up *p) { struct value *s = &p->u.value; s->n = 1; p = ups; p->v = s; }",
        "void f(struct up *p, struct up *q) { q->v = &p->u.value; }",
        "void f(struct up *p) { { struct value *s = &p->u.value; s->n = 1; } g(); p->v = &p->u.value; }",
        "void f(struct up *p, struct up *q) { { struct value *s = &p->u.value; s->n = 1; } p->v = &q->u.value; }",
        "struct value *at; void f(struct up *p) { at = &p->u.value; }",
        "void f(struct up *p, struct value ***a) { *a = &p->v; }",
        "void f(struct up *p, struct up *q) { p->u = q->u; }",
        "long long *n; void f(struct up *p) { n = &p->u.value.n; }",
    ] {
        own(body, none);
    }
}
