//! So are those of what has been moved or is borrowed.
use pc3::prelude::*;

#[checkpointable]
fn moved(n: u64) -> usize {
    let list = vec![n];
    if n > 3 {
        drop(list);
    }
    checkpoint!();
    list.len()
}

#[checkpointable]
fn borrowed(list: &Vec<u64>) -> u64 {
    let mut all = vec![1];
    let first = &all[0];
    all.push(2);
    list.push(*first);
    checkpoint!();
    all[1]
}

#[checkpointable]
fn fixed(n: u64) -> u64 {
    let k = n;
    checkpoint!();
    k += 1;
    k
}

/// A caller that is not checkpointable.
fn calls() {
    println!("{}", moved(3) as u64 + borrowed(&Vec::new()) + fixed(2));
}

#[pc3::main]
fn main() {
    checkpoint!();
    calls();
}
