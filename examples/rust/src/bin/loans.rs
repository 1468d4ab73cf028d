//! Parameters that are a `&mut`, if anything, and fields that are functions.

use pc3::prelude::*;

fn add(a: i64, b: i64) -> i64 {
    a + b
}

mod math {
    pub fn less(a: i64, b: i64) -> i64 {
        a - b
    }
}

pc3::functions! {
    /// What is done with two numbers.
    pub struct Op: fn(i64, i64) -> i64 { add, less = math::less, pow = |a, b| a.pow(b as u32) }
}

#[derive(Checkpointable, Debug)]
enum Node {
    Leaf(i64),
    Inner(Op, Box<[Node; 2]>),
}

#[checkpointable]
fn value(node: &Node, mut log: Option<&mut Vec<String>>) -> i64 {
    match node {
        Node::Leaf(n) => *n,
        Node::Inner(op, of) => {
            let a = ck!(value(&of[0], log.as_deref_mut()));
            checkpoint!();
            let b = ck!(value(&of[1], log.as_deref_mut()));
            if let Some(log) = log {
                log.push(format!("{op:?} {a} {b}"));
            }
            checkpoint!();
            op(a, b)
        }
    }
}

#[checkpointable]
fn counted(n: u64, mut into: Option<&mut u64>) -> u64 {
    let mut sum = 0;
    for i in 0..n {
        checkpoint!();
        if let Some(into) = into.as_deref_mut() {
            *into += i;
            checkpoint!();
            *into += 1;
        }
        sum += i;
    }
    sum
}

#[checkpointable]
fn handed(n: u64, into: Option<&mut u64>) -> u64 {
    checkpoint!();
    let sum = match into {
        Some(into) => {
            *into += 100;
            checkpoint!();
            *into *= 2;
            ck!(counted(n, Some(into)))
        }
        None => ck!(counted(n, None)),
    };
    checkpoint!();
    sum
}

#[pc3::main]
fn main() {
    let leaf = |n| Node::Leaf(n);
    let inner = |op, a, b| Node::Inner(op, Box::new([a, b]));
    let tree = inner(
        Op::add,
        inner(Op::pow, leaf(2), leaf(5)),
        inner(Op::less, leaf(7), leaf(4)),
    );
    let mut log = Vec::new();
    println!("{}", ck!(value(&tree, Some(&mut log))));
    println!("{}", ck!(value(&tree, None)));
    println!("{log:?}");
    let mut into = 0;
    println!(
        "{} {}",
        ck!(counted(3, Some(&mut into))),
        ck!(counted(2, None))
    );
    println!("{}", ck!(handed(2, Some(&mut into))));
    println!("{} {into}", ck!(handed(2, None)));
    println!("{tree:?}");
}
