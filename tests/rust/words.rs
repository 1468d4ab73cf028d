//! Words that the attribute cannot follow.
use pc3::prelude::*;

macro_rules! text {
    ($t:literal) => {
        $t
    };
}

#[checkpointable]
fn texts() {
    let x = 1;
    println!("{x}");
    let x = 2;
    checkpoint!();
    println!("{x} {}", text!("{x}"));
}

#[checkpointable]
fn conditions(n: u32) -> u32 {
    #[cfg(all())]
    let x = n;
    #[cfg(not(all()))]
    let x = n + 1;
    checkpoint!();
    match x {
        #[cfg(any())]
        1 => 5,
        _ => {
            checkpoint!();
            x
        }
    }
}

#[checkpointable]
fn leaves(n: u32) -> u32 {
    #[cfg(any())]
    return 5;
    checkpoint!();
    n
}

fn helper() -> u32 {
    1
}

#[checkpointable]
fn hidden() -> u32 {
    let a = helper();
    let b = {
        fn helper() -> u32 {
            2
        }
        checkpoint!();
        helper()
    };
    let c = {
        use std::cmp::Ordering::*;
        checkpoint!();
        a.cmp(&b) == Less
    };
    a + b + u32::from(c)
}

fn main() {
    texts();
    conditions(1);
    leaves(1);
    hidden();
}

//= 16:30 `"{x}"`: this text mentions a local whose name an earlier one has, too (or that begins with a capital), and what the macro makes of it is not known here: give the local another name, or hand the text over as the value of a `let`
//= 21:5 `#[cfg(all())]`: a local of a checkpointable function cannot depend on a condition of the build: write `let x = if cfg!(…) { … } else { … };`, or one function for each
//= 23:5 `#[cfg(not(all()))]`: a local of a checkpointable function cannot depend on a condition of the build: write `let x = if cfg!(…) { … } else { … };`, or one function for each
//= 27:9 `#[cfg(any())]`: a condition of the build cannot be in what has locations or marked calls: write `if cfg!(…) { … }`, or one function for each
//= 38:5 `#[cfg(any())]`: write `if cfg!(…) { … }`
//= 52:9 `fn helper() -> u32 {`: what stands in front of this block would see this `helper`, too, as the block has locations: give it another name, or declare it where the function begins
//= 59:9 `use std::cmp::Ordering::*;`: what stands in front of this block would see these names, too, as the block has locations: name what is used, or write this where the function begins
