//! Counted owners live until their block ends, though nothing mentions them: their counts, and when values end, are as without
//! checkpoints.

use pc3::prelude::*;
use std::cell::RefCell;
use std::rc::{Rc, Weak};
use std::sync::Arc;

#[derive(Checkpointable)]
struct Loud(u64);

impl Drop for Loud {
    fn drop(&mut self) {
        println!("end {}", self.0);
    }
}

#[checkpointable]
fn forgotten(n: u64) -> usize {
    let first = Rc::new(Loud(n));
    let weak: Weak<Loud> = Rc::downgrade(&first);
    {
        let _second = first.clone();
        checkpoint!();
        println!("{} {}", n, Rc::strong_count(&first));
        checkpoint!();
    }
    println!("{}", Rc::strong_count(&first));
    checkpoint!();
    println!("behind");
    checkpoint!();
    let n = weak.strong_count();
    checkpoint!();
    n
}

#[checkpointable]
fn moved(n: u64, _given: Arc<Loud>) -> usize {
    let list = Rc::new(RefCell::new(vec![n]));
    let other = Rc::clone(&list);
    for i in 0..4 {
        let third = Rc::clone(&list);
        if i == 3 {
            drop(other);
            checkpoint!();
            return Rc::strong_count(&list);
        }
        checkpoint!();
        println!("{i} {}", Rc::strong_count(&list));
        if i == 1 {
            checkpoint!();
            continue;
        }
        third.borrow_mut().push(i);
    }
    3
}

#[checkpointable]
fn ends(all: &mut Vec<Rc<Loud>>, n: u64) -> Result<usize, String> {
    let mine = Rc::new(Loud(n));
    all.push(mine.clone());
    let r = ck!(inner(n))?;
    let theirs = Rc::new(Loud(n + 1));
    all.push(theirs);
    checkpoint!();
    Ok(r + Rc::strong_count(&all[0]))
}

#[checkpointable]
fn inner(n: u64) -> Result<usize, String> {
    checkpoint!();
    if n > 7 {
        Err("much".to_owned())
    } else {
        Ok(3)
    }
}

#[pc3::main]
fn main() {
    println!("{}", ck!(forgotten(3)));
    println!("{}", ck!(moved(3, Arc::new(Loud(10)))));
    let mut all = Vec::new();
    println!("{:?}", ck!(ends(&mut all, 5)));
    println!("{:?}", ck!(ends(&mut all, 8)));
    println!("{}", all.len());
}
