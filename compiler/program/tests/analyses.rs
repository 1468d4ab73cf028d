//! What each analysis finds in small functions, as text (`pc3_program::dump`). `UPDATE_EXPECT=1` writes the texts anew.
#![allow(clippy::unwrap_used)]

use expect_test::{expect, Expect};
use pc3_program::callgraph::{self, CallGraph};
use pc3_program::program::Program;
use pc3_program::{dump, escape, points};
use pc3_syntax::lower;
use pc3_syntax::tree::{Function, Unit};
use pc3_syntax::types::Target;

const LOCATION: &str = "void pc3_checkpoint(void);";

fn unit(text: &str) -> Unit {
    let text = format!("# 1 \"a.c\"\n{text}\n");
    let (unit, diagnostics) = lower::build("a.c", text, &Target::default());
    let first = diagnostics.list.first().map(|d| &d.message);
    assert!(!diagnostics.has_errors(), "{first:?}");
    unit
}

/// Of the last function of a unit.
fn of_function(text: &str, dump: impl Fn(&Unit, &Function) -> String, expect: Expect) {
    let u = unit(text);
    expect.assert_eq(&dump(&u, u.functions.last().unwrap()));
}

/// Of the whole program.
fn of_program(text: &str, dump: impl Fn(&Program, &CallGraph) -> String, expect: Expect) {
    let units = [unit(&format!("{LOCATION} {text}"))];
    let p = Program::new(&units);
    let g = callgraph::analyse(&p, false);
    expect.assert_eq(&dump(&p, &g));
}

fn escapes(p: &Program, g: &CallGraph) -> escape::Escapes {
    let points: Vec<_> = p.ids().map(|f| points::analyse(p, g, f, true)).collect();
    escape::analyse(p, g, &points)
}

#[test]
fn control_flow_of_loops_and_jumps() {
    of_function(
        "int f(int n) { int s = 0; for (int i = 0; i < n; i++) { if (i == 3) continue; s += i; } return s; }",
        dump::cfg,
        expect![[r#"
            0: entry [writes n] -> 1
            1: 0 [writes s] -> 2
            2: 0 [writes i] -> 3
            3:  -> 5
            4:  -> 12
            5: i < n [reads n i] -> 4 7
            6:  -> 11
            7: i == 3 [reads i] -> 6 9
            8:  -> 9
            9:  -> 10
            10: s += i [reads s i] -> 6
            11: i++ [reads i] -> 3
            12: s [reads s] ->
            13:  ->
        "#]],
    );
    of_function(
        "int f(int n) { switch (n) { case 1: n = 5; case 2: n++; break; default: goto out; } n = 7; out: return n; }",
        dump::cfg,
        expect![[r#"
            0: entry [writes n] -> 1
            1: n [reads n] -> 4 6 9
            2:  -> 12
            3:  -> 4
            4:  -> 5
            5: n = 5 [writes n] -> 6
            6:  -> 7
            7: n++ [reads n] -> 2
            8:  -> 9
            9:  -> 10
            10:  -> 13
            11:  -> 2
            12: n = 7 [writes n] -> 10
            13: n [reads n] ->
            14:  ->
        "#]],
    );
    of_function(
        "int f(int n) { int x; do { x = n && n-- ? 1 : 2; } while (x < n); return x; }",
        dump::cfg,
        expect![[r#"
            0: entry [writes n] -> 1
            1:  [writes x] [declares x] -> 2
            2:  -> 5
            3:  -> 6
            4:  -> 7
            5: x = n && n-- ? 1 : 2 [reads n] [writes x] -> 3
            6: x < n [reads n x] -> 2 4
            7: x [reads x] ->
            8:  ->
        "#]],
    );
}

#[test]
fn what_a_location_needs() {
    let live = |text: &str, expect| of_function(text, dump::liveness, expect);
    live(
        "int f(int n) {\nint a = n, b = 2, c;\n#pragma pc3 checkpoint\nc = a + 1;\nreturn c; }",
        expect![[r#"
            line 3: needed a; perhaps unset c
        "#]],
    );
    live(
        "int f(int n) {\nint s = 0, last;\nwhile (n--) {\n#pragma pc3 checkpoint\ns += n; last = s; }\nreturn last; }",
        expect![[r#"
            line 4: needed n s; perhaps unset last
        "#]],
    );
    live(
        "int f(int *p, int n) {\nint x;\nif (n) x = *p;\n#pragma pc3 checkpoint\nif (n) return x;\nreturn 0; }",
        expect![[r#"
            line 4: needed n x; perhaps unset x
        "#]],
    );
}

#[test]
fn which_calls_reach_a_location() {
    of_program(
        "void leaf(void) {} void deep(void) { pc3_checkpoint(); } void (*p)(void) = deep; void (*q)(int);
         void middle(void) { leaf(); deep(); } void any(void) { p(); } void other(void) { q(1); } int main(void) { middle(); any(); other(); }",
        dump::callgraph,
        expect![[r#"
            leaf: 
            deep*: 
            middle*: leaf deep
            any*: deep
            other: 
            main*: middle any other
        "#]],
    );
}

#[test]
fn addresses_that_outlive_their_use() {
    of_program(
        "int *kept; void keeps(int *p) { kept = p; } void reads(int *p) { *p = 1; } int *gives(int *p) { return p; }
         void f(void) { int a, b, c, d; struct { int *m; } s; keeps(&a); reads(&b); reads(gives(&c)); s.m = &d; pc3_checkpoint(); }",
        |p, g| dump::escapes(p, &escapes(p, g)),
        expect![[r#"
            keeps: taken [] escaping [] kept [p]
            reads: taken [] escaping [] kept []
            gives: taken [] escaping [] kept [p]
            f: taken [a b c d] escaping [a c d] kept []
        "#]],
    );
}

#[test]
fn expressions_with_points_taken_apart() {
    let f = "int f(int x) { pc3_checkpoint(); return x; } int leaf(int); int g;";
    let linear = |body: &str, expect| {
        of_program(
            &format!("{f} int h(int a, int b) {{ {body} }}"),
            |p, g| {
                let last = p.ids().last().unwrap();
                let list = points::analyse(p, g, last, true);
                let found = escapes(p, g);
                dump::points(p.unit(last), &list) + &dump::linear(p, g, &found, last)
            },
            expect,
        )
    };
    linear(
        "int r = leaf(a) + f(b) * a; return r;",
        expect![[r#"
        1: call f(b)
        leaf(a) + f(b) * a
          t0 = leaf(a)
          t1 = point 1 f(b)
          where leaf(a) is t0
          where f(b) is t1
        point 1 needs a t0
    "#]],
    );
    linear(
        "a = a && f(b) || g; return a;",
        expect![[r#"
        1: call f(b)
        a = a && f(b) || g
          t0 = (a) != 0
          if t0
            t1 = point 1 f(b)
            t0 = (f(b)) != 0
          where a && f(b) is t0
          where f(b) is t1
        point 1 needs g
    "#]],
    );
    linear(
        "int v[2] = { f(a), f(b) }; return v[a] + v[1];",
        expect![[r#"
            1: call f(a)
            2: call f(b)
            v = {...}
              t0 = point 1 f(a)
              t1 = point 2 f(b)
              where f(a) is t0
              where f(b) is t1
            point 1 needs f b
            point 2 needs t0
        "#]],
    );
    linear(
        "return g++ + f(a) + f(f(b));",
        expect![[r#"
        1: call f(a)
        2: call f(b)
        3: call f(f(b))
        g++ + f(a) + f(f(b))
          t0 = g++
          t1 = point 1 f(a)
          t2 = point 2 f(b)
          t3 = point 3 f(f(b))
          where g++ is t0
          where f(a) is t1
          where f(f(b)) is t3
          where f(b) is t2
        point 1 needs f b t0
        point 2 needs f t0 t1
        point 3 needs t0 t1
    "#]],
    );
}
