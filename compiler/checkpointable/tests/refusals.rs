//! Every refusal, as the programmer reads it, and where it points.

#![allow(clippy::unwrap_used)]

use expect_test::{expect, Expect};
use pc3_checkpointable::Wanted;
use proc_macro2::TokenStream;

/// Messages of `compile_error!`s, with line and column of the code they stand at.
fn check(item: &str, expected: Expect) {
    let tokens: TokenStream = item.parse().unwrap();
    let (first, _) = item.trim_start().split_once(']').unwrap_or_default();
    let out = match first {
        "#[derive(Equivalence)" => pc3_derive::equivalence(tokens),
        _ if first.starts_with("#[derive") => pc3_derive::checkpointable(tokens),
        _ => match first.strip_prefix("#[pc3::main(") {
            Some(words) => {
                let words = words.trim_end_matches(')').parse().unwrap();
                let (_, function) = item.split_once(']').unwrap();
                pc3_checkpointable::main(words, function.parse().unwrap(), Wanted::All, false)
            }
            None => pc3_checkpointable::attribute(TokenStream::new(), tokens, Wanted::All),
        },
    };
    let mut found = String::new();
    let file: syn::File = syn::parse2(out).unwrap();
    for item in &file.items {
        if let syn::Item::Macro(m) = item {
            let message: syn::LitStr = m.mac.parse_body().unwrap();
            let at = message.span().start();
            found.push_str(&format!(
                "{}:{}: {}\n",
                at.line,
                at.column + 1,
                message.value()
            ));
        }
    }
    expected.assert_eq(&found);
}

#[test]
fn kinds_of_functions() {
    check(
        "async fn f() {}",
        expect![[r#"
            1:1: an async function cannot be checkpointable: its state is the compiler's own; write a function that waits for what it needs
        "#]],
    );
    check(
        "const fn f() {}",
        expect![[r#"
            1:1: a const function cannot be checkpointable: the compiler runs it, too; leave `const` out
        "#]],
    );
    check(
        "unsafe fn f() {}",
        expect![[r#"
            1:1: an unsafe function cannot be checkpointable: a restart keeps none of its caller's promises; write a safe function around the unsafe code
        "#]],
    );
    check(
        "extern \"C\" fn f() {}",
        expect![[r#"
            1:8: a function called from other languages cannot be checkpointable: its callers cannot be continued; leave `extern` out
        "#]],
    );
    check(
        "fn f() -> impl Iterator<Item = u8> { [1].into_iter() }",
        expect![[r#"
            1:34: a checkpointable function must name the type it returns: `impl Trait` has none to save; write the type, or `Box<dyn Trait>`
        "#]],
    );
    check(
        "fn f() -> ! { loop { checkpoint!(); } }",
        expect![[r#"
            1:11: a checkpointable function cannot return `!`, which is no type that values have: write `std::convert::Infallible`, and `match ck!(f()) {}` where it is called
        "#]],
    );
    check("fn f(&self) { 1; }", expect![[""]]);
}

#[test]
fn places_of_points() {
    check(
        "fn f() { let g = || { checkpoint!(); }; g(); }",
        expect![[r#"
            1:34: `checkpoint!` cannot be within a closure: it is called by code that cannot be continued; write a loop, or a function with #[checkpointable]
        "#]],
    );
    check(
        "fn f() { let g = async { ck!(h()); }; }",
        expect![[r#"
            1:29: `ck!` cannot be within an async block: its state is the compiler's own; write a function with #[checkpointable]
        "#]],
    );
    check(
        "fn f() { fn g() { checkpoint!(); } g(); }",
        expect![[r#"
        1:30: `checkpoint!` cannot be within an item of its own: give that #[checkpointable]
    "#]],
    );
    check(
        "fn f(x: u8) { match x { n if ck!(g(n)) => {} _ => {} } }",
        expect![[r#"
            1:33: `ck!` cannot be within a guard: bind its value with `let` in front of the `match`, or write `if` in the arm
        "#]],
    );
    check(
        "fn f() { my_macro!(ck!(g())); }",
        expect![[r#"
            1:20: `ck!` cannot be within `my_macro!`: what that macro makes of it is not known here; write it in front, as a statement or with `let`
        "#]],
    );
    check(
        "fn f() { unsafe { checkpoint!(); } }",
        expect![[r#"
            1:10: points cannot be within `unsafe`: end that block in front of them
        "#]],
    );
    check(
        "fn f() { let Some(x) = g() else { checkpoint!(); return; }; }",
        expect![[r#"
        1:33: a point cannot be in the `else` of a `let`: write `match` instead
    "#]],
    );
}

#[test]
fn conditions() {
    check(
        "fn f() { let x = #[cfg(any())] { 1 }; checkpoint!(); }",
        expect![[r#"
            1:27: a `#[cfg(…)]` here is not understood: write it in front of a statement, an arm or an argument
        "#]],
    );
}

#[test]
fn operands() {
    check(
        "fn f() -> u8 { g().h() + ck!(h()) }",
        expect![[r#"
        1:29: what stands in front of this call is evaluated first, and would have to be kept: bind the call's value with `let` before
    "#]],
    );
    check(
        "fn f(mut x: u8) -> bool { x < ck!(h(&mut x)) }",
        expect![[r#"
        1:34: what stands in front of this call is evaluated first, and would have to be kept: bind the call's value with `let` before
    "#]],
    );
    check(
        "fn f() { ck!(3 + 4); }",
        expect![[r#"
        1:18: `ck!` marks one call: `ck!(f(x))` or `ck!(value.method(x))`
    "#]],
    );
    check(
        "fn f() { ck!((table[0])(4)); }",
        expect![[r#"
        1:14: `ck!` marks calls of functions by their name
    "#]],
    );
    check(
        "fn f() { *ck!(g()) += ck!(h()); }",
        expect![[r#"
        1:14: what stands in front of this call is evaluated first, and would have to be kept: bind the call's value with `let` before
    "#]],
    );
    check(
        "fn f(n: u8) { *ck!(g(&n)) += n; }",
        expect![[r#"
        1:19: what stands in front of this call is evaluated first, and would have to be kept: bind the call's value with `let` before
    "#]],
    );
    check("fn f() -> u8 { ck!(g()) + ck!(h(1)) }", expect![[""]]);
    check(
        "fn f(mut x: u8) -> u8 { x + ck!(h(&mut x)) }",
        expect![[""]],
    );
}

#[test]
fn types() {
    check(
        "#[derive(Checkpointable)] union U { a: u8 }",
        expect![[r#"
            1:27: a union cannot be saved: which of its members is in use is not known; use an enum
        "#]],
    );
    check(
        "#[derive(Checkpointable)] struct S { a: *const u8, b: *mut u8 }",
        expect![[r#"
        1:48: a raw pointer cannot be saved: use Box, Rc or an index, or #[pc3(skip)]
        1:60: a raw pointer cannot be saved: use Box, Rc or an index, or #[pc3(skip)]
    "#]],
    );
    check(
        "#[derive(Checkpointable)] struct S { a: Vec<fn(u8) -> u8>, b: Box<dyn Fn(u8) -> u8 + Send>, c: Rc<RefCell<dyn T>>, d: &'static [u8] }",
        expect![[r#"
            1:55: a function cannot be saved as a field of type `fn`: `pc3::functions!(struct Op: fn(u8) -> u8 { add, sub })` makes a type of these functions, by their names, that is called as this is
            1:90: a closure cannot be saved: make it a struct of what it takes, with a trait that `pc3::dynamic!` names it for (`Box<dyn Trait>`); or `#[pc3(transient = expression)]`
            1:113: a shared value cannot be saved as a `dyn Trait`: put a box in between (`Rc<RefCell<Box<dyn Trait>>>`), which `pc3::dynamic!(dyn Trait: A, B)` can save
            1:128: a borrowed slice cannot be saved, though it lives as long as the program: use an index into it, `Vec`, or `Cow<'static, [T]>`; or `#[pc3(transient = expression)]`
        "#]],
    );
    check(
        "#[derive(Checkpointable)] struct S { #[pc3(transient = f())] a: fn(u8), #[pc3(skip)] b: Option<Box<dyn FnMut()>>, c: PhantomData<fn()>, d: Box<dyn Named> }",
        expect![[r#""#]],
    );
    check(
        "#[derive(Checkpointable)] enum S<'a, T> { A(&'a str), B(T) }",
        expect![[r#"
            1:35: a type that holds borrows cannot be saved, as what they borrow from is elsewhere behind a restart: let it own that (`String`, `Rc<T>`), or hold an index and hand what it is an index into on to its methods
        "#]],
    );
    check(
        "#[derive(Checkpointable)] struct S { #[pc3(other)] a: u8 }",
        expect![[r#"
            1:44: expected `skip`, `default`, `default = path`, `since = version`, `with = "serde"` or `transient = expression`
        "#]],
    );
}

#[test]
fn parts_of_values_made_again() {
    check(
        "fn f(&(mut a, n): &([u8; 3], u8)) { a[0] += n; checkpoint!(); g(a[0]); }",
        expect![[r#"
            1:37: `a` comes from the caller, who makes it again after a restart: what it becomes here would be lost; keep an index, or bind it with another `let`
        "#]],
    );
    check(
        "fn f(mut p: (&str, u8)) { p.1 += 3; checkpoint!(); g(p.1); }",
        expect![[r#"
            1:27: `p` comes from the caller, who makes it again after a restart: what it becomes here would be lost; keep an index, or bind it with another `let`
        "#]],
    );
    check(
        "fn f(mut out: &mut [u8]) { write!(out, \"a\"); checkpoint!(); write!(out, \"b\"); }",
        expect![[r#"
            1:35: `out` comes from the caller, who makes it again after a restart: what it becomes here would be lost; keep an index, or bind it with another `let`
        "#]],
    );
    check(
        "fn f() { #[reeval] let mut w = W { n: 1 }; w.n += 1; checkpoint!(); g(w.n); }",
        expect![[r#"
            1:44: `w` is made again after a restart: what it becomes here would be lost; leave `#[reeval]` out, or change a copy
        "#]],
    );
    check(
        "fn f(p: (&mut Vec<u8>, u8)) { p.0.push(3); checkpoint!(); g(p.0[0]); }",
        expect![[""]],
    );
}

#[test]
fn borrows_made_again() {
    check(
        "fn f(l: &L) {
    let mut cur = &l.next;
    while let Some(n) = cur { cur = &n.next; checkpoint!(); }
}",
        // Its type may be that of a text.
        expect![[""]],
    );
    check(
        "fn f(mut l: &L) {
    while let Some(n) = &l.next { checkpoint!(); l = n; }
}",
        expect![[r#"
            2:50: `l` comes from the caller, who makes it again after a restart: what it becomes here would be lost; keep an index, or bind it with another `let`
        "#]],
    );
    check(
        "fn f(mut l: &L) {
    l = g(l);
    let n = &l.next;
    checkpoint!();
    h(n);
}",
        expect![[r#"
            2:5: `l` comes from the caller, who makes it again after a restart: what it becomes here would be lost; keep an index, or bind it with another `let`
        "#]],
    );
    check(
        "fn f(data: Vec<u8>) {
    let mut rest = &data[..];
    while rest.read(&mut [0; 4]) > 0 { checkpoint!(); }
}",
        expect![""],
    );
    check(
        "fn f(mut list: &[u8]) {
    for x in list.iter() { list = &[]; checkpoint!(); }
}",
        expect![[r#"
            2:28: `list` comes from the caller, who makes it again after a restart: what it becomes here would be lost; keep an index, or bind it with another `let`
            2:28: `list`, which a loop or an iterator goes over, changes here; after a restart the iterator is made again: go over a copy, or keep an index
        "#]],
    );
    check(
        "fn f() {
    let mut n = 0;
    ck!(g(move |x| x + n));
    n += 1;
}",
        expect![[r#"
            3:24: a closure is made again after a restart, and `n` may have another value then: copy it to a `let` without `mut` for the closure
        "#]],
    );
    // What they are indexed with is kept.
    check(
        "fn f(grid: &mut Vec<Vec<u8>>) {
    let mut i = 0;
    let row = &mut grid[i];
    i += 1;
    checkpoint!();
    row.push(1);
}",
        expect![[""]],
    );
}

#[test]
fn closures_of_iterators_made_again() {
    check(
        "fn f(list: Vec<u8>) {
    let mut n = 0;
    for x in list.iter().zip(list.iter().map(|x| { n += 1; x })) { checkpoint!(); }
}",
        expect![[r#"
            3:52: this closure changes `n`, and would be called again for the items that were taken before a restart: do that in the loop
        "#]],
    );
    check(
        "fn f(list: Vec<u8>) {
    for x in list.iter().chain(list.iter().filter(|x| { println!(\"{x}\"); true })) { checkpoint!(); }
}",
        expect![[r#"
            2:57: this closure uses `println!`, and would be called again for the items that were taken before a restart: do that in the loop
        "#]],
    );
    check(
        "fn f(list: Vec<u8>) {
    let mut it = list.iter().map(|x| seen(*x)).filter(known);
    checkpoint!();
    it.next();
}",
        expect![[r#"
            2:55: `known` would be called again, as this iterator, or part of a text, is made again behind a checkpoint, and what else it does is not known here: do that in the loop, or keep what this gives as a value (`collect()` into a `Vec`, `to_owned()`)
            2:38: `seen` would be called again, as this iterator, or part of a text, is made again behind a checkpoint, and what else it does is not known here: do that in the loop, or keep what this gives as a value (`collect()` into a `Vec`, `to_owned()`)
        "#]],
    );
    // They are called once.
    check(
        "fn f(list: Vec<u8>) {
    let mut n = 0;
    for x in list.iter().map(|x| { n += 1; seen(*x) }).filter(known).take(3) { checkpoint!(); }
}",
        expect![""],
    );
}

#[test]
fn locals_that_are_not_saved() {
    check(
        "fn f() -> io::Result<()> {
    #[transient] let a = connect()?;
    #[transient(again()?)] let b = connect()?;
    #[transient] let (c, d) = pair();
    #[transient] let e;
    #[transient] let Some(g) = connect() else { return Ok(()) };
    #[transient({ checkpoint!(); 1 })] let h = 1;
    #[transient(ck!(k()))] let i = 1;
    checkpoint!();
}",
        expect![[r#"
            2:35: what makes a #[transient] local again after a restart cannot leave the function or hold a point: nothing there goes on yet; say what does in the attribute, `#[transient(connect().expect("…"))]`
            3:24: what makes a #[transient] local again after a restart cannot leave the function or hold a point: nothing there goes on yet; say what does in the attribute, `#[transient(connect().expect("…"))]`
            4:22: #[transient] is for a `let` of one name
            5:22: #[transient] is for a `let` with a value: it says what to make again
            6:22: #[transient] is for a `let` of one name
            7:19: what makes a #[transient] local again after a restart cannot leave the function or hold a point: nothing there goes on yet; say what does in the attribute, `#[transient(connect().expect("…"))]`
            8:17: what makes a #[transient] local again after a restart cannot leave the function or hold a point: nothing there goes on yet; say what does in the attribute, `#[transient(connect().expect("…"))]`
        "#]],
    );
    check(
        "fn f(address: &String) -> io::Result<()> {
    #[transient(again(address).expect(\"a server\"))] let mut a = connect(address)?;
    #[transient] let b: Vec<*mut u8> = (0..3).map(|n| handle(n)).collect();
    checkpoint!();
    a.use_it(b);
    Ok(())
}",
        expect![[""]],
    );
}

#[test]
fn values_in_messages() {
    for (item, expected) in [
        (
            "#[derive(Equivalence)] enum E { A, B(u8) }",
            expect![[r#"
            1:37: what messages hold has a fixed length: an enum with fields in its variants has none (send a number that says which, and a struct, in messages of their own)
        "#]],
        ),
        (
            "#[derive(Equivalence)] enum E {}",
            expect![[r#"
            1:29: there are no values that a message could hold
        "#]],
        ),
        (
            "#[derive(Equivalence)] struct S;",
            expect![[r#"
            1:31: a message of values without fields says nothing
        "#]],
        ),
        (
            "#[derive(Equivalence)] union U { a: u8 }",
            expect![[r#"
            1:30: which of a union's members a message would hold is not known
        "#]],
        ),
        (
            "#[derive(Equivalence)] struct S<T> { a: T, b: [f64; 3] }",
            expect![[""]],
        ),
    ] {
        check(item, expected);
    }
}

#[test]
fn mains() {
    check(
        "#[pc3::main(mpi)] fn main() {}",
        expect![[r#"
        1:1: #[pc3::main(mpi)] needs the feature `mpi` of the crate pc3
    "#]],
    );
    check(
        "#[pc3::main(ranks = 4)] fn main() {}",
        expect![[r#"
            1:1: #[pc3::main] takes no arguments but `mpi` and `setup = function`
        "#]],
    );
    check(
        "#[pc3::main()] fn main(n: i32) {}",
        expect![[r#"
        1:9: #[pc3::main] goes in front of `fn main()`
    "#]],
    );
}

#[test]
fn operands_of_other_expressions() {
    check(
        "fn f(a: Option<u32>) -> u32 { if let Some(n) = a && ck!(g(n)) > 2 { checkpoint!(); } 3 }",
        expect![""],
    );
    check(
        "fn f(a: Option<u32>) -> u32 { if let Some(n) = a && ck!(g(n)) > 2 { 1 } else { 3 } }",
        expect![[r#"
            1:65: a marked call cannot be in a chain of conditions with `let` and an `else`: bind its value with `let` before, or write one `if` within the other
        "#]],
    );
    check(
        "fn f(n: u32) -> u32 { let list = [n; ck!(g(n))]; list[0] }",
        expect![[r#"
            1:34: a marked call cannot be part of this expression: bind its value with `let` before
        "#]],
    );
    check(
        "fn f(n: u32) { ck!(g(n)).await; }",
        expect![[r#"
        1:26: a marked call cannot be part of this expression: bind its value with `let` before
    "#]],
    );
}

#[test]
fn lets() {
    check(
        "fn f(n: u32) -> u32 { let [a, b]; [a, b] = [n, n]; checkpoint!(); a + b }",
        expect![[r#"
            1:27: a `let` without a value declares names, or tuples of them, here
        "#]],
    );
    check(
        "fn f() -> u32 { #[transient] let Some(a) = Some(1) else { return 0 }; checkpoint!(); a }",
        expect![[r#"
            1:34: #[transient] is for a `let` of one name
        "#]],
    );
    check(
        "fn f() -> u32 { #[transient] let a = 1 else { return 0 }; checkpoint!(); a }",
        expect![[r#"
            1:45: #[transient] is for a `let` without `else`
        "#]],
    );
    let many = ["(A(x) | B(x))"; 7].join(", ");
    let many = many
        .split(", ")
        .enumerate()
        .map(|(i, p)| p.replace('x', &format!("x{i}")));
    let many = many.collect::<Vec<_>>().join(", ");
    check(
        &format!(
            "fn f(t: &T) {{ match t {{ ({many}) => {{ checkpoint!(); use_(x0); }} _ => {{}} }} }}"
        ),
        expect![[r#"
            1:25: this pattern has too many alternatives to be matched again after a restart: write arms of their own for some of them
        "#]],
    );
}
