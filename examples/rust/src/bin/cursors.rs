//! Parts of texts that are given on, moved and kept, in functions that call themselves, too.

#![forbid(unsafe_code)]
// In ways that a linter would not have.
#![allow(clippy::all, clippy::pedantic, clippy::unwrap_used)]

use pc3::prelude::*;
use std::collections::HashSet;
#[checkpointable]
fn len(t: &str) -> usize {
    checkpoint!();
    t.len()
}
#[checkpointable]
fn straight(text: &str) -> String {
    let mut rest = &text[1..];
    rest = &rest[1..];
    let item = &rest[..2];
    checkpoint!();
    let (mut a, b) = (&text[..3], &text[3..]);
    a = &a[1..];
    checkpoint!();
    format!("{item} {rest} {a} {b} {}", ck!(len(a)))
}
#[checkpointable]
fn skip(mut text: String, deep: u32) -> usize {
    let mut rest = text.as_str();
    let mut n = 0;
    loop {
        rest = rest.trim_start();
        if rest.is_empty() {
            break;
        }
        let word = rest.split(' ').next().unwrap();
        checkpoint!();
        n += ck!(len(word))
            + if deep > 0 {
                ck!(skip(word.to_owned(), deep - 1))
            } else {
                0
            };
        rest = &rest[word.len()..];
        checkpoint!();
    }
    text.push_str("end");
    checkpoint!();
    n + text.len()
}
#[checkpointable]
fn numbers(list: &Vec<f64>) -> f64 {
    let mut rest = list.as_slice();
    let mut all = 0.0;
    while !rest.is_empty() {
        let (head, tail) = rest.split_at(rest.len().min(3));
        checkpoint!();
        all += head.iter().sum::<f64>() * tail.len() as f64;
        rest = tail;
        checkpoint!();
    }
    all
}
fn keep(_: &'static str) {}
#[checkpointable]
fn fixed() -> usize {
    let name: &'static str = "a b".split(' ').next().unwrap();
    checkpoint!();
    keep(name);
    let mut kind = 0;
    let mut line = "x=y; z";
    for _ in 0..3 {
        let first = line.split(';').next().map(|s| s.trim());
        checkpoint!();
        kind += first.map_or(0, |k| k.len());
        line = line.split_once(';').map_or("", |p| p.1);
        checkpoint!();
        println!("{kind} {line}");
    }
    let all: Vec<(&str, &str)> = "a=b,c=d"
        .split(',')
        .filter_map(|p| p.split_once('='))
        .collect();
    checkpoint!();
    let set: HashSet<String> = all.iter().map(|p| p.0.to_owned()).collect();
    checkpoint!();
    println!("{all:?} {}", set.len());
    let moved: Vec<&str> = "q r".split(' ').collect();
    checkpoint!();
    let taken = moved;
    let more = String::from("u v w");
    let cut: Vec<&str> = more.split(' ').collect();
    checkpoint!();
    let cut2 = cut;
    checkpoint!();
    println!("{}", cut2.len());
    checkpoint!();
    name.len() + kind + taken.len()
}
#[pc3::main]
fn main() {
    println!("{}", ck!(straight("abcdefgh")));
    println!("{}", ck!(skip("one two  three".to_owned(), 1)));
    println!(
        "{}",
        ck!(numbers(&vec![1.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.25]))
    );
    println!("{}", ck!(fixed()));
}
