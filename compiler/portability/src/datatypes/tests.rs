use super::{find, Counts};
use crate::addresses::Numbers;
use crate::lints;
use pc3_program::annotations;
use pc3_program::callgraph;
use pc3_program::program::Program;
use pc3_syntax::diag::Diagnostics;
use pc3_syntax::tree::{QualType, Unit};
use pc3_syntax::types::Target;

const MPI: &str = "typedef struct MPI_ABI_Datatype *MPI_Datatype; typedef long MPI_Aint;\n\
    extern MPI_Datatype old; extern MPI_Datatype t;\n\
    int MPI_Type_contiguous(int, MPI_Datatype, MPI_Datatype *);\n\
    int MPI_Type_create_hvector(int, int, MPI_Aint, MPI_Datatype, MPI_Datatype *);\n\
    int MPI_Type_create_hindexed(int, const int[], const MPI_Aint[], MPI_Datatype, MPI_Datatype *);\n\
    int MPI_Type_create_resized(MPI_Datatype, MPI_Aint, MPI_Aint, MPI_Datatype *);\n\
    int MPI_Type_create_subarray(int, const int[], const int[], const int[], int, MPI_Datatype, MPI_Datatype *);\n\
    int MPI_Type_size(MPI_Datatype, int *); int MPI_Type_get_extent(MPI_Datatype, MPI_Aint *, MPI_Aint *); int MPI_Get_address(const void *, MPI_Aint *); MPI_Aint MPI_Aint_diff(MPI_Aint, MPI_Aint);\n\
    int MPI_Comm_rank(void *, int *); void *malloc(unsigned long); void other(MPI_Aint *);\n\
    struct p { char c; double x; long n; double v[3]; }; extern struct p *p; int n = 4;\n\
    struct list { long n; double v[]; }; struct head { long n; int k; };\n";

fn named(u: &Unit, c: Counts) -> String {
    let name = |t| u.type_name(QualType::plain(t));
    match c {
        Counts::Multiple(t) => name(t.1),
        Counts::Place(t) => format!("in {}", name(t.1)),
        Counts::Apart(t) => format!("apart in {}", name(t.1)),
        other => format!("{other:?}"),
    }
}

/// A unit makes one datatype: its lengths, and its places.
fn check_unit(text: &str, lengths: &str, places: &str) {
    let text = format!("# 1 \"t.c\"\n{MPI}{text}\n");
    let (u, _) = pc3_syntax::lower::build("t.c", text.clone(), &Target::default());
    let units = [u];
    let p = Program::new(&units);
    let graph = callgraph::analyse(&p, false);
    let said = annotations::resolve(&units, &[], &mut Diagnostics::default());
    let numbers = Numbers::new(&p, &graph, &said, &lints::wanted);
    let found = find(&p, &graph, &numbers);
    let [call] = &found[0][..] else {
        panic!("{} calls in {text}", found[0].len());
    };
    let got = (
        named(&units[0], call.lengths),
        named(&units[0], call.places),
    );
    assert_eq!(got, (lengths.to_owned(), places.to_owned()), "{text}");
}

fn check(body: &str, lengths: &str, places: &str) {
    let text = format!("void f(int many, MPI_Aint given) {{ {body} }}");
    check_unit(&text, lengths, places);
}

fn places(body: &str, want: &str) {
    check(body, "Plain", want);
}

/// Places are followed from table to table, whose order is another each time.
#[test]
fn the_order_of_places_decides_nothing() {
    for _ in 0..40 {
        check_unit(
            "void f(void) { struct p one; MPI_Aint at[2], last, first; MPI_Get_address(&one.x, &first); last = first;
             for (int i = 0; i < 2; i++) { MPI_Get_address(&one.n, &at[i]); at[i] -= last; }
             int ones[2] = {1, 1}; MPI_Type_create_hindexed(2, ones, at, old, &t); }",
            "Plain",
            "apart in struct p",
        );
        // What nothing gives a value to begins with 0.
        check_unit(
            "static MPI_Aint at; void f(void) { at += sizeof(struct p); MPI_Type_create_hvector(n, 1, at, old, &t); }",
            "Plain",
            "struct p",
        );
    }
}

#[test]
fn one_number() {
    let stride = |e: &str, want: &str| {
        places(
            &format!("MPI_Type_create_hvector(n, 1, {e}, old, &t);"),
            want,
        );
    };
    stride("sizeof(struct p)", "struct p");
    stride("2 * n * (MPI_Aint)sizeof *p", "struct p");
    stride("many * sizeof(double)", "Fixed");
    stride("sizeof(double) + 2 * sizeof(int)", "Fixed");
    stride("n", "Plain");
    stride("32", "Plain");
    stride("0", "Nothing");
    stride("given", "Unknown");
    stride("__builtin_offsetof(struct p, x)", "in struct p");
    stride(
        "5 * sizeof(struct p) + __builtin_offsetof(struct p, n)",
        "in struct p",
    );
    stride(
        "__builtin_offsetof(struct p, v) + n * sizeof(double)",
        "in struct p",
    );
    stride("(char *)&p[2].x - (char *)p", "in struct p");
    stride("(char *)&p[n].x - (char *)&p[0]", "in struct p");
    stride("(char *)&p[1] - (char *)&p[0]", "struct p");
    stride("(char *)(p + 1) - (char *)p", "struct p");
    stride("(MPI_Aint)(p + 1) - (MPI_Aint)p", "struct p");
    stride("(MPI_Aint)&((struct p *)0)->n", "in struct p");
    stride("n ? sizeof(struct p) : 2 * sizeof(struct p)", "struct p");
    stride("sizeof(struct p[4]) / sizeof(struct p)", "Plain");
    // Something in front, something behind, and something of another type.
    let varies = [
        "__builtin_offsetof(struct list, v) + n * sizeof(double)",
        "sizeof(struct head) + __builtin_offsetof(struct p, x)",
        "__builtin_offsetof(struct head, k) + n * sizeof(double)",
        "sizeof(struct p) + 8 * n",
        "sizeof(struct p) + sizeof(long)",
        "sizeof(struct p) + n * sizeof(double)",
        "sizeof(struct p) / 2",
        "sizeof(struct p) / sizeof(double)",
        "(char *)&p->n - (char *)&p->x",
        "__builtin_offsetof(struct p, n) - __builtin_offsetof(struct p, x)",
    ];
    varies.iter().for_each(|e| stride(e, "Varies"));
    check(
        "MPI_Type_create_resized(old, 0, sizeof(struct p), &t);",
        "Nothing",
        "struct p",
    );
    check(
        "MPI_Type_contiguous(n * sizeof *p, old, &t);",
        "struct p",
        "Nothing",
    );
    check(
        "enum { SIZE = sizeof(struct p) }; MPI_Type_contiguous(SIZE, old, &t);",
        "Varies",
        "Nothing",
    );
    check(
        "char room[sizeof(struct p)]; MPI_Type_contiguous(sizeof room, old, &t);",
        "Varies",
        "Nothing",
    );
}

#[test]
fn variables() {
    let after = |before: &str, want: &str| {
        places(
            &format!("{before} MPI_Type_create_hvector(n, 1, d, old, &t);"),
            want,
        );
    };
    after("MPI_Aint d = sizeof(struct p);", "struct p");
    after(
        "MPI_Aint d; if (n) d = sizeof(struct p); else d = 3 * sizeof(struct p);",
        "struct p",
    );
    after(
        "MPI_Aint d = 0; while (n--) d += sizeof(struct p);",
        "struct p",
    );
    after("MPI_Aint d = sizeof(struct p); d += 8;", "Varies");
    after("int d; MPI_Comm_rank(0, &d);", "Plain");
    after("int d; MPI_Type_size(old, &d);", "Unknown");
    after("MPI_Aint d = 1; other(&d);", "Plain");
    after(
        "MPI_Aint d, lb; MPI_Type_get_extent(old, &lb, &d); d *= 2;",
        "Extents",
    );
    after("MPI_Aint d = sizeof(struct p) > 24 ? 8 : 4;", "Varies");
}

#[test]
fn of_other_functions() {
    let rows = "static void rows(MPI_Aint d) { MPI_Type_create_hvector(n, 1, d, old, &t); }";
    let called = |how: &str, want: &str| {
        check_unit(&format!("{rows} {how}"), "Plain", want);
    };
    called("void f(void) { rows(sizeof(struct p)); }", "struct p");
    called("void f(void) { rows(4 * n * sizeof(double)); }", "Fixed");
    called(
        "void f(void) { rows(__builtin_offsetof(struct p, n)); }",
        "in struct p",
    );
    called(
        "void f(void) { rows(sizeof(struct p)); rows(8); }",
        "Varies",
    );
    called("void f(void) { rows(40); rows(n); }", "Plain");
    called(
        "void f(void) { void (*make)(MPI_Aint) = rows; make(sizeof(struct p)); }",
        "Unknown",
    );
    called(
        "static MPI_Aint of(void) { return sizeof(struct p); } void f(void) { rows(of()); }",
        "struct p",
    );
    called(
        "static const struct { int n; MPI_Aint at; } all[] = { { 1, __builtin_offsetof(struct p, x) }, { 2, 0 } };\
         void f(void) { rows(all[n].at); }",
        "in struct p",
    );
    called(
        "struct say { MPI_Aint stride; }; void f(struct say *s) { s->stride = sizeof(struct p); rows(s->stride); }",
        "struct p",
    );
}

#[test]
fn arrays() {
    let with = |before: &str, want: &str| {
        let call = "MPI_Type_create_hindexed(2, (int[]){1, 1}, d, old, &t);";
        places(&format!("{before} {call}"), want);
    };
    with("MPI_Aint d[2] = {0, 3 * sizeof(struct p)};", "struct p");
    with(
        "MPI_Aint d[4] = {[1] = sizeof(struct p), [3] = __builtin_offsetof(struct p, n)};",
        "in struct p",
    );
    with(
        "MPI_Aint d[2]; for (int i = 0; i < 2; i++) d[i] = i * sizeof(struct p);",
        "struct p",
    );
    with(
        "MPI_Aint d[9] = {0}; for (int i = 1; i < 9; i++) d[i] = d[i - 1] + sizeof(struct p);",
        "struct p",
    );
    with(
        "MPI_Aint *d = malloc(16); d[0] = sizeof(struct p); *d = 0;",
        "struct p",
    );
    with("MPI_Aint d[2] = {0, 8};", "Plain");
    let asked = "MPI_Aint d[2]; MPI_Get_address(&p->x, &d[0]); MPI_Get_address(&p->n, &d[1]);";
    let apart = |more: &str, want: &str| with(&format!("{asked} {more}"), want);
    apart("", "apart in struct p");
    apart("d[1] -= d[0];", "apart in struct p");
    apart("d[1] = MPI_Aint_diff(d[1], d[0]);", "apart in struct p");
    apart("d[0] = 0;", "apart in struct p");
    apart("d[1] += 8;", "Unknown");
    apart("MPI_Get_address(&n, &d[1]);", "Unknown");
    apart("struct head h; MPI_Get_address(&h.k, &d[1]);", "Unknown");
    apart(
        "struct p q; MPI_Get_address(&q.v[n], &d[1]);",
        "apart in struct p",
    );
    apart(
        "struct p q[4]; MPI_Get_address(q + 1, &d[1]);",
        "apart in struct p",
    );
    apart(
        "struct { struct p in; } q; MPI_Get_address(&q.in.x, &d[1]);",
        "Unknown",
    );
    apart("d[1] = (MPI_Aint)&p->n - d[0];", "apart in struct p");
    apart("d[1] = sizeof(struct p);", "Varies");
    with(
        "MPI_Aint d[2] = {0, sizeof(struct p)}, *e = d; e[0] = 8;",
        "Varies",
    );
    check(
        "int size[2] = {n, 4 * sizeof(struct p)}, part[2] = {1, sizeof(struct p)}, at[2] = {0, 0};\
         MPI_Type_create_subarray(2, size, part, at, 56, old, &t);",
        "struct p",
        "Nothing",
    );
    check(
        "int size[2] = {5, 640}, part[2] = {1, 64}, at[2] = {0, 3};\
         MPI_Type_create_subarray(2, size, part, at, 56, old, &t);",
        "Plain",
        "Nothing",
    );
}
