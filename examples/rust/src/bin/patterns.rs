//! Patterns that are matched again, of parts that are changed meanwhile; borrows that are looked up again by keys that are
//! borrowed themselves; values that only a borrow leads to.

#![forbid(unsafe_code)]
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use pc3::prelude::*;

#[derive(Checkpointable, Debug)]
enum Unit {
    Tank { armour: u32, hp: u32 },
    Truck(u32, u32),
    Column([u32; 3]),
}

#[checkpointable]
fn fight(units: &mut [Unit]) {
    for unit in units.iter_mut() {
        match unit {
            Unit::Tank {
                armour: target @ 1..,
                hp: other,
            }
            | Unit::Tank {
                hp: target,
                armour: other,
            }
            | Unit::Truck(other @ 5.., target)
            | Unit::Truck(target, other)
            | Unit::Column([target, other, 0] | [0, target, other] | [other, _, target]) => {
                *target = 0;
                checkpoint!();
                *other += 100;
                checkpoint!();
                *target += *other;
            }
        }
    }
}

#[checkpointable]
fn change(pair: &mut (u32, u32), list: &mut [u32], found: &mut Option<(u32, u32)>) -> u32 {
    let mut sum = 0;
    match pair {
        (0, n) => {
            pair.0 = 5;
            checkpoint!();
            *n += 1;
        }
        (1 | 2, n) | (n, 7) if *n > 1 => {
            *n = 0;
            checkpoint!();
            *n += 3;
        }
        (a, b) => {
            std::mem::swap(a, b);
            checkpoint!();
            *a += 1;
        }
    }
    match list {
        [1, rest @ .., 9] => {
            rest[0] = 3;
            checkpoint!();
            rest[1] = 4;
        }
        [first @ 2..=99, .., last] | [last, first @ 7, ..] => {
            *first = 0;
            checkpoint!();
            *last = 1;
            checkpoint!();
            *first += 1;
        }
        _ => sum += 100,
    }
    if let Some((a @ 3..=5, b) | (b, a @ (8 | 9))) = found {
        *a = 0;
        checkpoint!();
        *b += 10;
        checkpoint!();
        *a += 2;
        sum += *a;
    }
    while let Some((a, b @ ..50)) = found {
        *b += 30;
        checkpoint!();
        *a += 1;
        sum += 1;
    }
    sum
}

#[derive(Checkpointable, Debug, Default)]
struct Index {
    entries: BTreeMap<String, u32>,
    name: String,
    rows: Vec<Vec<u32>>,
    at: (usize, usize),
}

impl Index {
    #[checkpointable]
    fn look(&mut self) -> u32 {
        let one = &self.entries[&self.name];
        checkpoint!();
        let other = self.entries.get(self.name.as_str()).unwrap();
        checkpoint!();
        let mut sum = one + other;
        if let Some(n) = self.entries.get_mut(&self.name) {
            checkpoint!();
            *n += 1;
            sum += *n;
        }
        let cell = &mut self.rows[self.at.0][self.at.1];
        self.at = (0, 0);
        checkpoint!();
        *cell += sum;
        sum
    }
}

#[checkpointable]
fn by_names(entries: &BTreeMap<String, u32>, names: &mut [String]) -> u32 {
    let mut sum = 0;
    for name in names.iter() {
        let Some(n) = entries.get(name) else { continue };
        checkpoint!();
        sum += n;
    }
    for name in names.iter_mut() {
        let n = &entries[&*name];
        checkpoint!();
        sum += n;
        name.push('x');
        checkpoint!();
    }
    let name = &names[0];
    let n = entries.get(name).unwrap();
    checkpoint!();
    sum + n
}

#[checkpointable]
fn twice(n: &mut u32, given: &mut Option<u32>) -> u32 {
    *n += 1;
    *given = Some(3);
    checkpoint!();
    *n += 1;
    *n + given.unwrap_or(0)
}

#[derive(Clone, Debug, Checkpointable)]
struct Part {
    name: String,
    at: (u32, u32),
}

fn part(n: u32) -> Part {
    Part {
        name: "x".repeat(n as usize),
        at: (n, n + 1),
    }
}

/// `ref` beside names that take values, and out of values that nothing else holds.
#[checkpointable]
fn by_ref(list: Vec<Part>) -> u32 {
    let Part {
        ref name,
        at: (x, _),
    } = part(3);
    let (ref mut other, mut n) = (part(2), 5);
    checkpoint!();
    other.name.push('y');
    n += x + name.len() as u32;
    checkpoint!();
    n += other.name.len() as u32;
    for Part {
        ref mut name,
        at: (x, ref y),
    } in list
    {
        name.push('z');
        checkpoint!();
        n = n * 3 + name.len() as u32 + x + y;
    }
    let whole = (part(4), n);
    match whole {
        (
            Part {
                ref name,
                at: (mut x, ..),
            },
            ref m,
        ) if *m > 0 => {
            x += 1;
            checkpoint!();
            x + *m + name.len() as u32
        }
        _ => 0,
    }
}

#[pc3::main]
fn main() {
    let mut units = [
        Unit::Tank { armour: 1, hp: 2 },
        Unit::Tank { armour: 0, hp: 2 },
        Unit::Truck(5, 1),
        Unit::Truck(1, 2),
        Unit::Column([1, 2, 0]),
        Unit::Column([0, 2, 3]),
        Unit::Column([4, 2, 3]),
    ];
    ck!(fight(&mut units));
    println!("{units:?}");
    for start in [(0, 1), (1, 4), (9, 7), (2, 0)] {
        let mut pair = start;
        let mut list = [start.0, start.1, 7, 9];
        let mut found = Some((start.1 + 1, start.0));
        let sum = ck!(change(&mut pair, &mut list, &mut found));
        println!("{sum} {pair:?} {list:?} {found:?}");
    }
    let entries = [("k", 5), ("", 7), ("kx", 8)];
    let mut index = Index {
        entries: entries.map(|(k, n)| (k.to_string(), n)).into(),
        name: "k".into(),
        rows: vec![vec![1, 2], vec![3, 4]],
        at: (1, 1),
    };
    println!("{} {index:?}", ck!(index.look()));
    let mut names = vec!["k".to_string(), String::new()];
    println!("{} {names:?}", ck!(by_names(&index.entries, &mut names)));
    println!("{}", ck!(twice(&mut 1, &mut None)));
    println!("{}", ck!(by_ref(vec![part(1), part(5)])));
    let n = &mut 1;
    *n += 4;
    checkpoint!();
    println!("{n}");
}
