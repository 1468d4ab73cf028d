//! Iterators that are lent to functions and loops.

#![forbid(unsafe_code)]
// In ways that a linter would not have.
#![allow(clippy::all, clippy::pedantic)]

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

#[pc3::main]
fn main() {
    println!("{}", ck!(in_turn(&[1, 2, 3, 4, 5, 6, 7, 8])));
    println!("{}", ck!(given((1..13).collect::<Vec<_>>().into_iter())));
}
