//! Values behind many pointers in a row, which the program goes along without recursion: so must who makes them again.

#![forbid(unsafe_code)]
// In ways that a linter would not have.
#![allow(clippy::all, clippy::pedantic, clippy::unwrap_used)]

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use pc3::prelude::*;

#[derive(Checkpointable)]
struct Link {
    value: u64,
    next: Option<Box<Link>>,
}

impl Drop for Link {
    fn drop(&mut self) {
        let mut next = self.next.take();
        while let Some(mut link) = next {
            next = link.next.take();
        }
    }
}

#[derive(Checkpointable, Default)]
struct Node {
    value: u64,
    next: Option<Weak<RefCell<Node>>>,
}

#[pc3::main]
fn main() {
    let n = 50_000;
    let mut list: Option<Box<Link>> = None;
    for value in 0..n {
        let next = list;
        list = Some(Box::new(Link { value, next }));
    }
    let nodes: Vec<Rc<RefCell<Node>>> = (0..n)
        .map(|value| Rc::new(RefCell::new(Node { value, next: None })))
        .collect();
    for i in 0..n as usize {
        let next = Rc::downgrade(&nodes[(i + 7) % n as usize]);
        nodes[i].borrow_mut().next = Some(next);
    }
    checkpoint!();
    let mut sum = 0u64;
    let mut link = &list;
    while let Some(found) = link {
        sum = sum.wrapping_mul(3).wrapping_add(found.value);
        link = &found.next;
    }
    checkpoint!();
    let mut at = nodes[5].clone();
    for _ in 0..n {
        sum = sum.wrapping_mul(5).wrapping_add(at.borrow().value);
        let next = at.borrow().next.as_ref().unwrap().upgrade().unwrap();
        at = next;
    }
    println!("{sum}");
    drop(at);
    drop(nodes);
    drop(list);
}
