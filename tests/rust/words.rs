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
        use std::fmt::Write;
        fn small() -> bool {
            let mut text = String::new();
            write!(text, "1").is_ok()
        }
        checkpoint!();
        a.cmp(&b) == Less && small()
    };
    a + b + u32::from(c)
}

fn main() {
    texts();
    hidden();
}

//= 16:30 `"{x}"`: this text mentions a local whose name an earlier one has, too (or that begins with a capital), and what the macro makes of it is not known here: give the local another name, or hand the text over as the value of a `let`
//= 27:9 `fn helper() -> u32 {`: what stands in front of this block would see this `helper`, too, as the block has locations: give it another name, or declare it where the function begins
//= 34:9 `use std::cmp::Ordering::*;`: what stands in front of this block would see these names, too, as the block has locations: name what is used, or write this where the function begins
//= 35:9 `use std::fmt::Write;`: what stands in front of this block would see the methods of `Write`, too, as the block has locations and other items: write this where the function begins
