//! What a name means, and what is there at all: conditions of the compiler's, items of blocks, names of all kinds.

#![forbid(unsafe_code)]
// In ways that a linter would not have.
#![allow(clippy::all, clippy::pedantic, nonstandard_style)]

use std::collections::{BTreeMap, VecDeque};

use pc3::prelude::*;

#[derive(Checkpointable, Debug)]
struct Pair {
    a: u32,
    #[cfg(any())]
    b: u32,
    c: u32,
}

trait Counted {
    #[checkpointable]
    fn counted(&self, #[cfg(any())] by: u64, n: u32) -> u32;
}

impl Counted for Pair {
    #[checkpointable]
    fn counted(&self, #[cfg(any())] by: u64, n: u32) -> u32 {
        #[cfg(any())]
        let n = by;
        #[cfg(not(any()))]
        let n = n + 1;
        checkpoint!();
        n + self.a
    }
}

impl Pair {
    #[checkpointable]
    fn of(a: u32) -> Self {
        #[cfg(any())]
        static OTHER: u32 = 3;
        #[cfg(all())]
        const C: u32 = 4;
        checkpoint!();
        let pair = Pair {
            a,
            #[cfg(any())]
            b: 3,
            c: C,
        };
        let list = [
            #[cfg(any())]
            3,
            pair.c,
            7,
        ];
        checkpoint!();
        println!("{list:?}");
        pair
    }
}

#[checkpointable]
fn conditions(n: u32) -> u32 {
    let mut x = n;
    #[cfg(any())]
    let mut x = 1000;
    #[cfg(any())]
    {
        x += 100;
        checkpoint!();
    }
    #[cfg(any())]
    checkpoint!();
    #[cfg(any())]
    {
        return ck!(conditions(n)) * 1000;
    }
    let y = match x {
        #[cfg(any())]
        1 => {
            checkpoint!();
            55
        }
        #[cfg(all())]
        1 => {
            checkpoint!();
            5
        }
        _ => {
            checkpoint!();
            6
        }
    };
    x += 1;
    #[cfg(any())]
    {
        x
    }
    #[cfg(not(any()))]
    {
        x + y
    }
}

#[derive(Checkpointable, Default, Debug)]
struct Pool {
    list: Vec<u32>,
    count: usize,
}

impl Pool {
    #[checkpointable]
    fn slot(&mut self, i: usize) -> &mut u32 {
        while self.list.len() <= i {
            self.list.push(0);
            checkpoint!();
        }
        &mut self.list[i]
    }

    #[checkpointable]
    fn counted(&mut self) -> &mut Self {
        checkpoint!();
        self.count += 1;
        self
    }
}

/// What a marked call gives is assigned to.
#[checkpointable]
fn places() {
    let mut pool = Pool::default();
    let n = 4;
    *ck!(pool.slot(1)) = 5;
    *ck!(pool.slot(2)) += n;
    ck!(pool.counted()).count += 10;
    ck!(pool.counted()).list[0] = n + pool.list[2];
    *ck!(pool.slot(0)) = ck!(conditions(1)) + pool.list[1];
    println!("{pool:?}");
}

#[derive(Checkpointable)]
struct Told(u32);

impl Drop for Told {
    fn drop(&mut self) {
        println!("{} ends", self.0);
    }
}

/// Loops over what takes the values out of something.
#[checkpointable]
fn taken(mut list: Vec<Told>, mut queue: VecDeque<u32>, map: BTreeMap<u32, u32>) -> u32 {
    let mut sum = 0;
    for told in list.drain(1..) {
        if told.0 == 3 {
            break;
        }
        checkpoint!();
        sum += told.0;
    }
    println!("{} left", list.len());
    drop(list);
    for (i, n) in queue.drain(..).enumerate() {
        checkpoint!();
        sum = sum * 3 + n * i as u32;
    }
    for n in map.clone().into_keys().skip(1) {
        checkpoint!();
        sum = sum * 3 + n;
    }
    for n in vec![vec![1, 2], Vec::new(), vec![3]]
        .into_iter()
        .rev()
        .flatten()
    {
        checkpoint!();
        sum = sum * 3 + n;
    }
    for n in map.into_values() {
        checkpoint!();
        sum = sum * 3 + n;
    }
    sum
}

#[derive(Checkpointable)]
struct Ends(u32);

impl Drop for Ends {
    fn drop(&mut self) {
        println!("end {}", self.0);
    }
}

#[checkpointable]
fn look(at: &Ends, found: bool) -> Option<u32> {
    checkpoint!();
    found.then_some(at.0)
}

/// What a head borrows lives until the branch ends, or, as the edition says, until another is taken.
#[checkpointable]
fn otherwise(found: bool) {
    if let Some(x) = ck!(look(&Ends(1), found)) {
        checkpoint!();
        println!("found {x}");
    } else {
        println!("not found");
    }
    let y = if let Some(x) = ck!(look(&Ends(2), found)) {
        println!("found {x}");
        x
    } else if found {
        0
    } else {
        println!("none");
        1
    };
    println!("{y}");
}

#[derive(Checkpointable)]
struct Bag(Vec<u32>);

impl std::ops::Deref for Bag {
    type Target = Vec<u32>;
    fn deref(&self) -> &Vec<u32> {
        &self.0
    }
}

mod sizes {
    pub trait Sized {
        fn len(&self) -> usize;
    }
    impl Sized for super::Bag {
        fn len(&self) -> usize {
            100
        }
    }
}

/// Methods of a trait are seen in the block that brings it, and not in front.
#[checkpointable]
fn brought(bag: &Bag) -> usize {
    let mut sum = bag.len();
    checkpoint!();
    sum += bag.len();
    {
        use sizes::Sized as _;
        checkpoint!();
        sum += bag.len();
        for _ in 0..2 {
            checkpoint!();
            sum += bag.len();
        }
    }
    checkpoint!();
    sum += {
        use std::cmp::Ordering::*;
        checkpoint!();
        match bag.len().cmp(&3) {
            Less => 1,
            Equal => 2,
            Greater => 3,
        }
    };
    sum + bag.len()
}

#[pc3::main]
fn main() {
    ck!(otherwise(true));
    ck!(otherwise(false));
    println!("{}", ck!(brought(&Bag(vec![7, 8, 9]))));
    #[cfg(any())]
    println!("never");
    let pair = ck!(Pair::of(
        #[cfg(any())]
        3,
        2
    ));
    println!("{pair:?} {}", ck!(pair.counted(4)));
    println!("{} {}", ck!(conditions(1)), ck!(conditions(2)));
    ck!(places());
    let list = [1, 2, 3, 4].map(Told).into();
    let sum = ck!(taken(list, [5, 6].into(), [(1, 2), (3, 4)].into()));
    println!("{sum}");
}
