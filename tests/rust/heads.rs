//! Values without a name that live across locations, and that a checkpoint would end.
use pc3::prelude::*;
use std::cell::RefCell;

#[derive(Checkpointable)]
struct Loud(u64);

impl Drop for Loud {
    fn drop(&mut self) {
        println!("end {}", self.0);
    }
}

impl Loud {
    fn half(&self) -> Option<u64> {
        (self.0 > 1).then_some(self.0 / 2)
    }
}

#[checkpointable]
fn guards(queue: &RefCell<Vec<u64>>) -> u64 {
    let mut sum = 0;
    if let Some(n) = queue.borrow_mut().pop() {
        checkpoint!();
        sum += n;
    } else {
        // Is it held here?  That depends on the edition.
        checkpoint!();
    }
    match (given_at_once(3), queue.borrow().len()) {
        (3, 0) => {
            checkpoint!();
        }
        (_, n) => sum += n as u64,
    }
    sum + ck!(given(3, queue.borrow().len()))
}

fn given_at_once(n: u64) -> u64 {
    n
}

#[checkpointable]
fn given(by: u64, n: usize) -> u64 {
    checkpoint!();
    n as u64 * by
}

#[checkpointable]
fn values(n: u64) -> u64 {
    if let Some(half) = Loud(n).half() {
        checkpoint!();
        return half;
    }
    match pair(n) {
        (left, _) if left.0 > 3 => {
            checkpoint!();
            drop(left);
            1
        }
        _ => 2,
    }
}

fn pair(n: u64) -> (Loud, Loud) {
    (Loud(n), Loud(n + 1))
}

#[checkpointable]
fn parts((_, right): (Loud, Loud)) -> u64 {
    checkpoint!();
    right.0
}

#[checkpointable]
fn seen(loud: &Loud, n: u64) -> Option<u64> {
    checkpoint!();
    (loud.0 > n).then_some(n)
}

#[checkpointable]
fn otherwise(n: u64) -> u64 {
    if let Some(x) = ck!(seen(&Loud(n), 1)) {
        x
    } else {
        checkpoint!();
        n
    }
}

#[checkpointable]
fn deeper(n: u64) -> u64 {
    let by = ck!(given(given_at_once(Loud(n).half().unwrap_or(1)), 1));
    ck!(given(
        match Loud(n).half() {
            Some(half) => half,
            None => by,
        },
        2
    ))
}

#[pc3::main]
fn main() {
    println!("{} {}", ck!(otherwise(3)), ck!(deeper(3)));
    println!("{}", ck!(guards(&RefCell::new(vec![1, 2]))));
    println!("{}", ck!(values(3)));
    println!("{}", ck!(parts(pair(3))));
}

//= 83:32 `Loud`: what is made here lives until the end of the `if let`, as a lock or the guard of a `RefCell` does, and a checkpoint within would end it: bind what is needed of it by `let` in front
//= 83:32 `Loud`: note
//= 81:1 `#[checkpointable]`: note
//= 93:38 `Loud`: what is made here lives until the end of the call, as a lock or the guard of a `RefCell` does, and a checkpoint within would end it: bind what is needed of it by `let` in front
//= 93:38 `Loud`: note
//= 95:15 `Loud`: what is made here lives until the end of the call, as a lock or the guard of a `RefCell` does, and a checkpoint within would end it: bind what is needed of it by `let` in front
//= 95:15 `Loud`: note
//= 91:1 `#[checkpointable]`: note
//= 23:22 `queue`: what is made here lives until the end of the `if`, as a lock or the guard of a `RefCell` does, and a checkpoint within would end it: bind what is needed of it by `let` in front
//= 23:22 `queue`: note
//= 30:30 `queue`: what is made here lives until the end of the `match`, as a lock or the guard of a `RefCell` does, and a checkpoint within would end it: bind what is needed of it by `let` in front
//= 30:30 `queue`: note
//= 20:1 `#[checkpointable]`: note
//= 51:25 `Loud`: what is made here lives until the end of the `if`, as a lock or the guard of a `RefCell` does, and a checkpoint within would end it: bind what is needed of it by `let` in front
//= 51:25 `Loud`: note
//= 55:11 `pair`: what the patterns leave of this value lives until the end of the `match`, and a checkpoint within would end it: bind all of it, or bind the value by `let` in front and match a borrow of that (`&x`)
//= 55:11 `pair`: note
//= 49:1 `#[checkpointable]`: note
//= 70:10 `(_, right)`: what this parameter's pattern leaves of its value lives until the end of the function, and a checkpoint within would end it: give all parts names
//= 70:10 `(_, right)`: note
//= 69:1 `#[checkpointable]`: note
