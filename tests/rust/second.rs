//! What is evaluated first is not known where the left side is no number.
use pc3::prelude::*;

fn helper() -> usize {
    1
}

#[checkpointable]
fn one() -> std::num::Wrapping<u32> {
    checkpoint!();
    std::num::Wrapping(1)
}

#[checkpointable]
fn first(list: &mut Vec<std::num::Wrapping<u32>>) {
    list[helper()] += ck!(one());
}

fn main() {
    first(&mut Vec::new());
}
