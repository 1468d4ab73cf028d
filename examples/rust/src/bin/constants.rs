//! Loops over constants, parts of arrays that are written in the program, and what is evaluated in front of marked calls.

#![forbid(unsafe_code)]
// In ways that a linter would not have.
#![allow(clippy::all, clippy::pedantic, clippy::unwrap_used)]

use pc3::prelude::*;
use std::ops::Range;
const LIMITS: &[u32] = &[3, 1, 2];
const NAMES: [&str; 3] = ["a", "bb", "ccc"];
const PAIRS: &[(&str, u32)] = &[("x", 1), ("y", 2)];
const TESTS: [fn(u32) -> u32; 2] = [double, half];
const SPAN: Range<u32> = 2..5;
static ROWS: &[[i32; 2]] = &[[1, 2], [3, 4]];
struct Table;
impl Table {
    const ROWS: &'static [u8] = b"rows";
}
fn double(n: u32) -> u32 {
    n * 2
}
fn half(n: u32) -> u32 {
    n / 2
}
#[derive(Checkpointable)]
struct Counter {
    n: u32,
}
impl Counter {
    fn next(&mut self) -> u32 {
        self.n += 1;
        self.n
    }
    fn peek(&self) -> u32 {
        self.n
    }
}
#[checkpointable]
fn step(n: u32) -> u32 {
    checkpoint!();
    n + 1
}
#[checkpointable]
fn bump(c: &mut Counter) -> u32 {
    checkpoint!();
    c.n += 100;
    c.n
}
#[pc3::main]
fn main() {
    let mut all = 0;
    for x in LIMITS {
        all += ck!(step(*x));
        checkpoint!();
        println!("{x} {all}");
    }
    for (i, mut n) in LIMITS.iter().copied().enumerate() {
        checkpoint!();
        n += 1;
        checkpoint!();
        println!("{i} {n}");
    }
    for name in NAMES {
        checkpoint!();
        println!("{name}");
    }
    for &(s, n) in PAIRS {
        checkpoint!();
        println!("{s} {n}");
    }
    for f in TESTS {
        checkpoint!();
        println!("{}", f(7));
    }
    for mut i in SPAN {
        checkpoint!();
        i *= 2;
        checkpoint!();
        println!("{i}");
    }
    for row in ROWS {
        checkpoint!();
        println!("{row:?}");
    }
    for b in Table::ROWS {
        checkpoint!();
        println!("{b}");
    }
    for list in [&[][..], &[1], &[2, 3]] {
        checkpoint!();
        println!("{list:?} {}", list.iter().sum::<i32>());
    }
    for list in [&NAMES[..1], &["q"]] {
        checkpoint!();
        println!("{list:?}");
    }
    let o = Some(4u32);
    let n = 7u32;
    println!("{}", n + o.unwrap_or(0) + ck!(step(2)));
    let mut c = Counter { n: 0 };
    println!("{}", c.next() + ck!(bump(&mut c)));
    println!("{}", c.peek() * 1000 + ck!(bump(&mut c)));
    println!(
        "{}",
        double(n) + c.peek() + ck!(bump(&mut c)) + ck!(step(c.peek()))
    );
    let s = String::from("abc");
    println!(
        "{}",
        s.len() as u32 + u32::from(s.is_empty()) + n.pow(2) + ck!(step(n))
    );
    println!("{:?}", (c.next(), ck!(bump(&mut c)), c.peek()));
    println!(
        "{} {:?}",
        n.min(3) > ck!(step(1)),
        [c.next(), c.next(), ck!(bump(&mut c)), c.peek()]
    );
    if c.peek() < ck!(bump(&mut c)) {
        println!("less {}", c.n);
    }
    while c.next() < ck!(step(250)) {
        println!("{}", c.n);
        c.n += 40;
    }
}
