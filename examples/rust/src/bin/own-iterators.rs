//! Loops over iterators of the program, as they are and with the adaptors of the standard library.

#![forbid(unsafe_code)]
// In ways that a linter would not have.
#![allow(clippy::all, clippy::pedantic, clippy::unwrap_used)]

use pc3::prelude::*;
#[derive(Clone, Checkpointable)]
struct Primes {
    at: u32,
}
impl Primes {
    fn new() -> Self {
        Primes { at: 1 }
    }
}
impl Iterator for Primes {
    type Item = u32;
    fn next(&mut self) -> Option<u32> {
        loop {
            self.at += 1;
            if (2..self.at).all(|d| self.at % d != 0) {
                return Some(self.at);
            }
        }
    }
}
#[derive(Checkpointable)]
struct Down(u32);
impl Iterator for Down {
    type Item = String;
    fn next(&mut self) -> Option<String> {
        self.0 = self.0.checked_sub(1)?;
        Some(format!("d{}", self.0))
    }
}
fn down(n: u32) -> Down {
    Down(n)
}
#[derive(Checkpointable)]
struct Bag {
    items: Vec<u32>,
}
impl IntoIterator for Bag {
    type Item = u32;
    type IntoIter = std::vec::IntoIter<u32>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}
#[derive(Checkpointable)]
struct World {
    primes: Primes,
}
impl World {
    #[checkpointable]
    fn run(&mut self) -> u32 {
        let mut all = 0;
        for p in self.primes.clone() {
            checkpoint!();
            all += p;
            if p > 8 {
                break;
            }
        }
        for p in self.primes.by_ref() {
            checkpoint!();
            all += p;
            if p > 8 {
                break;
            }
        }
        all
    }
}
#[pc3::main]
fn main() {
    for p in Primes::new() {
        checkpoint!();
        println!("{p}");
        if p > 6 {
            break;
        }
    }
    for p in Primes::new().take(3) {
        checkpoint!();
        println!("{p}");
    }
    for (i, p) in Primes::new().skip(2).step_by(2).take(2).enumerate() {
        checkpoint!();
        println!("{i} {p}");
    }
    for d in Down(3) {
        checkpoint!();
        println!("{d}");
    }
    for (i, mut d) in down(3).enumerate() {
        checkpoint!();
        d.push('x');
        checkpoint!();
        println!("{i} {d}");
    }
    for d in (Down(2)).take(5) {
        checkpoint!();
        println!("{d}");
    }
    let mut it = Primes::new().take(4);
    while let Some(p) = it.next() {
        checkpoint!();
        println!("{p}");
    }
    let mut own = Primes::new();
    for p in own.by_ref() {
        checkpoint!();
        println!("by {p}");
        if p > 4 {
            break;
        }
    }
    checkpoint!();
    println!("{:?}", own.next());
    for x in (Bag { items: vec![4, 5] }) {
        checkpoint!();
        println!("{x}");
    }
    let mut pk = Primes::new().peekable();
    while let Some(p) = pk.next() {
        checkpoint!();
        println!("{p} {:?}", pk.peek());
        if p > 4 {
            break;
        }
    }
    let mut w = World {
        primes: Primes { at: 4 },
    };
    println!("{}", ck!(w.run()));
    println!("{}", w.primes.at);
}
