#![allow(clippy::unwrap_used)]

use super::{find, Counts};
use crate::analysis::measured::Measured;
use crate::analysis::program::Program;
use crate::tree::{QualType, Unit};
use crate::types::Target;

const MPI: &str = "typedef struct MPI_ABI_Datatype *MPI_Datatype; typedef long MPI_Aint;\n\
    extern MPI_Datatype old; extern MPI_Datatype t;\n\
    int MPI_Type_contiguous(int, MPI_Datatype, MPI_Datatype *);\n\
    int MPI_Type_create_hvector(int, int, MPI_Aint, MPI_Datatype, MPI_Datatype *);\n\
    int MPI_Type_create_hindexed(int, const int[], const MPI_Aint[], MPI_Datatype, MPI_Datatype *);\n\
    int MPI_Type_create_resized(MPI_Datatype, MPI_Aint, MPI_Aint, MPI_Datatype *);\n\
    int MPI_Type_create_subarray(int, const int[], const int[], const int[], int, MPI_Datatype, MPI_Datatype *);\n\
    int MPI_Type_size(MPI_Datatype, int *); int MPI_Get_address(const void *, MPI_Aint *);\n\
    int MPI_Comm_rank(void *, int *); void *malloc(unsigned long); void other(MPI_Aint *);\n\
    struct p { char c; double x; long n; double v[3]; }; extern struct p *p; extern int n; struct list { long n; double v[]; };\n";

fn said(u: &Unit, c: Counts) -> String {
    let name = |t| u.type_name(QualType::plain(t));
    match c {
        Counts::Multiple(t) => name(t),
        Counts::Place(t) => format!("in {}", name(t)),
        other => format!("{other:?}"),
    }
}

/// `body` makes one datatype: its lengths, and its places.
fn check(body: &str, lengths: &str, places: &str) {
    let text = format!("# 1 \"t.c\"\n{MPI}void f(int many, MPI_Aint given) {{ {body} }}\n");
    let (u, _) = crate::lower::build("t.c", text, &Target::default());
    let units = [u];
    let p = Program::new(&units);
    let found = find(&p, &Measured::default());
    let [call] = &found[0][..] else {
        panic!("{} calls in {body}", found[0].len());
    };
    let got = (said(&units[0], call.lengths), said(&units[0], call.places));
    assert_eq!(got, (lengths.to_owned(), places.to_owned()), "{body}");
    assert_eq!(call.name, "datatype 1 in f");
}

fn places(body: &str, want: &str) {
    check(body, "Plain", want);
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
    stride("given", "Plain");
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
    stride("(MPI_Aint)&((struct p *)0)->n", "in struct p");
    stride("n ? sizeof(struct p) : 2 * sizeof(struct p)", "struct p");
    stride(
        "__builtin_offsetof(struct list, v) + n * sizeof(double)",
        "Unknown",
    );
    // Something in front, and something of another type.
    stride("sizeof(struct p) + 8 * n", "Unknown");
    stride("sizeof(struct p) + sizeof(long)", "Unknown");
    stride("sizeof(struct p) + n * sizeof(double)", "Unknown");
    stride("sizeof(struct p) / 2", "Unknown");
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
    after("MPI_Aint d = sizeof(struct p); d += 8;", "Plain");
    after("int d; MPI_Comm_rank(0, &d);", "Plain");
    after("int d; MPI_Type_size(old, &d);", "Unknown");
    after("MPI_Aint d = 1; other(&d);", "Plain");
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
        "MPI_Aint *d = malloc(16); d[0] = sizeof(struct p); *d = 0;",
        "struct p",
    );
    with("MPI_Aint d[2] = {0, 8};", "Plain");
    with("MPI_Aint d[2]; MPI_Get_address(&p->x, &d[0]); MPI_Get_address(&p->n, &d[1]); d[1] -= d[0];", "Unknown");
    with(
        "MPI_Aint d[2] = {0, sizeof(struct p)}; other(d);",
        "Unknown",
    );
    with(
        "MPI_Aint d[2] = {0, sizeof(struct p)}, *e = d; e[0] = 8;",
        "Unknown",
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
