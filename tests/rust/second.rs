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

#[checkpointable]
fn next(i: &mut usize) -> std::num::Wrapping<u32> {
    *i += 1;
    checkpoint!();
    std::num::Wrapping(1)
}

#[checkpointable]
fn moving(list: &mut Vec<std::num::Wrapping<u32>>) {
    let mut i = 0;
    list[i] += ck!(next(&mut i));
}

fn main() {
    first(&mut Vec::new());
    moving(&mut Vec::new());
}

//= 16:10 `helper`: a value of type `Wrapping<u32>` is found before what stands right of the operator is evaluated, which is a marked call
//= 29:10 `i`: a value of type `Wrapping<u32>` is found before what stands right of the operator is evaluated, which is a marked call
