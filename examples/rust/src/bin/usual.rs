//! What usual programs write: values that a loop gives in each round, results of calls that are changed at once, functions of
//! an impl that name it only where they call, standard output, times, literals of bytes.

#![forbid(unsafe_code)]
// In ways that a linter would not have.
#![allow(clippy::all, clippy::pedantic)]

use std::io::{self, Write};
use std::time::{Duration, Instant};

use pc3::prelude::*;

/// `carry` gets its value in each round.
#[checkpointable]
fn added(mut a: u64, mut b: u64) -> u64 {
    let mut carry;
    while b != 0 {
        checkpoint!();
        let sum = a ^ b;
        carry = (a & b) << 1;
        a = sum;
        b = carry;
    }
    a
}

/// Of two that begin without a value one is read behind the loop.
#[checkpointable]
fn found(list: &[u32], wanted: u32) -> String {
    let mut at;
    let mut seen;
    let mut steps = 0;
    loop {
        checkpoint!();
        at = list[steps];
        seen = format!("{at}@{steps}");
        steps += 1;
        if at >= wanted {
            break;
        }
        checkpoint!();
    }
    checkpoint!();
    seen
}

#[checkpointable]
fn counted(n: u32) -> Vec<u32> {
    checkpoint!();
    let mut all = vec![n];
    if n > 0 {
        all.append(&mut ck!(counted(n - 1)));
        all.extend(ck!(counted(n / 2)).pop());
    }
    all
}

#[derive(Checkpointable)]
enum Tree {
    Leaf(u64),
    Both(Box<Tree>, Box<Tree>),
}

impl Tree {
    #[checkpointable]
    fn sum(tree: &Tree) -> u64 {
        match tree {
            Tree::Leaf(n) => *n,
            Tree::Both(left, right) => {
                let left = ck!(Self::sum(left));
                checkpoint!();
                left * 3 + ck!(Self::sum(right))
            }
        }
    }
}

#[checkpointable]
fn bits(bytes: &[u8]) -> u32 {
    let mut sum = 0;
    for b in bytes {
        sum = sum * 3 + b.count_ones();
        checkpoint!();
    }
    sum
}

#[checkpointable]
fn outputs() -> io::Result<()> {
    let begin = Instant::now();
    let end = begin + Duration::from_secs(86400);
    let mut out = io::stdout();
    for i in 0..3 {
        write!(out, "{i} ")?;
        checkpoint!();
    }
    let mut lock = out.lock();
    for i in 0..3 {
        writeln!(lock, "{i}")?;
        checkpoint!();
    }
    drop(lock);
    let mut lines = pc3::BufWriter::new(io::stdout().lock());
    for i in 0..3 {
        write!(lines, "{i};")?;
        checkpoint!();
    }
    writeln!(lines)?;
    lines.flush()?;
    drop(lines);
    let _unused = io::stderr().lock();
    checkpoint!();
    println!("{} {}", begin.elapsed() < end - begin, Instant::now() < end);
    Ok(())
}

#[derive(Checkpointable)]
struct Sheet {
    rows: Vec<Vec<i64>>,
    seen: Vec<usize>,
    count: usize,
}

impl Sheet {
    #[checkpointable]
    fn changed(&mut self, by: usize) -> usize {
        checkpoint!();
        self.seen.push(by);
        self.rows[0][1] += 7;
        self.count += by;
        self.seen.len()
    }

    #[checkpointable]
    fn folded(&self, n: usize) -> i64 {
        let mut sum = 0;
        for i in 0..n {
            sum += 2 * self.rows[0][i] * ck!(self.folded(n - 1));
        }
        checkpoint!();
        sum + 1
    }
}

/// What stands in front of marked calls in expressions is read in front of them.
#[checkpointable]
fn operands() {
    let rows = vec![vec![2, 3]];
    let (seen, count) = (Vec::new(), 0);
    let mut s = Sheet { rows, seen, count };
    println!("{} {}", s.count, ck!(s.folded(2)));
    let lengths = s.seen.len() + ck!(s.changed(4)) * 10 + s.seen.len() * 100;
    let element = s.rows[0][1] + ck!(s.changed(5)) as i64 * 100 + s.rows[0][1] * 10000;
    let fields = s.count + ck!(s.changed(6)) * 100 + s.count * 10000;
    println!(
        "{lengths} {element} {fields} {}",
        s.seen.len() < ck!(s.changed(1))
    );
    assert_eq!(s.seen.len() + 1, ck!(s.changed(0)));
    println!("{:?}", (s.seen.len(), ck!(s.changed(2)), s.seen.len()));
}

#[pc3::main]
fn main() -> io::Result<()> {
    println!("{}", ck!(added(12345, 67890)));
    println!("{}", ck!(found(&[3, 1, 4, 1, 5], 4)));
    println!("{:?}", ck!(counted(4)));
    let both = |a, b| Tree::Both(Box::new(a), Box::new(b));
    let tree = both(Tree::Leaf(3), both(Tree::Leaf(5), Tree::Leaf(7)));
    println!("{}", ck!(Tree::sum(&tree)));
    println!("{}", ck!(bits(b"a few bytes\0\xff")));
    ck!(operands());
    ck!(outputs())
}
