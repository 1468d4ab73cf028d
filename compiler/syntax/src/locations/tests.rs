use super::*;
use crate::lower::build;
use crate::types::Target;
use expect_test::{expect, Expect};

const HEAD: &str =
    "# 1 \"/usr/include/s.h\" 1 3\nint qsort(void *, int (*)(int));\n# 1 \"dir/a.c\" 2\n";

fn unit(text: &str) -> Unit {
    let (unit, diags) = build("dir/a.c", format!("{HEAD}{text}"), &Target::default());
    assert!(
        diags.list.is_empty(),
        "{}",
        diags.render(crate::diag::Format::Plain)
    );
    unit
}

fn check(at: &[&str], text: &str, expect: Expect) {
    let everywhere = at == ["everywhere"];
    let list = if everywhere {
        vec![]
    } else {
        at.iter().map(|a| Location::parse(a).unwrap()).collect()
    };
    let locations = Locations {
        at: list,
        everywhere,
    };
    let unit = unit(text);
    let applied = apply(&unit, &locations);
    let Some(edited) = applied.text else {
        return expect.assert_eq(
            &missing(&[&unit], &locations, &applied.found, true).render(crate::diag::Format::Plain),
        );
    };
    assert!(applied.found.iter().all(|f| *f));
    let (again, diags) = build("dir/a.c", edited.clone(), &Target::default());
    assert!(
        diags.list.is_empty(),
        "{}",
        diags.render(crate::diag::Format::Plain)
    );
    assert_eq!(crate::dump::check_spans(&again), Vec::<String>::new());
    assert_eq!(edited.lines().count(), unit.text.lines().count());
    expect.assert_eq(&edited[HEAD.len()..].replace("pc3_checkpoint();", "@"));
}

#[test]
fn at_functions_and_lines() {
    check(
        &["f", "dir/a.c:4"],
        "int f(int x) {\n  int y;\n  if (x)\n    y = 1;\n  else y = 2;\n  return y;\n}\n",
        expect![[r#"
            int f(int x) { @ 
              int y;
              if (x)
                { @ y = 1; }
              else y = 2;
              return y;
            }
        "#]],
    );
    check(
        &["a.c:3"],
        "int f(int x) {\n  switch (x) {\n  case 1: case 2:\n    x++;\n    break;\n  }\n  return x;\n}\n",
        expect![[r#"
            int f(int x) {
              switch (x) {
              case 1: case 2:
                { @ x++; }
                break;
              }
              return x;
            }
        "#]],
    );
}

#[test]
fn behind_what_stands_first_in_a_block() {
    check(
        &["f"],
        "int f(double x) {\n__label__ l;\n#pragma STDC FP_CONTRACT OFF\n#pragma clang fp reassociate(off)\n  for (;;) x++;\nl:\n  return x;\n}\n",
        expect![[r#"
            int f(double x) {
            __label__ l;
            #pragma STDC FP_CONTRACT OFF
            #pragma clang fp reassociate(off)
             @   for (;;) x++;
            l:
              return x;
            }
        "#]],
    );
}

#[test]
fn everywhere() {
    check(
        &["everywhere"],
        "int g(int);\nint f(int x) { while (g(x)) x--; for (;;) { f(1); int y = g(2); if (g(y)) break; else return g(3); } do x++; while (x); l: g(1); return ({ g(2); }); }\nint h(int x) { return g(x); }\nint k(void) { return qsort(0, h); }\n",
        expect![[r#"
            int g(int);
            int f(int x) { @  while (g(x)) { @ x--; } for (;;) { @  f(1); @ int y = g(2); @ if (g(y)) break; else { @ return g(3); } } do { @ x++; } while (x); l: { @ g(1); } @ return ({ g(2); }); }
            int h(int x) { return g(x); }
            int k(void) { @  return qsort(0, h); }
        "#]],
    );
}

#[test]
fn unknown_places_name_near_ones() {
    check(
        &["fob"],
        "int foo(void) { return 1; }\n",
        expect![[r#"
            pc3cc: error[pc3::E0203]: --checkpoint-at=fob: no source defines a function `fob`
              = help: did you mean `foo`?
        "#]],
    );
    check(
        &["a.c:40"],
        "int foo(void) { return 1; }\n",
        expect![[r#"
            pc3cc: error[pc3::E0203]: --checkpoint-at=a.c:40: no statement of a function stands there
              = help: statements of a.c start on lines 1 to 1; the nearest on line 1
        "#]],
    );
    check(
        &["b.c:1"],
        "int foo(void) { return 1; }\n",
        expect![[r#"
            pc3cc: warning[pc3::W0204]: --checkpoint-at=b.c:1: no statement of a function stands there [-Wpc3-location-elsewhere]
              = help: it may be meant for another program of the same build
        "#]],
    );
}

#[test]
fn syntax_of_locations() {
    assert_eq!(
        Location::parse("f_1"),
        Some(Location::Function("f_1".into()))
    );
    assert_eq!(
        Location::parse("a/b.c:12"),
        Some(Location::Line {
            file: "a/b.c".into(),
            line: 12
        })
    );
    for bad in ["", "a.c:", "a.c:0", ":3", "a b", "a.c"] {
        assert_eq!(Location::parse(bad), None, "{bad}");
    }
}
