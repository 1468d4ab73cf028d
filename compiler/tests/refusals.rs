//! Every refusal: a program, the code and the line that the user is told.

#![allow(clippy::unwrap_used)]

use pc3_instrument::rewrite::{instrument, Options};
use pc3_syntax::diag::{Code, Severity};
use pc3_syntax::types::Target;
use std::process::Command;

fn check(source: &str, expected: &[(&str, u32)]) {
    let out = Command::new("gcc")
        .args(["-dM", "-E", "-x", "c", "/dev/null"])
        .output()
        .unwrap();
    let target = Target::from_macros(&pc3_syntax::preprocess::parse_macros(
        &String::from_utf8_lossy(&out.stdout),
    ));
    let text = format!("# 1 \"t.c\"\n{source}");
    let (unit, diagnostics) = pc3_syntax::lower::build("t.c", text, &target);
    assert!(
        !diagnostics.has_errors(),
        "{}",
        diagnostics.render(pc3_syntax::diag::Format::Plain)
    );
    let units = [unit];
    let out = instrument(&units, &Options::default());
    let mut got: Vec<(&str, u32)> = out
        .diagnostics
        .list
        .iter()
        .filter(|d| d.severity == Severity::Error && d.code != Code::Main)
        .map(|d| (d.code.id(), d.at.as_ref().unwrap().position.line))
        .collect();
    got.sort();
    got.dedup();
    assert!(out.diagnostics.list.iter().all(|d| d.help.is_some()));
    assert_eq!(got, expected, "{source}\n{:#?}", out.diagnostics);
}

const HEAD: &str = "void pc3_checkpoint(void); ";

fn refused(source: &str, code: &str, line: u32) {
    check(&format!("{HEAD}{source}"), &[(code, line)]);
}
fn accepted(source: &str) {
    check(&format!("{HEAD}{source}"), &[]);
}

#[test]
fn callbacks() {
    let qsort =
        "void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));\n";
    refused(
        &format!("{qsort}int cmp(const void *a, const void *b) {{ pc3_checkpoint(); return 0; }}\nvoid f(int *v) {{\n qsort(v, 1, 4, cmp); }}"),
        "E0302",
        4,
    );
    refused(
        &format!("{qsort}int cmp(const void *a, const void *b) {{ pc3_checkpoint(); return 0; }}\nvoid f(int *v, int (*c)(const void *, const void *)) {{\n qsort(v, 1, 4, c); }}\nvoid g(int *v) {{ f(v, cmp); }}"),
        "E0302",
        4,
    );
    accepted(&format!("{qsort}int cmp(const void *a, const void *b) {{ return 0; }} void f(int *v) {{ qsort(v, 1, 4, cmp); pc3_checkpoint(); }}"));
}

/// What a table that nobody writes has at an index.
#[test]
fn callbacks_out_of_tables() {
    let with = |table: &str, index: &str| {
        format!(
            "void *lfind(const void *, const void *, unsigned long *, unsigned long, int (*)(const void *, const void *));\n\
             int none(const void *a, const void *b) {{ return 0; }} int cmp(const void *a, const void *b) {{ pc3_checkpoint(); return 0; }}\n\
             {table} int (*const t[])(const void *, const void *) = {{none, cmp, [3] = none}}, (*const w[])(const void *, const void *) = {{none, cmp}};\n\
             void f(int *v, unsigned long n, int i) {{\n lfind(v, v, &n, 4, {index}); }}"
        )
    };
    accepted(&with("static", "w[0]"));
    refused(&with("static", "w[1]"), "E0302", 5);
    refused(&with("static", "w[i]"), "E0302", 5);
    // Other units may have another one, and designators are not followed.
    refused(&with("", "w[0]"), "E0302", 5);
    refused(&with("static", "t[0]"), "E0302", 5);
}

#[test]
fn set_jump() {
    refused("typedef int jmp_buf[8]; int setjmp(jmp_buf);\nvoid f(void) { jmp_buf b;\n if (setjmp(b)) return; pc3_checkpoint(); }", "E0305", 3);
    accepted("typedef int jmp_buf[8]; int setjmp(jmp_buf); int f(void) { jmp_buf b; return setjmp(b); } void g(void) { f(); pc3_checkpoint(); }");
}

#[test]
fn argument_lists() {
    accepted("void use(__builtin_va_list); void f(int k, ...) { __builtin_va_list a; __builtin_va_start(a, k); pc3_checkpoint(); use(a); }");
    accepted(
        "void f(int k, ...) { __builtin_va_list a; pc3_checkpoint(); __builtin_va_start(a, k); }",
    );
    refused("struct s { int a, b; } __attribute__((aligned(16))); void f(int k, ...) { __builtin_va_list a; pc3_checkpoint(); __builtin_va_start(a, k); }\nvoid g(struct s x) {\n f(1, x); }", "E0307", 3);
    accepted("int f(int k, ...) { __builtin_va_list a; __builtin_va_start(a, k); k = __builtin_va_arg(a, int); __builtin_va_end(a); pc3_checkpoint(); return k; }");
}

#[test]
fn unions() {
    accepted("union u { int *p; long l; } g; long f(union u x) { pc3_checkpoint(); return x.l; }");
    accepted("union u { int i; float f; } g; float f(union u x) { g.i = 1; pc3_checkpoint(); return x.f; }");
}

#[test]
fn attributes() {
    accepted(
        "__attribute__((noreturn)) void f(void);\nvoid f(void) { for (;;) pc3_checkpoint(); }",
    );
    refused(
        "__attribute__((constructor)) void f(void);\nvoid f(void) { pc3_checkpoint(); }",
        "E0303",
        1,
    );
    accepted("void done(int *); void f(void) { int x __attribute__((cleanup(done))) = 1; pc3_checkpoint(); }");
    refused("void done(int *); int *p;\nvoid f(void) {\n int x __attribute__((cleanup(done))) = 1; p = &x; pc3_checkpoint(); }", "E0304", 3);
}

#[test]
fn labels_and_statement_expressions() {
    accepted("void f(void *p) { p = &&a; pc3_checkpoint(); a: goto *p; }");
    accepted(
        "void f(int i) { static void *t[] = { &&a, &&b }; goto *t[i]; a: pc3_checkpoint(); b:; }",
    );
    accepted("int f(int i) { int r = ({ int k = i; pc3_checkpoint(); if (k) goto out; k; }); return r; out: return 1; }");
    refused("int f(int i) { void *p = &&out; int r = ({ int k = i; pc3_checkpoint();\n if (k) goto *p; k; }); return r; out: return 1; }", "E0310", 2);
}

#[test]
fn defined_twice() {
    accepted("extern inline __attribute__((gnu_inline))\nint f(int k) { int a = k; pc3_checkpoint(); return a; }\nint f(int k) { pc3_checkpoint(); return k; }");
}

#[test]
fn runtime_lengths() {
    refused(
        "void f(int n) {\n typedef double row[n];\n row a; a[0] = 1; pc3_checkpoint(); }",
        "E0301",
        2,
    );
    refused(
        "int g;\nvoid f(int n) { int a[n];\n __typeof__(a) b; pc3_checkpoint(); b[0] = 1; }",
        "E0301",
        3,
    );
}

#[test]
fn others() {
    refused(
        "struct s { int a, b; } *keep;\nvoid f(void) {\n keep = (struct s[]){ [1].a = 1, 2 }; pc3_checkpoint(); keep = 0; }",
        "E0311",
        3,
    );
    accepted("static __thread int t; void f(void) { t++; pc3_checkpoint(); }");
    accepted("struct s { int a; }; int use(struct s *); int f(void) { pc3_checkpoint(); return use(&(struct s){ 3 }); }");
}

#[test]
fn what_generated_code_cannot_say() {
    refused(
        "void f(int n) {\n struct s { char b[n]; } x; pc3_checkpoint(); x.b[0] = 1; }",
        "E0301",
        2,
    );
    refused(
        "void f(int n) {\n typedef int row[n]; pc3_checkpoint(); }",
        "E0301",
        2,
    );
    refused(
        "void *f(void) { pc3_checkpoint();\n return __builtin_return_address(0); }",
        "E0301",
        2,
    );
    refused(
        "int *g(void) { pc3_checkpoint(); return 0; } void f(void) {\n asm(\"\" : \"+r\"(*g())); }",
        "E0301",
        2,
    );
    refused(
        "_BitInt(sizeof(int)) g(_BitInt(sizeof(int)) z) {\n pc3_checkpoint(); return 1; }",
        "E0301",
        1,
    );
    accepted("void *f(void) { return __builtin_return_address(0); } void g(void) { f(); pc3_checkpoint(); }");
    accepted("int f(int n) { struct s { char b[n]; } x; x.b[0] = n; return x.b[0]; } void g(void) { f(1); pc3_checkpoint(); }");
}
