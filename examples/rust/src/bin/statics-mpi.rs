// pc3-test: mpi ranks=4
//! Saved statics: each rank has its own, also with values that they share with locals.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use pc3::mpi::{self, traits::*};
use pc3::prelude::*;

/// What is given out is counted where nobody hands it on.
mod numbers {
    use std::cell::Cell;

    pc3::saved! {
        /// The next one.
        static NEXT: Cell<u64> = Cell::new(1);
    }

    pub fn next() -> u64 {
        NEXT.replace(NEXT.get() + 1)
    }
}

#[derive(Checkpointable)]
struct Node {
    name: String,
    uses: Cell<u32>,
}

pc3::saved! {
    static NODES: RefCell<BTreeMap<String, Rc<Node>>> = RefCell::default();
    static FIRST: OnceCell<Rc<Node>> = OnceCell::new();
    // Made of another one when it is first used.
    pub(crate) static START: u64 = numbers::next() * 100;
    static NEVER: Cell<u8> = panic!("nobody asks for it");
}

fn node(name: &str) -> Rc<Node> {
    let made = || {
        Rc::new(Node {
            name: format!("{name}{}", numbers::next()),
            uses: Cell::new(0),
        })
    };
    let node = NODES.with_borrow_mut(|n| n.entry(name.to_owned()).or_insert_with(made).clone());
    FIRST.with(|f| drop(f.set(node.clone())));
    node.uses.set(node.uses.get() + 1);
    node
}

#[checkpointable]
fn work(rank: u32) -> u64 {
    let mine = node("mine");
    let mut sum = 0;
    for i in 0..7 {
        let other = node(if i % 2 == 0 { "even" } else { "odd" });
        checkpoint!();
        mine.uses.set(mine.uses.get() + other.uses.get());
        if i > 2 {
            sum += START.with(|s| *s) + numbers::next() + u64::from(rank);
        }
        drop(other);
        if i > 90 {
            NEVER.set(1);
        }
    }
    sum
}

#[pc3::main(mpi)]
fn main() {
    let universe = mpi::initialize().expect("MPI is initialized once");
    let world = universe.world();
    let sum = ck!(work(world.rank() as u32));
    let all = NODES.with_borrow(|n| {
        let each = n.values().map(|n| format!("{} {}", n.name, n.uses.get()));
        each.collect::<Vec<_>>().join(", ")
    });
    let first = FIRST.with(|f| f.get().map_or(0, |n| n.uses.get()));
    let mut line = format!("{}: {sum}, {all}; {first}", world.rank()).into_bytes();
    line.resize(100, b' ');
    if world.rank() > 0 {
        world.process_at_rank(0).send(&line);
        return;
    }
    println!("{}", String::from_utf8_lossy(&line).trim_end());
    for from in 1..world.size() {
        let (line, _) = world.process_at_rank(from).receive_vec::<u8>();
        println!("{}", String::from_utf8_lossy(&line).trim_end());
    }
}
