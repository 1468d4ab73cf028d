//! Loops whose iterators would not go the same way again.
use pc3::prelude::*;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;

#[checkpointable]
fn maps(map: &HashMap<u64, u64>, mut own: HashMap<String, u64>, set: &HashSet<u64>) -> u64 {
    let mut sum = 0;
    for (_, n) in map {
        checkpoint!();
        sum += n;
    }
    for n in own.values_mut() {
        checkpoint!();
        *n += 1;
    }
    for (i, n) in set.iter().enumerate().filter(|(i, _)| *i > 1) {
        checkpoint!();
        sum += n + i as u64;
    }
    for (a, b) in [1, 2].iter().zip(map.keys()) {
        checkpoint!();
        sum += a * b;
    }
    for n in [1, 2].iter().flat_map(|_| map.keys()) {
        checkpoint!();
        sum += n;
    }
    sum
}

struct World {
    size: u64,
    seen: RefCell<Vec<bool>>,
}

impl World {
    #[checkpointable]
    fn unseen(&self) -> u64 {
        let mut sum = 0;
        for n in (0..self.size).filter(|n| !self.seen.borrow()[*n as usize]) {
            checkpoint!();
            sum += n;
        }
        // This is asked of what stays as it is.
        for n in (0..9).filter(|n| *n < self.size) {
            checkpoint!();
            sum += n;
        }
        sum
    }
}

#[checkpointable]
fn cells(list: &[Cell<u64>], lock: &Mutex<u64>) -> u64 {
    let mut sum = 0;
    for cell in list.iter().filter(|c| c.get() > 3) {
        checkpoint!();
        sum += cell.take();
    }
    for n in [1, 2].iter().filter(|_| lock.try_lock().is_ok()) {
        checkpoint!();
        sum += n;
    }
    sum
}

/// Of a type that is not known nothing is known.
#[checkpointable]
fn unknown<T: Into<u64> + Copy>(list: &[T]) -> u64 {
    let mut sum = 0;
    for n in list.iter().map(|n| (*n).into()) {
        checkpoint!();
        sum += n;
    }
    sum
}

#[checkpointable]
fn changed(list: &mut Vec<u64>) {
    for n in list.iter_mut().filter(|n| **n > 3) {
        checkpoint!();
        *n = 0;
    }
}

#[derive(Checkpointable)]
struct Stack {
    items: Vec<u64>,
    at: u64,
}

impl Stack {
    fn iter(&self) -> std::ops::Range<u64> {
        self.at..4
    }
}

impl<'a> IntoIterator for &'a Stack {
    type Item = &'a u64;
    type IntoIter = std::slice::Iter<'a, u64>;
    fn into_iter(self) -> Self::IntoIter {
        println!("once more");
        self.items.iter()
    }
}

#[checkpointable]
fn of_the_program(stack: &mut Stack, list: &[u64]) -> u64 {
    let mut sum = 0;
    for (a, b) in list.iter().zip(stack.iter()) {
        stack.at = 3;
        checkpoint!();
        sum += a * b;
    }
    for n in &*stack {
        checkpoint!();
        sum += n;
    }
    sum
}

struct Told(Vec<u64>);

impl Told {
    fn iter(&self) -> std::slice::Iter<'_, u64> {
        println!("from the start");
        self.0.iter()
    }
    fn get(&self, n: usize) -> Option<&u64> {
        println!("{n}");
        self.0.get(n)
    }
}

#[checkpointable]
fn told(told: &Told) -> u64 {
    let mut sum = 0;
    for n in told.iter() {
        checkpoint!();
        sum += n;
    }
    if let Some(n) = told.get(1) {
        checkpoint!();
        sum += n;
    }
    sum
}

#[pc3::main]
fn main() {
    println!("{}", ck!(maps(&HashMap::new(), HashMap::new(), &HashSet::new())));
    println!("{} {}", ck!(cells(&[], &Mutex::new(3))), ck!(unknown(&[3u8])));
}

//= 10:19 `map`: a loop with locations, or an iterator that is needed behind one, goes over a hash map or set, which has another order after a restart
//= 14:18 `values_mut`: a loop with locations, or an iterator that is needed behind one, goes over a hash map or set, which has another order after a restart
//= 18:30 `enumerate`: a loop with locations, or an iterator that is needed behind one, goes over a hash map or set, which has another order after a restart
//= 22:33 `zip`: a loop with locations, or an iterator that is needed behind one, goes over a hash map or set, which has another order after a restart
//= 26:45 `keys`: a loop with locations, or an iterator that is needed behind one, goes over a hash map or set, which has another order after a restart
//= 112:41 `iter`: `std::ops::Range<u64>` is no borrow, but would be made again after a restart, when what it is made from may have another value
//= 112:41 `iter`: a borrow out of `Stack` is not made again after a restart: what else its methods, or its `Index`, do would be done twice
//= 117:14 `&`: a loop with locations goes over `&Stack` by an `IntoIterator` that is not the standard library's
//= 140:19 `iter`: a borrow out of `Told` is not made again after a restart: what else its methods, or its `Index`, do would be done twice
//= 144:22 `told`: a borrow out of `Told` is not made again after a restart: what else its methods, or its `Index`, do would be done twice
