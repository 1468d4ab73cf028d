//! Iterators in locals that are lent to functions and loops, and such with closures.

#![forbid(unsafe_code)]
// In ways that a linter would not have.
#![allow(clippy::all, clippy::pedantic)]

use std::iter::Peekable;
use std::str::Chars;

use pc3::prelude::*;

/// Two loops take from one iterator in turn.
#[checkpointable]
fn in_turn(list: &[i64]) -> i64 {
    let mut all = list.iter().copied();
    let mut sum = 0;
    for x in &mut all {
        checkpoint!();
        sum = sum * 3 + x;
        if x == 3 {
            break;
        }
    }
    for x in all.by_ref() {
        sum -= x;
        checkpoint!();
        if x == 5 {
            break;
        }
    }
    for x in all {
        checkpoint!();
        sum = sum * 2 + x;
    }
    sum
}

#[checkpointable]
fn some(from: &mut impl Iterator<Item = i64>, last: i64) -> i64 {
    let mut sum = 0;
    for x in from {
        checkpoint!();
        sum = sum * 3 + x;
        if x == last {
            break;
        }
    }
    sum
}

#[checkpointable]
fn any(from: &mut dyn Iterator<Item = i64>) -> i64 {
    let mut sum = 0;
    for x in &mut *from {
        checkpoint!();
        sum += x;
        if x == 6 {
            break;
        }
    }
    while let Some(x) = from.next() {
        checkpoint!();
        sum *= x;
        if x > 8 {
            break;
        }
    }
    sum
}

#[checkpointable]
fn given(mut list: std::vec::IntoIter<i64>) -> i64 {
    let first = ck!(some(&mut list, 4));
    let second = ck!(any(&mut list));
    let mut rest = 0;
    for x in &mut list {
        checkpoint!();
        rest += x;
    }
    first * 1000 + second + rest + list.len() as i64
}

/// What a parser hands from function to function.
#[checkpointable]
fn value(chars: &mut Peekable<Chars<'_>>, depth: u32) -> Result<i64, String> {
    while chars.next_if_eq(&' ').is_some() {
        checkpoint!();
    }
    match chars.peek() {
        None => Err(format!("it ends at depth {depth}")),
        Some('(') => {
            chars.next();
            let mut sum = 0;
            loop {
                sum += ck!(value(chars, depth + 1))?;
                checkpoint!();
                match chars.next() {
                    Some(',') => {}
                    Some(')') => break Ok(sum * i64::from(depth + 2)),
                    other => break Err(format!("{other:?} at depth {depth}")),
                }
            }
        }
        Some(c) if c.is_ascii_digit() => {
            let mut n = 0;
            while let Some(c) = chars.next_if(char::is_ascii_digit) {
                n = n * 10 + i64::from(c.to_digit(10).unwrap_or(0));
                checkpoint!();
            }
            Ok(n)
        }
        Some(c) => Err(format!("{c} at depth {depth}")),
    }
}

#[checkpointable]
fn parsed(text: &str) -> Result<i64, String> {
    let mut chars = text.chars().peekable();
    let all = ck!(value(&mut chars, 0))?;
    checkpoint!();
    match chars.next() {
        None => Ok(all),
        Some(c) => Err(format!("{c} behind it")),
    }
}

/// Not checkpointable itself.
fn from_both_ends(list: &mut std::slice::Iter<u32>) -> u32 {
    let last = list.next_back().copied().unwrap_or(0);
    last * 2 + list.next().copied().unwrap_or(1)
}

#[checkpointable]
fn lent(list: Vec<u32>, text: &str) -> u32 {
    let mut numbers = list.iter();
    // Their types are those that are written.
    let mut places: std::iter::Enumerate<Chars<'_>> = text.chars().enumerate();
    let mut back: std::slice::Iter<'_, u32> = list.iter();
    let mut sum = 0;
    while numbers.len() > 0 {
        sum = sum * 3 + from_both_ends(&mut numbers);
        checkpoint!();
        if let (Some((i, c)), Some(n)) = (places.next(), back.next_back()) {
            sum += i as u32 * u32::from(c) + n + back.as_slice().len() as u32;
            checkpoint!();
        }
    }
    for (i, c) in places {
        checkpoint!();
        sum = sum * 5 % 1_000_003 + i as u32 + u32::from(c);
    }
    sum
}

/// One that takes the place of another.
#[checkpointable]
fn skipped(text: &str) -> Vec<usize> {
    let mut chars = text.chars();
    let mut sizes = Vec::new();
    loop {
        checkpoint!();
        let mut ahead = chars.clone();
        let size = ahead.by_ref().take_while(|c| c.is_alphabetic()).count();
        if size > 0 {
            chars = ahead;
            sizes.push(size);
        } else if chars.next().is_none() {
            return sizes;
        }
    }
}

/// Closures that are written once, wherever their iterator is needed.
#[checkpointable]
fn closures(words: &mut Vec<String>, least: usize) -> Result<Vec<usize>, String> {
    let mut found = Vec::new();
    let long = words.iter().filter(|w| w.len() > least).map(|w| w.len());
    let mut sizes = words.iter().map(|w| w.len()).enumerate();
    let base = 10;
    let first = sizes.next().ok_or("no words")?.1 + base;
    for size in long {
        checkpoint!();
        found.push(size);
        if let Some((i, size)) = sizes.next() {
            checkpoint!();
            found.push(i * 100 + size);
        }
        if found.len() > 8 {
            break;
        }
    }
    if sizes.next_back().is_none() {
        return Err("too few words".to_owned());
    }
    let squares = {
        let mut each = (0..least).map(|x| x * x);
        let mut sum = first;
        loop {
            match each.next() {
                Some(x) => {
                    sum += x;
                    checkpoint!();
                }
                None => break sum,
            }
        }
    };
    found.push(squares);
    words.push("last".to_owned());
    checkpoint!();
    let doubled = found.iter().map(|x| x * 2);
    checkpoint!();
    Ok(doubled.rev().collect())
}

#[checkpointable]
fn left_early(n: u32) -> u32 {
    let mut all = 0;
    'next: for i in 0..n {
        let mut same = (i..n).filter(|x| x % 2 == i % 2);
        while let Some(x) = same.next() {
            checkpoint!();
            if x == 3 {
                continue 'next;
            }
            if x == 7 {
                break;
            }
            all = all * 3 % 1000 + x;
        }
        let left = same.size_hint().1.unwrap_or(0) as u32;
        checkpoint!();
        all += left;
    }
    all
}

#[pc3::main]
fn main() {
    println!("{}", ck!(in_turn(&[1, 2, 3, 4, 5, 6, 7, 8])));
    println!("{}", ck!(given((1..13).collect::<Vec<_>>().into_iter())));
    println!("{:?}", ck!(parsed(" (1, (20,3),(4, 5 ,( 678))) ")));
    println!("{:?}", ck!(parsed("(1,2)) ")));
    println!("{:?}", ck!(parsed("(1,(2,3)")));
    println!(
        "{}",
        ck!(lent(vec![1, 1, 1, 2, 3, 4, 5, 6, 1, 1], "aöbaab"))
    );
    let mut words: Vec<String> = "one three fifteen ab sevenseven x"
        .split(' ')
        .map(String::from)
        .collect();
    println!("{:?} {words:?}", ck!(closures(&mut words, 3)));
    println!("{}", ck!(left_early(9)));
    println!("{:?}", ck!(skipped("a bcd, öäß1 q")));
}
