//! What each analysis finds in small programs, as text. `UPDATE_EXPECT=1` writes the texts anew.
#![allow(clippy::unwrap_used)]

use expect_test::{expect, Expect};
use pc3_portability::addresses::{self, Numbers, Stays};
use pc3_portability::{heap, lints, size_derived};
use pc3_program::annotations::{self, Annotations};
use pc3_program::callgraph::{self, CallGraph};
use pc3_program::program::Program;
use pc3_syntax::diag::Diagnostics;
use pc3_syntax::lower;
use pc3_syntax::types::Target;

const PRELUDE: &str =
    "typedef unsigned long size_t; void *malloc(size_t); void *memcpy(void *, const void *, size_t); void pc3_checkpoint(void);";

/// What `dump` says of a program.
fn check(text: &str, dump: impl Fn(&Program, &CallGraph) -> String, expect: Expect) {
    let text = format!("# 1 \"a.c\"\n{PRELUDE}\n# 1 \"a.c\"\n{text}\n");
    let (unit, diagnostics) = lower::build("a.c", text, &Target::default());
    let first = diagnostics.list.first().map(|d| &d.message);
    assert!(!diagnostics.has_errors(), "{first:?}");
    let units = [unit];
    let p = Program::new(&units);
    let graph = callgraph::analyse(&p, false);
    expect.assert_eq(&dump(&p, &graph));
}

fn nothing_said(p: &Program) -> Annotations {
    annotations::resolve(p.units, &[], &mut Diagnostics::default())
}

/// Where addresses become numbers that are kept, what holds them, and whether the number may stay what it is.
fn kept_addresses(p: &Program, g: &CallGraph) -> String {
    let numbers = Numbers::new(p, g, &nothing_said(p), &lints::wanted);
    let kept = addresses::check(p, &numbers, &|_, _, _| true);
    let line = |k: &addresses::KeptAt| {
        let u = &p.units[k.unit];
        let to = numbers.made(k.unit, k.made).iter();
        let to: Vec<String> = to.filter_map(|x| x.name(p)).collect();
        let stays = if k.stays == Stays::No {
            ""
        } else {
            ", may stay"
        };
        format!(
            "{}: in {}{stays}\n",
            u.slice(&u.expr(k.made).span),
            to.join(" ")
        )
    };
    kept.iter().map(line).collect()
}

/// Each `sizeof` that counts, and what becomes of the numbers that it gets to.
fn sizes(p: &Program, g: &CallGraph) -> String {
    let said = nothing_said(p);
    let heap = heap::analyse(p, g, &said, true);
    let numbers = Numbers::new(p, g, &said, &lints::wanted);
    let found = size_derived::find(p, g, &said, &heap, &numbers, (&|_, _, _| true, true));
    let mut out = String::new();
    for s in &found.sources {
        let mut places: Vec<String> = (s.reached.iter())
            .filter_map(|x| {
                let becomes = match (found.counts(x), found.refused(x)) {
                    (true, _) => "counts",
                    (_, true) => "refused",
                    _ => "stays",
                };
                Some(format!("{} {becomes}", x.name(p)?))
            })
            .collect();
        places.sort();
        out += &format!("{}: {}\n", s.name, places.join(", "));
    }
    out
}

#[test]
fn addresses_that_are_kept_as_numbers() {
    check(
        "size_t key, hash, low; int a[9], found;
         int main(void) { key = (size_t)a; hash = (size_t)&a[1] >> 4; low = (size_t)a & 7; found = (size_t)a == key;
         pc3_checkpoint(); return (int)(key + hash + low) + *(int *)key; }",
        kept_addresses,
        expect![[r#"
            (size_t)a: in key
            (size_t)&a[1]: in hash
        "#]],
    );
    check(
        "struct s { size_t word; } s; int x; static void put(struct s *p, void *q) { p->word = (size_t)q | 1; }
         int main(void) { put(&s, &x); pc3_checkpoint(); return *(int *)(s.word & ~1ul); }",
        kept_addresses,
        expect![[r#"
            (size_t)q: in s.word
        "#]],
    );
}

#[test]
fn numbers_made_of_sizes() {
    check(
        "struct node { void *next; int n; }; size_t bytes, count, mixed, width; struct node *p;
         int main(int n, char **v) { bytes = n * sizeof(struct node); p = malloc(bytes); count = bytes / sizeof(struct node);
         mixed = bytes + n; width = sizeof(int); pc3_checkpoint(); return (int)(bytes + count + mixed + width); }",
        sizes,
        expect![[r#"
            `sizeof(struct node)` (a.c:2): bytes counts, mixed refused
            `sizeof(struct node)` (a.c:2, 2): 
        "#]],
    );
    check(
        "struct node { void *next; int n; }; struct pool { size_t used, item; } pool; size_t total;
         static void take(struct pool *p, size_t n) { p->used += n; total += n; }
         int main(void) { pool.item = sizeof(struct node); take(&pool, sizeof(struct node)); pc3_checkpoint(); return (int)total; }",
        sizes,
        expect![[r#"
            `sizeof(struct node)` (a.c:3): pool.item counts
            `sizeof(struct node)` (a.c:3, 2): pool.used counts, take.n counts, total counts
        "#]],
    );
}
