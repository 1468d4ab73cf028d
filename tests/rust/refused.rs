//! What the attribute does not take.
use pc3::prelude::*;

#[checkpointable]
async fn asynchronous() {}

#[checkpointable]
const fn constant() {}

#[checkpointable]
unsafe fn unchecked() {}

#[checkpointable]
extern "C" fn foreign() {}

#[checkpointable]
fn hidden() -> impl Iterator<Item = u8> {
    checkpoint!();
    [1].into_iter()
}

#[checkpointable]
fn closure(n: u32) {
    let say = || {
        checkpoint!();
    };
    say();
}

#[checkpointable]
fn nested() {
    fn inner() {
        checkpoint!();
    }
    inner();
}

#[checkpointable]
fn future() {
    let later = async {
        ck!(nested());
    };
    drop(later);
}

#[allow(unused_macros)]
macro_rules! twice {
    ($e:expr) => {
        $e + $e
    };
}

#[checkpointable]
fn number(n: u32) -> u32 {
    checkpoint!();
    n
}

#[checkpointable]
fn in_a_macro() -> u32 {
    twice!(ck!(number(1)))
}

#[checkpointable]
fn guard(n: u32) -> u32 {
    match n {
        k if ck!(number(k)) > 2 => 1,
        _ => 2,
    }
}

fn plain() -> u32 {
    4
}

#[checkpointable]
fn operand() -> u32 {
    plain().pow(2) + ck!(number(2))
}

#[checkpointable]
fn lazy(n: u32) -> bool {
    plain() > n && ck!(number(2)) > 3
}

#[checkpointable]
fn otherwise(n: Option<u32>) -> u32 {
    let Some(n) = n else {
        checkpoint!();
        return 0;
    };
    n
}

#[checkpointable]
fn unguarded() {
    unsafe {
        checkpoint!();
    }
}

#[checkpointable]
fn counted() -> u32 {
    static COUNT: u32 = 0;
    checkpoint!();
    COUNT
}

#[checkpointable]
fn evaluated_again() -> u32 {
    let mut n = 3;
    #[reeval]
    let twice = 2 * n;
    n += 1;
    checkpoint!();
    twice + n
}

#[derive(Checkpointable)]
struct Pointers {
    a: *const u8,
}

#[derive(Checkpointable)]
union Either {
    a: u8,
    b: i8,
}

#[checkpointable]
fn alternatives(pair: &mut (u32, u32)) -> u32 {
    let ((n @ 1, m) | (m, n)) = &mut *pair;
    *n += 5;
    checkpoint!();
    *m += *n;
    *m
}

fn main() {}

//= 5:1 `async`: an async function cannot be checkpointable: its state is the compiler's own; write a function that waits for what it needs
//= 8:1 `const`: a const function cannot be checkpointable: the compiler runs it, too; leave `const` out
//= 11:1 `unsafe`: an unsafe function cannot be checkpointable: a restart keeps none of its caller's promises; write a safe function around the unsafe code
//= 14:1 `extern "C"`: a function called from other languages cannot be checkpointable: its callers cannot be continued; leave `extern` out
//= 17:16 `impl Iterator<Item = u8>`: a checkpointable function must name the type it returns: `impl Trait` has none to save; write the type, or `Box<dyn Trait>`
//= 25:9 `checkpoint!()`: `checkpoint!` cannot be within a closure: it is called by code that cannot be continued; write a loop, or a function with #[checkpointable]
//= 33:9 `checkpoint!()`: `checkpoint!` cannot be within an item of its own: give that #[checkpointable]
//= 41:9 `ck!(nested())`: `ck!` cannot be within an async block: its state is the compiler's own; write a function with #[checkpointable]
//= 61:12 `ck`: `ck!` cannot be within `twice!`: what that macro makes of it is not known here; write it in front, as a statement or with `let`
//= 67:14 `ck!(number(k))`: `ck!` cannot be within a guard: bind its value with `let` in front of the `match`, or write `if` in the arm
//= 78:22 `ck!(number(2))`: what stands in front of this call is evaluated first, and would have to be kept: bind the call's value with `let` before
//= 88:26 `{`: a point cannot be in the `else` of a `let`: write `match` instead
//= 97:5 `unsafe`: points cannot be within `unsafe`: end that block in front of them
//= 104:12 `COUNT`: a static in a checkpointable function would exist once for each of its forms: declare it outside
//= 113:9 `twice`: `twice` is made again after a restart, and `n`, which it is made from, may have another value then: copy that to a `let` without `mut`, or bind a value instead of a borrow
//= 121:8 `*const u8`: a raw pointer cannot be saved: use Box, Rc or an index, or #[pc3(skip)]
//= 125:1 `union`: a union cannot be saved: which of its members is in use is not known; use an enum
//= 132:9 `((n @ 1, m) | (m, n))`: this pattern is matched again after a restart, and what it tells its alternatives by may have changed then: write a `match` with it
