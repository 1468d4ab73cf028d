//! Which unions are noted in small programs, as text. `UPDATE_EXPECT=1` writes the texts anew.
#![allow(clippy::unwrap_used)]

use expect_test::{expect, Expect};
use pc3_portability::heap;
use pc3_program::annotations;
use pc3_program::callgraph;
use pc3_program::program::Program;
use pc3_syntax::diag::Diagnostics;
use pc3_syntax::lower;
use pc3_syntax::types::Target;
use pc3_unions::tracking;

const PRELUDE: &str =
    "typedef unsigned long size_t; void *malloc(size_t); void pc3_checkpoint(void);";

/// What the unions that are noted in a program are: their names and members.
fn check(text: &str, expect: Expect) {
    let text = format!("# 1 \"a.c\"\n{PRELUDE}\n# 1 \"a.c\"\n{text}\n");
    let (unit, diagnostics) = lower::build("a.c", text, &Target::default());
    let first = diagnostics.list.first().map(|d| &d.message);
    assert!(!diagnostics.has_errors(), "{first:?}");
    let units = [unit];
    let p = Program::new(&units);
    let graph = callgraph::analyse(&p, false);
    let said = annotations::resolve(p.units, &[], &mut Diagnostics::default());
    let heap = heap::analyse(&p, &graph, &said, true);
    let noted = tracking::analyse(&p, &graph, &said, &heap);
    let mut out = String::new();
    for (i, u) in p.units.iter().enumerate() {
        let mut records: Vec<_> = noted.of(i).iter().collect();
        records.sort();
        for r in records {
            let fields = u.records[r.index()].fields.iter().flatten();
            let names: Vec<&str> = fields.filter_map(|f| f.name.as_deref()).collect();
            out += &format!("{}: {}\n", u.record_name(*r), names.join(" "));
        }
    }
    expect.assert_eq(&out);
}

#[test]
fn unions_that_are_noted() {
    // Members of one kind need none; nor does what no saved object has, nor one without unlike members.
    check(
        "union value { long i; double d; void *p; }; union bits { int i; unsigned u; }; union other { int i; float f; };
         struct cell { int tag; union value v; union bits b; }; struct cell all[9];
         int main(void) { union other o; o.i = 1; all[o.i].v.i = 2; pc3_checkpoint(); return 0; }",
        expect![[r#"
            union value: i d p
        "#]],
    );
    check(
        "struct big { union { struct { int a; double b; } pair; char text[16]; } u; } *p;
         int main(void) { p = malloc(sizeof *p); p->u.pair.a = 1; pc3_checkpoint(); return 0; }",
        expect![[r#"
            union <anonymous>: pair text
        "#]],
    );
    // What fills one is a library: there is nothing that could be noted.
    check(
        "typedef struct { int count; union { unsigned wide; char bytes[4]; } value; } state;
         void *memset(void *, int, size_t); size_t convert(int *, const char *, size_t, state *);
         state all; int main(void) { int c; memset(&all, 0, sizeof all); pc3_checkpoint(); convert(&c, \"a\", 1, &all); return 0; }",
        expect![[""]],
    );
}
