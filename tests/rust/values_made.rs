//! Values that closures make which are called again: how they are made, and how they end, may be the program's.
use pc3::prelude::*;
use std::cmp::Ordering;
use std::iter::Sum;
use std::ops::Deref;
use std::str::FromStr;

#[derive(Clone, Copy, PartialEq, Eq, Checkpointable)]
struct Number(i64);

impl From<i64> for Number {
    fn from(x: i64) -> Number {
        println!("from");
        Number(x)
    }
}

impl FromStr for Number {
    type Err = ();
    fn from_str(s: &str) -> Result<Number, ()> {
        println!("parsed");
        Ok(Number(s.len() as i64))
    }
}

impl Sum<i64> for Number {
    fn sum<I: Iterator<Item = i64>>(all: I) -> Number {
        println!("sum");
        Number(all.fold(0, |a, b| a + b))
    }
}

impl<'a> Sum<&'a Number> for i64 {
    fn sum<I: Iterator<Item = &'a Number>>(all: I) -> i64 {
        println!("sum");
        all.fold(0, |a, b| a + b.0)
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Number) -> Ordering {
        println!("compared");
        self.0.cmp(&other.0)
    }
}

struct Ends(i64);

impl Drop for Ends {
    fn drop(&mut self) {
        println!("ends {}", self.0);
    }
}

#[derive(Checkpointable)]
struct Name(String);

impl Deref for Name {
    type Target = str;
    fn deref(&self) -> &str {
        println!("deref");
        &self.0
    }
}

struct Piece<'a> {
    text: &'a str,
}

#[checkpointable]
fn made(list: &[i64], words: &[String]) -> i64 {
    let mut sum = 0;
    let mut all = list.iter().map(|x| {
        let n: Number = (*x).into();
        n.0
    });
    while let Some(x) = all.next() {
        checkpoint!();
        sum += x;
    }
    let mut all = words.iter().map(|w| w.parse::<Number>().unwrap().0);
    while let Some(x) = all.next() {
        checkpoint!();
        sum += x;
    }
    let mut all = list.iter().map(|x| Ends(*x).0 + 1);
    while let Some(x) = all.next() {
        checkpoint!();
        sum += x;
    }
    sum
}

#[checkpointable]
fn of_lists(lists: &[Vec<Number>], more: &[Vec<i64>]) -> i64 {
    let mut sum = 0;
    let mut all = more.iter().map(|l| l.iter().copied().sum::<Number>().0);
    while let Some(x) = all.next() {
        checkpoint!();
        sum += x;
    }
    let mut all = lists.iter().map(|l| l.iter().sum::<i64>());
    while let Some(x) = all.next() {
        checkpoint!();
        sum += x;
    }
    let mut all = lists.iter().map(|l| l.iter().max().unwrap().0);
    while let Some(x) = all.next() {
        checkpoint!();
        sum += x;
    }
    sum
}

#[checkpointable]
fn named(names: &[Name]) -> usize {
    let mut sum = 0;
    let mut all = names.iter().map(|n| {
        let text: &str = n;
        text.len()
    });
    while let Some(x) = all.next() {
        checkpoint!();
        sum += x;
    }
    let mut all = names.iter().map(|n| -> &str { n }).map(|t| t.len());
    while let Some(x) = all.next() {
        checkpoint!();
        sum += x;
    }
    let mut all = names.iter().map(|n| Piece { text: n }.text.len());
    while let Some(x) = all.next() {
        checkpoint!();
        sum += x;
    }
    sum
}

#[checkpointable]
fn known(words: &[String], lists: &[Vec<i64>]) -> i64 {
    let mut sum = 0;
    let mut all = words.iter().map(|w| {
        let piece = Piece { text: w };
        let text: Option<&str> = Some(w);
        (piece.text.len() + text.map_or(0, str::len)) as i64
    });
    while let Some(x) = all.next() {
        checkpoint!();
        sum += x;
    }
    let mut all = lists.iter().map(|l| l.iter().sum::<i64>() + l.iter().max().copied().unwrap_or(0));
    while let Some(x) = all.next() {
        checkpoint!();
        sum += x;
    }
    let mut all = words.iter().map(|w| w.parse::<i64>().unwrap_or(0));
    while let Some(x) = all.next() {
        checkpoint!();
        sum += x;
    }
    sum
}

#[pc3::main]
fn main() {}

//= 80:30 `into`: this closure is called again, as its iterator, or part of a text, is made again behind a checkpoint, and what the operators and methods of `Number` do is not known
//= 87:42 `parse`: this closure is called again, as its iterator, or part of a text, is made again behind a checkpoint, and what the operators and methods of `Number` do is not known
//= 92:39 `Ends`: this closure is called again, as its iterator, or part of a text, is made again behind a checkpoint, and `Ends`, which it makes, has a `Drop`
//= 103:57 `sum`: this closure is called again, as its iterator, or part of a text, is made again behind a checkpoint, and what the operators and methods of `Number` do is not known
//= 108:49 `sum`: this closure is called again, as its iterator, or part of a text, is made again behind a checkpoint, and what the operators and methods of `Number` do is not known
//= 113:42 `iter`: this closure is called again, as its iterator, or part of a text, is made again behind a checkpoint, and what the operators and methods of `Number` do is not known
//= 125:26 `n`: a borrow through `Name` is made again after a checkpoint, which calls its `Deref` or `DerefMut` again
//= 132:50 `n`: a borrow through `Name` is made again after a checkpoint, which calls its `Deref` or `DerefMut` again
//= 137:54 `n`: a borrow through `Name` is made again after a checkpoint, which calls its `Deref` or `DerefMut` again
