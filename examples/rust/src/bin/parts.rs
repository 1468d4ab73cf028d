//! Values that are taken apart, and heads of branches whose type says what is kept of them.

#![forbid(unsafe_code)]

use pc3::prelude::*;
use std::rc::Rc;

/// Says when it ends.
#[derive(Checkpointable)]
struct Part(String, u32);

impl Drop for Part {
    fn drop(&mut self) {
        println!("  {} ends", self.0);
    }
}

fn part(name: &str, n: u32) -> Part {
    Part(name.to_owned(), n)
}

#[derive(Checkpointable)]
enum Either {
    Two(Part, Part),
    Number(u32),
    Nothing,
}

#[checkpointable]
fn all_bound() -> u32 {
    let pair = (part("left", 1), part("right", 2));
    let (left, right) = pair;
    checkpoint!();
    println!("  {} and {}", left.0, right.0);
    left.1 + right.1
}

#[checkpointable]
fn by_variant(either: Either) -> u32 {
    let n = match either {
        Either::Two(first, second) => {
            checkpoint!();
            first.1 * second.1
        }
        Either::Number(n) => {
            checkpoint!();
            n
        }
        Either::Nothing => {
            checkpoint!();
            0
        }
    };
    checkpoint!();
    n
}

#[checkpointable]
fn counted(found: Option<Rc<u32>>, other: &Rc<u32>) -> usize {
    if let Some(found) = found {
        checkpoint!();
        return Rc::strong_count(&found);
    }
    checkpoint!();
    Rc::strong_count(other)
}

#[checkpointable]
fn items(list: Vec<(Part, u32)>) -> u32 {
    let mut sum = 0;
    for (part, n) in list {
        checkpoint!();
        println!("  {}", part.0);
        sum += part.1 * n;
    }
    sum
}

#[pc3::main]
fn main() {
    println!("all bound: {}", ck!(all_bound()));
    let two = Either::Two(part("first", 2), part("second", 3));
    for either in [two, Either::Number(5), Either::Nothing] {
        println!("variant: {}", ck!(by_variant(either)));
    }
    let count = Rc::new(1);
    println!("counted: {}", ck!(counted(Some(count.clone()), &count)));
    println!("counted: {}", ck!(counted(None, &count)));
    drop(count);
    let list = vec![(part("a", 1), 10), (part("b", 2), 20)];
    println!("items: {}", ck!(items(list)));
}
