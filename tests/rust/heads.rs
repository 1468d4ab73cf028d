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
    while let Some(n) = queue.borrow_mut().pop() {
        checkpoint!();
        sum += n;
    }
    match queue.borrow().len() {
        0 => {
            checkpoint!();
        }
        n => sum += n as u64,
    }
    for n in 0..queue.borrow().len() {
        checkpoint!();
        sum += n as u64;
    }
    sum + ck!(given(queue.borrow().len()))
}

#[checkpointable]
fn given(n: usize) -> u64 {
    checkpoint!();
    n as u64
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

#[pc3::main]
fn main() {
    println!("{}", ck!(guards(&RefCell::new(vec![1, 2]))));
    println!("{}", ck!(values(3)));
    println!("{}", ck!(parts(pair(3))));
}

//= 23:25 `queue`: E0080
//= 23:25 `queue`: note
//= 27:11 `queue`: E0080
//= 27:11 `queue`: note
//= 33:17 `queue`: E0080
//= 33:17 `queue`: note
//= 37:21 `queue`: E0080
//= 37:21 `queue`: note
//= 20:1 `#[checkpointable]`: note
//= 48:25 `Loud`: E0080
//= 48:25 `Loud`: note
//= 52:11 `pair`: E0080
//= 52:11 `pair`: note
//= 46:1 `#[checkpointable]`: note
//= 67:10 `(_, right)`: E0080
//= 67:10 `(_, right)`: note
//= 66:1 `#[checkpointable]`: note
