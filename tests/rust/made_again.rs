//! Borrows and guards that are not made again.
use pc3::prelude::*;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

#[derive(Checkpointable)]
struct Cache {
    list: Vec<String>,
    asked: u32,
}

impl Cache {
    fn get(&mut self, i: usize) -> Option<&String> {
        self.asked += 1;
        self.list.get(i)
    }
}

#[checkpointable]
fn by_a_function(cache: &mut Cache) -> usize {
    let found = cache.get(3).unwrap();
    checkpoint!();
    found.len()
}

#[checkpointable]
fn of_cells(list: &[Cell<u32>]) -> u32 {
    let most = list.iter().max().unwrap();
    checkpoint!();
    most.get()
}

#[checkpointable]
fn of_a_map(map: &HashMap<u32, u32>) -> u32 {
    let most = map.values().max().unwrap();
    checkpoint!();
    *most
}

#[checkpointable]
fn of_what_changes<'a>(mut list: &'a [u32], other: &'a [u32]) -> u32 {
    let first = list.first().unwrap();
    list = other;
    checkpoint!();
    *first
}

#[checkpointable]
fn another_guard(a: &RefCell<u32>, b: &RefCell<u32>) -> u32 {
    let mut guard = a.borrow();
    if *guard > 3 {
        guard = b.borrow();
    }
    checkpoint!();
    *guard
}

#[pc3::main]
fn main() {
    let mut cache = Cache { list: Vec::new(), asked: 0 };
    let cells = [Cell::new(3)];
    let map = HashMap::from([(1, 2)]);
    println!("{} {} {}", ck!(by_a_function(&mut cache)), ck!(of_cells(&cells)), ck!(of_a_map(&map)));
    let (a, b) = (RefCell::new(3), RefCell::new(4));
    println!("{} {}", ck!(of_what_changes(&[1], &[2])), ck!(another_guard(&a, &b)));
}

//= 21:17 `cache`: a borrow out of `Cache` is not made again after a restart: what else its methods, or its `Index`, do would be done twice
//= 28:21 `iter`: which `Cell<u32>` is found may be another one after a restart: it may hold a cell
//= 35:20 `values`: which item of `std::collections::hash_map::Values<'_, u32, u32>` is found may be another one after a restart
//= 43:5 `list`: `&u32` is made again after a restart, and it, or what it is made from, may have another value then
//= 52:9 `guard`: `Ref<'_, u32>` is made again after a restart, and it, or what it is made from, may have another value then
//= 43:5 `list = other`: value assigned to `list` is never read
