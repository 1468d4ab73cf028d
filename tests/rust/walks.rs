//! Iterators in locals that cannot be made again, or not as they were.
use pc3::prelude::*;
use std::collections::{HashMap, HashSet};

#[checkpointable]
fn changed(mut list: &[u64]) -> u64 {
    let mut it = list.iter();
    let first = it.next().copied().unwrap_or(0);
    list = &[];
    checkpoint!();
    first + it.next().copied().unwrap_or(0) + list.len() as u64
}

#[checkpointable]
fn shuffled(map: &HashMap<u64, u64>, set: HashSet<u64>) -> u64 {
    let mut keys = map.keys().peekable();
    let mut all = set.iter();
    checkpoint!();
    keys.next().copied().unwrap_or(0) + all.next().copied().unwrap_or(0)
}

struct Own(Vec<u64>);

impl Own {
    fn iter(&self) -> std::slice::Iter<'_, u64> {
        self.0.iter()
    }
}

#[checkpointable]
fn own(own: &Own) -> u64 {
    let mut it = own.iter();
    checkpoint!();
    it.next().copied().unwrap_or(0)
}

#[checkpointable]
fn closure(list: Vec<u64>) -> u64 {
    let mut it = list.into_iter().map(|x| x + 1);
    checkpoint!();
    it.next().unwrap_or(0)
}

#[checkpointable]
fn moved(list: &[u64], name: String) -> u64 {
    let mut it = list.iter().map(|x| x + 1);
    let first = it.next().unwrap_or(0) + name.into_bytes().len() as u64;
    checkpoint!();
    first + it.next().unwrap_or(0)
}

#[checkpointable]
fn captured(list: &[u64]) -> u64 {
    let mut by = 1;
    let mut it = list.iter().map(move |x| x + by);
    by += 2;
    checkpoint!();
    by + it.next().unwrap_or(0)
}

fn one(it: &mut std::slice::IterMut<u64>) -> u64 {
    it.next().map_or(0, |x| *x)
}

#[checkpointable]
fn uncloned(list: &mut [u64]) -> u64 {
    let mut it = list.iter_mut();
    let first = one(&mut it);
    checkpoint!();
    first + it.next().map_or(0, |x| *x)
}

#[pc3::main]
fn main() {
    let map = HashMap::new();
    println!("{}", ck!(changed(&[1])) + ck!(shuffled(&map, HashSet::new())));
    println!("{}", ck!(captured(&[1])) + ck!(moved(&[1], String::new())));
    println!("{}", ck!(uncloned(&mut [1])));
    println!("{}", ck!(own(&Own(vec![1]))) + ck!(closure(vec![2])));
}

//= 9:5 `list`: `list` comes from the caller, who makes it again after a restart: what it becomes here would be lost; keep an index, or bind it with another `let`
//= 9:5 `list`: `list`, which a loop or an iterator goes over, changes here; after a restart the iterator is made again: go over a copy, or keep an index
//= 56:5 `by`: `by`, which a loop or an iterator goes over, changes here; after a restart the iterator is made again: go over a copy, or keep an index
//= 16:31 `peekable`: a loop with locations, or an iterator that is needed behind one, goes over a hash map or set, which has another order after a restart
//= 17:23 `iter`: a loop with locations, or an iterator that is needed behind one, goes over a hash map or set, which has another order after a restart
//= 32:22 `iter`: a borrow out of `Own` is not made again after a restart: what else its methods, or its `Index`, do would be done twice
//= 39:13 `it`: `Map<std::vec::IntoIter<u64>, {closure@src/bin/walks.rs:39:39: 39:42}>` cannot be saved in a checkpoint
//= 45:24 `name`: a value of type `String` is moved in front of a location or marked call that would have to save it
//= 79:29 `Own`: `Own` cannot be saved in a checkpoint
//= 68:21 `&mut it`: cannot borrow data in dereference of `pc3::kinds::walks::Walk<std::slice::IterMut<'_, u64>>` as mutable
