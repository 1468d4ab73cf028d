//! Parts of a text in lists, sets and maps, and the longest so far; numbers in front of marked calls.
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use pc3::prelude::*;

#[checkpointable]
fn often(text: &str) -> (usize, String) {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for word in text.split(' ') {
        *count.entry(word).or_insert(0) += 1;
        checkpoint!();
    }
    let mut best = "";
    let mut most = None;
    for (word, n) in &count {
        if *n > 1 {
            best = word;
        }
        checkpoint!();
        most = most.max(Some((*n, *word)));
    }
    assert_eq!(most, Some((3, "a")));
    (count.len(), best.to_owned())
}

#[checkpointable]
fn kinds(text: &str) -> usize {
    let mut seen = BTreeSet::new();
    let mut waiting = VecDeque::new();
    let mut places = vec![];
    let mut at = HashMap::new();
    for (i, word) in text.split_whitespace().enumerate() {
        checkpoint!();
        if seen.insert(word) {
            waiting.push_back(word);
            places.push((i, word));
            at.insert(word, i);
        }
    }
    let mut taken: Vec<(&str, u8)> = Vec::with_capacity(8);
    while let Some(word) = waiting.pop_front() {
        checkpoint!();
        taken.push((word, 1));
    }
    assert_eq!(taken, [("a", 1), ("b", 1), ("c", 1)]);
    assert_eq!(places, [(0, "a"), (1, "b"), (3, "c")]);
    assert_eq!((at["a"], at["b"], at["c"], taken.capacity()), (0, 1, 3, 8));
    println!("{seen:?}");
    seen.len()
}

#[checkpointable]
fn twice(n: u64) -> u64 {
    checkpoint!();
    n * 2
}

#[checkpointable]
fn sums(list: &[u64], more: Option<u64>, n: u64) -> u64 {
    let a = n + more.unwrap_or(0) + ck!(twice(n));
    let b = list[0] + list.len() as u64 + n.pow(2) + ck!(twice(a));
    more.map_or(1, |m| m + 1) + ck!(twice(b)) + a.max(b)
}

#[pc3::main]
fn main() {
    let (n, best) = ck!(often("a b a c b a"));
    println!("{n} {best}");
    let n = ck!(kinds("a b a c b a"));
    println!("{n}");
    let n = ck!(sums(&[5, 6], Some(3), 4));
    println!("{n}");
}
