use super::*;
use pc3_program::annotations::Annotations;
use pc3_syntax::types::Target;

const PRELUDE: &str = "typedef unsigned long size_t; void *malloc(size_t n); void free(void *p); void *realloc(void *p, size_t n);
    void *memcpy(void *to, const void *from, size_t n);\n";

/// Structs whose memory is also written as another one, of a body.
fn check_also(body: &str, expected: &str) {
    let types = "struct app { int tag; struct app *f, *x; }; struct val { int tag; long v; double d; };
        struct base { int tag; struct app *f; }; struct more { struct base b; double d; }; struct flatter { int tag; struct app *f; double d; };
        struct box { int tag; union { struct app *f; long v; double d; }; }; struct only { int tag; long never; };";
    let text = format!("# 1 \"t.c\"\n{PRELUDE}{types}{body}\n");
    let (unit, diagnostics) = pc3_syntax::lower::build("t.c", text, &Target::default());
    assert!(!diagnostics.has_errors(), "{body}");
    let units = [unit];
    let program = Program::new(&units);
    let graph = pc3_program::callgraph::analyse(&program, false);
    let heap = crate::heap::analyse(&program, &graph, &Annotations::default(), true);
    let name = |s: Struct| units[s.unit].type_name(QualType::plain(s.ty));
    let pairs = heap.also.iter();
    let mut pairs: Vec<String> = pairs
        .map(|a| format!("{} as {}", name(a.of), name(a.other)))
        .collect();
    pairs.sort();
    assert_eq!(pairs.join("; "), expected, "{body}");
}

#[test]
fn written_as_another_struct() {
    let both = "struct app as struct val";
    for (body, expected) in [
        ("void f(struct app *a) { struct val *v = (struct val *)a; v->d = 1; }", both),
        ("void f(struct app *a) { ((struct val *)a)->v++; }", both),
        ("void f(struct app *a) { void *p = a; struct val *v = p; v->v = 1; }", both),
        ("struct val *g(struct app *a) { return (void *)a; } void f(struct val *v) { v->v = 2; }", both),
        ("void f(struct val *v) { v = malloc(sizeof(struct app)); v->d = 2; }", both),
        ("static struct app all[4]; void f(int i) { *(struct val *)&all[i] = (struct val){ 1, 2, 3 }; }", both),
        ("void f(struct app *a, struct val *v) { memcpy((struct val *)a, v, sizeof *v); }", both),
        // What both have, one begins as the other, or a union says it.
        ("void f(struct app *a) { ((struct val *)a)->tag = 1; }", ""),
        ("void f(struct more *m) { struct base *b = (struct base *)m; b->f = 0; ((struct more *)b)->d = 1; }", ""),
        ("void f(struct base *b) { ((struct flatter *)b)->d = 1; }", ""),
        ("void f(struct app *a) { ((struct box *)a)->v = 1; }", ""),
        // Never stored; behind it; now this and now that.
        ("long f(struct app *a) { return ((struct only *)a)->never; }", ""),
        ("void f(struct app *a) { struct val *v = (struct val *)&a[1]; v->d = 1; v = (struct val *)(a + 1); }", ""),
        // A variable that is now this and now that; but nothing is ever taken out of it as the one.
        ("void f(struct app *a, struct val *w) { void *p = w; if (a) { p = a; struct app *b = p; b->x = 0; } else { struct val *v = p; v->d = 1; } }", ""),
        ("void f(struct app *a, struct val *w) { void *p = w; if (a) p = a; struct val *v = p; v->d = 1; }", both),
        // Parameters, results, members, pointers to functions, addresses of pointers.
        ("static void g(void *p) { struct val *v = p; v->d = 1; } void f(struct app *a) { g(a); }", both),
        ("static void h(struct val *v) { v->d = 1; } static void g(void *p) { h(p); } void f(struct app *a) { g(a); }", both),
        ("static struct app all; static void *g(void) { return &all; } void f(void) { struct val *v = g(); v->d = 1; }", both),
        ("struct list { void *data; }; void f(struct list *l, struct app *a) { l->data = a; } void g(struct list *l) { struct val *v = l->data; v->d = 1; }", both),
        ("struct list { void *data; }; struct list f(struct app *a) { struct list l = { a }; return l; } void g(struct list *l) { ((struct val *)l->data)->v++; }", both),
        ("static void g(void *p) { struct val *v = p; v->d = 1; } void f(struct app *a, int n) { void (*h)(void *) = n ? g : 0; h(a); }", both),
        ("static void *kept; static void g(void **to) { *to = kept; } void f(struct app *a) { struct val *v; kept = a; g((void **)&v); v->d = 1; }", both),
        ("static void g(void *p) { char *c = p; struct val *v = (struct val *)(c + sizeof(struct app)); v->d = 1; } void f(struct app *a) { g(a); }", ""),
        ("static void g(char *p) { struct val *v; p += sizeof(struct app); v = (struct val *)p; v->d = 1; } void f(struct app *a) { g((char *)a); }", ""),
        ("static void g(void *p) { struct val *v = (struct val *)p - 1; v->d = 1; } void f(struct app *a) { g(a); }", ""),
        // What is returned is what was given, or new.
        ("static void *more(void *p, size_t n) { if (n < 9) return p; return realloc(p, n); } void f(struct app *a, struct val *v) {
          a = more(a, 9 * sizeof *a); v = more(0, 9 * sizeof *v); v->d = 1; }", ""),
        // Lists of anything, each with structs of its own.
        ("struct list { void *data; }; void f(struct list *l, struct app *a) { l->data = a; a = l->data; a->x = 0; }
          void g(struct list *l, struct val *v) { l->data = v; v = l->data; v->d = 1; }", ""),
        ("static void *same(void *p) { return p; } void f(struct app *a, struct val *v) { a = same(a); a->x = 0; v = same(v); v->d = 1; }", ""),
        ("static void each(void (*h)(void *), void *p) { h(p); } static void ga(void *p) { struct app *a = p; a->x = 0; }
          static void gv(void *p) { struct val *v = p; v->d = 1; } void f(struct app *a, struct val *v) { each(ga, a); each(gv, v); }", ""),
        ("void g(struct list *l) { struct val *v = malloc(sizeof *v); v->d = 1; void *p = v; free(p); }", ""),
    ] {
        check_also(body, expected);
    }
}
