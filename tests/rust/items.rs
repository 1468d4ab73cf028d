//! Values that are made again, and would lose what they have become.
use pc3::prelude::*;
use std::cell::Cell;

#[derive(Clone, Copy)]
struct Unsaved {
    n: u32,
}

#[checkpointable]
fn item(list: &[u32]) -> u32 {
    let mut sum = 0;
    for mut item in list.iter().map(|n| Unsaved { n: *n }) {
        item.n += 1;
        checkpoint!();
        sum += item.n;
    }
    sum
}

#[checkpointable]
fn head(list: &[Unsaved]) -> u32 {
    match list.first().copied() {
        Some(mut first) => {
            first.n += 2;
            checkpoint!();
            first.n
        }
        None => 0,
    }
}

#[checkpointable]
fn by_value(pair: &(Unsaved, u32)) -> u32 {
    match *pair {
        (mut one, ref n) => {
            one.n += n;
            checkpoint!();
            one.n + n
        }
    }
}

#[checkpointable]
fn cell(list: &[Unsaved]) -> u32 {
    let mut sum = 0;
    for cell in list.iter().map(|one| Cell::new(*one)) {
        cell.set(Unsaved { n: 9 });
        checkpoint!();
        sum += cell.get().n;
    }
    sum
}

#[checkpointable]
fn parts(a: &[u32], b: &[u32]) -> u32 {
    let mut sum = 0;
    for mut pair in a.iter().zip(b.iter()) {
        pair.0 = pair.1;
        checkpoint!();
        sum += pair.0;
    }
    sum
}

#[checkpointable]
fn evaluated_again() -> u32 {
    #[reeval]
    let cell = Cell::new(3);
    cell.set(7);
    checkpoint!();
    cell.get()
}

#[pc3::main]
fn main() {
    println!("{} {}", ck!(item(&[1, 2])), ck!(parts(&[1], &[2])));
}

//= 13:13 `item`: `Unsaved` cannot be saved in a checkpoint
//= 24:18 `first`: `Unsaved` is made again after a restart, and it, or what it is made from, may have another value then
//= 36:14 `one`: `Unsaved` is made again after a restart, and it, or what it is made from, may have another value then
//= 47:9 `cell`: `Unsaved` cannot be saved in a checkpoint
//= 58:13 `pair`: `(&u32, &u32)` is made again after a restart, and its parts may be other borrows then
//= 69:9 `cell`: `Cell<{integer}>` is made again after a restart, and it, or what it is made from, may have another value then
