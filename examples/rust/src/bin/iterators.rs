//! Iterators in locals: those over borrows are made again and advanced, those that own their items keep what is left.

#![forbid(unsafe_code)]
// In ways that a linter would not have.
#![allow(clippy::all, clippy::pedantic, for_loops_over_fallibles)]

use std::collections::{BTreeMap, BTreeSet, HashMap};

use pc3::prelude::*;

#[derive(Debug, PartialEq, Checkpointable)]
enum Token {
    Number(i64),
    Sign(char),
    Open,
    Close,
}

/// A reader of characters that looks one ahead.
#[checkpointable]
fn tokens(text: &str) -> Vec<Token> {
    let mut all = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(&c) = chars.peek() {
        checkpoint!();
        if c.is_ascii_digit() {
            let mut n = 0;
            while let Some(digit) = chars.next_if(char::is_ascii_digit) {
                n = n * 10 + i64::from(digit.to_digit(10).unwrap_or(0));
                checkpoint!();
            }
            all.push(Token::Number(n));
            continue;
        }
        chars.next();
        match c {
            '(' => all.push(Token::Open),
            ')' => all.push(Token::Close),
            ' ' => {}
            c => all.push(Token::Sign(c)),
        }
    }
    all
}

/// One that owns what it gives.
#[checkpointable]
fn sum(tokens: Vec<Token>) -> i64 {
    let mut rest = tokens.into_iter().peekable();
    let mut all = 0;
    while let Some(token) = rest.next() {
        checkpoint!();
        match token {
            Token::Number(n) => all += n,
            Token::Sign(_) if rest.next_if_eq(&Token::Open).is_some() => all *= 2,
            _ => {}
        }
    }
    all
}

/// Many of them, gone over from both ends and at different speeds.
#[checkpointable]
fn together(text: String, list: Vec<i64>) -> i64 {
    let map: BTreeMap<i64, String> = list.iter().map(|n| (*n, format!("{n}!"))).collect();
    let mut pairs = map.into_iter();
    let mut back = list.iter().rev().enumerate();
    let mut words = text.split_whitespace();
    let mut both = list.iter().zip(text.chars());
    let mut names = [String::from("a"), String::from("b"), String::from("c")]
        .into_iter()
        .rev();
    let mut numbers = (0..20).step_by(3);
    let mut places = text.char_indices();
    let mut windows = list.windows(2);
    let mut total = 0;
    loop {
        checkpoint!();
        let Some((key, value)) = pairs.next() else {
            break;
        };
        println!(
            "{key} {value} {:?} {:?}",
            back.next().map(|(i, n)| (i, *n)),
            words.next_back()
        );
        println!(
            "{:?} {:?} {:?} {:?}",
            both.next(),
            names.next(),
            numbers.next(),
            windows.next()
        );
        if let (Some((i, _)), Some(_)) = (places.next(), places.next_back()) {
            checkpoint!();
            total += i as i64 + key;
        }
    }
    let mut one = Some(3).into_iter();
    let mut bytes = text.bytes().skip(1).map(i64::from);
    checkpoint!();
    total += one.next().unwrap_or(0) + bytes.next().unwrap_or(0);
    checkpoint!();
    total + one.count() as i64 + bytes.sum::<i64>() + places.as_str().len() as i64
}

/// A loop over a local that is one.
#[checkpointable]
fn looped(text: &str, mut list: Vec<u64>) -> u64 {
    let mut all = 0;
    let mut chars = text.chars();
    chars.next();
    for c in chars {
        checkpoint!();
        all += u64::from(u32::from(c));
    }
    let mut places = list.iter_mut();
    while let Some(x) = places.next() {
        *x += 1;
        checkpoint!();
        all += 1;
    }
    let ends = list.drain(1..).rev();
    for x in ends {
        checkpoint!();
        println!("{x}");
    }
    all + list.len() as u64
}

/// Not all of a map is gone over by one loop.
#[checkpointable]
fn halves(map: HashMap<u32, u32>) -> u32 {
    let mut rest = map.into_iter();
    let mut seen = BTreeSet::new();
    while let Some((a, b)) = rest.next() {
        seen.insert((a, b));
        checkpoint!();
        if seen.len() == 2 {
            break;
        }
    }
    for pair in rest {
        checkpoint!();
        seen.insert(pair);
    }
    seen.iter().map(|(a, b)| a * b).sum()
}

#[derive(Checkpointable)]
struct Queue(Vec<u64>);

impl Queue {
    /// Named like the standard library's.
    fn drain(&mut self) -> Vec<u64> {
        self.0.drain(..).collect()
    }
    fn keys(&self) -> Vec<u64> {
        self.0.clone()
    }
}

/// What is no iterator is kept.
#[checkpointable]
fn no_iterators(queue: &mut Queue, slot: &mut Option<Vec<u64>>) -> u64 {
    let mut keys = queue.keys();
    let all = queue.drain();
    checkpoint!();
    keys.push(all.len() as u64);
    for list in slot.take() {
        checkpoint!();
        keys.extend(list);
    }
    keys.iter().sum()
}

/// Items that a closure makes are values of the loop's, which may change.
#[checkpointable]
fn items(list: &mut [(String, u64)]) -> u64 {
    let mut sum = 0;
    for mut item in list.iter().map(|(name, n)| (name.clone(), *n)) {
        item.0.push('!');
        item.1 += 5;
        checkpoint!();
        let part = &mut item.1;
        *part += 1;
        checkpoint!();
        sum = sum * 3 + item.1 + item.0.len() as u64;
    }
    for mut row in list.iter().map(|(_, n)| [*n; 3]) {
        row[1] += 7;
        for n in &mut row {
            *n += 1;
            checkpoint!();
        }
        sum = sum * 3 + row[1];
    }
    for cell in list.iter().map(|(_, n)| std::cell::Cell::new(*n)) {
        cell.set(cell.get() + 2);
        checkpoint!();
        sum = sum * 3 + cell.get();
    }
    for (ref mut name, n) in list.iter().map(|(name, n)| (name.clone(), *n)) {
        name.push('?');
        checkpoint!();
        sum = sum * 3 + name.len() as u64 + n;
    }
    for pair in list.iter().map(|(name, n)| (name.clone(), *n)) {
        let name = pair.0;
        checkpoint!();
        sum = sum * 3 + name.len() as u64 + pair.1;
    }
    for (i, (name, n)) in list.iter_mut().enumerate() {
        *n += i as u64;
        checkpoint!();
        name.push('.');
        checkpoint!();
        sum = sum * 3 + *n;
    }
    sum
}

/// Copies of iterators, which look ahead.
#[checkpointable]
fn ahead(text: &str) -> (usize, String) {
    let mut chars = text.char_indices().peekable();
    let (mut distance, mut rest) = (0, String::new());
    while let Some((i, c)) = chars.next() {
        let mut look = chars.clone();
        while let Some((j, d)) = look.next() {
            checkpoint!();
            if c == d {
                distance += j - i;
                break;
            }
        }
        checkpoint!();
        rest.extend(look.next().map(|(_, d)| d));
    }
    (distance, rest)
}

#[pc3::main]
fn main() {
    let text = "12 + (345 - 6) * (7 +89) ö".to_owned();
    let list = ck!(tokens(&text));
    println!("{list:?}");
    println!("{}", ck!(sum(list)));
    println!("{}", ck!(together(text, vec![5, 2, 9, 7, 1])));
    println!("{}", ck!(looped("aöb", vec![5, 2, 9, 7, 1])));
    println!("{}", ck!(halves((0..5).map(|n| (n, n + 1)).collect())));
    let (mut queue, mut slot) = (Queue(vec![1, 2]), Some(vec![7, 7]));
    println!("{}", ck!(no_iterators(&mut queue, &mut slot)));
    let mut list = [("a".to_owned(), 1), ("bcd".to_owned(), 4)];
    println!("{} {list:?}", ck!(items(&mut list)));
    println!("{:?}", ck!(ahead("abcaxb")));
}
