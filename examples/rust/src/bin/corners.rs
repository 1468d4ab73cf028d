//! Types that only what follows tells, functions as arguments, names that mean several things.

#![forbid(unsafe_code)]
// In ways that a linter would not have.
#![allow(clippy::all, clippy::pedantic, clippy::unwrap_used)]

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::num::Wrapping;
use std::rc::Rc;

use pc3::prelude::*;

/// Dijkstra's way through a grid.
#[checkpointable]
fn shortest(width: usize, costs: &[u64]) -> Option<u64> {
    let mut best = vec![u64::MAX; costs.len()];
    let mut heap = BinaryHeap::new();
    heap.push(Reverse((costs[0], 0)));
    while let Some(Reverse((cost, at))) = heap.pop() {
        if at + 1 == costs.len() {
            return Some(cost);
        }
        if cost >= best[at] {
            continue;
        }
        best[at] = cost;
        if at % 3 == 0 {
            checkpoint!();
        }
        let right = (at % width + 1 < width).then_some(at + 1);
        for next in [right, Some(at + width)].into_iter().flatten() {
            if next < costs.len() {
                heap.push(Reverse((cost + costs[next], next)));
            }
        }
    }
    None
}

/// Of the lists, some are needed behind the location and some are not.
#[checkpointable]
fn inferred(text: &str) -> String {
    let mut parts = Vec::new();
    for part in text.split(',') {
        parts.push(part);
    }
    let joined = parts.join("+");
    let mut wrapped = Vec::new();
    let mut ranges = Vec::new();
    let mut words = Vec::new();
    let mut last = Default::default();
    for i in 250..253u8 {
        wrapped.push(Wrapping(i) + Wrapping(4));
        ranges.push(0..i);
        words.push(if i > 251 { "big" } else { "small" });
        last = Some(Wrapping(i));
        checkpoint!();
    }
    let mut nested = {
        let inner = Vec::new();
        checkpoint!();
        inner
    };
    nested.push(Reverse(words.len()));
    format!("{joined} {wrapped:?} {ranges:?} {words:?} {last:?} {nested:?}")
}

#[derive(Checkpointable)]
struct Sum(u64);

trait Measured {
    #[checkpointable]
    fn measure(&self, scale: impl Into<u64> + Checkpointable, by: fn(u64) -> u64) -> u64;
}

impl Measured for Sum {
    #[checkpointable]
    fn measure(&self, scale: impl Into<u64> + Checkpointable, by: fn(u64) -> u64) -> u64 {
        checkpoint!();
        by(scale.into()) + self.0
    }
}

impl Sum {
    #[checkpointable]
    fn add(
        &mut self,
        from: impl Iterator<Item = u64> + Checkpointable,
        weight: u64,
        f: impl Fn(u64) -> u64,
    ) -> u64 {
        for x in from {
            self.0 += f(x) * weight;
            checkpoint!();
        }
        self.0
    }
}

#[checkpointable]
fn applied(f: fn(u64) -> u64, n: u64) -> u64 {
    let mut sum = 0;
    for i in 0..n {
        sum = sum * 3 + f(i);
        checkpoint!();
    }
    sum
}

#[checkpointable]
fn total<'a, T: Copy + Into<u64>>(
    list: &'a [T],
    first: impl Into<u64> + Checkpointable,
    last: Option<impl Into<u64> + Checkpointable>,
) -> u64 {
    let mut sum = first.into();
    for x in list {
        sum = sum * 10 + (*x).into();
        checkpoint!();
    }
    sum + last.map_or(0, Into::into)
}

#[checkpointable]
fn largest<'a>(list: &'a [u32], but: &str) -> &'a u32 {
    checkpoint!();
    &list[but.len()]
}

#[checkpointable]
fn counted<F: FnMut(u32) -> bool>(n: u32, mut accept: F) -> u32 {
    let mut count = 0;
    for i in 0..n {
        checkpoint!();
        count += u32::from(accept(i));
    }
    count
}

#[checkpointable]
fn at_the_end(n: u32, f: impl FnOnce(u32) -> u32) -> u32 {
    let mut sum = 0;
    for i in 0..n {
        sum += i;
        checkpoint!();
    }
    f(sum)
}

fn double(x: u64) -> u64 {
    x * 2
}

/// `a` is gone when other things have its name.
#[checkpointable]
fn names(a: Vec<u32>) -> u32 {
    let n = a.len() as u32;
    drop(a);
    checkpoint!();
    fn inner(a: u32) -> u32 {
        a * 2
    }
    let all = [1, 2, 3];
    println!("{}", all.iter().map(|a| a + n).sum::<u32>());
    for i in 0..2 {
        checkpoint!();
        let add = |a: u32| a + i;
        println!("{}", add(n) + inner(n));
    }
    match Some(n) {
        Some(a) => println!("{a} {}", matches!(Some(a), Some(a) if a > 1)),
        None => println!("none"),
    }
    n + u32::from(matches!(Some(4), Some(a) if a > n)) + vec!["{n}"].len() as u32
}

/// A number that is handed on by value, and given another one by an inner loop.
#[checkpointable]
fn handed_on(n: i64) -> i64 {
    let mut level: i64 = n;
    let mut sum = 0;
    for i in 1..3i64 {
        for _ in 0..2 {
            checkpoint!();
            let shared = Rc::new(level);
            let mut way = 0;
            while way < 3 {
                way += i;
                level = 8 - level;
                checkpoint!();
            }
            checkpoint!();
            sum = sum * 3 + *shared;
            drop(shared);
        }
        checkpoint!();
    }
    sum
}

#[pc3::main]
fn main() {
    let costs: Vec<u64> = (0..42).map(|i| i * 7919 % 10 + 1).collect();
    println!("{:?}", ck!(shortest(7, &costs)));
    println!("{}", ck!(inferred("a,b,c")));

    let mut sum = Sum(1);
    println!("{}", ck!(sum.add(0..3, 2, |x| x + 1)));
    println!("{}", ck!(sum.measure(7u32, double)));
    println!("{} {}", ck!(applied(double, 4)), ck!(applied(|x| x + 1, 4)));
    println!("{}", ck!(applied(u64::swap_bytes, 2)));
    println!("{}", ck!(total::<u32>(&[1, 2, 3], 4u32, Some(5u8))));
    let list = vec![3, 9, 2];
    println!("{}", ck!(largest(&list, "a")));

    let mut seen = Vec::new();
    let count = ck!(counted(4, |i| {
        seen.push(i);
        i % 2 == 0
    }));
    println!("{count} {seen:?}");
    let base = 5;
    println!("{}", ck!(at_the_end(4, |x| x + base)));
    println!("{}", ck!(names(vec![1, 2])));
    println!("{}", ck!(handed_on(3)));
}
