//! Parts of texts and of lists in locals, and such that become others: read word by word, or half by half.

#![forbid(unsafe_code)]
// In ways that a linter would not have.
#![allow(clippy::all, clippy::pedantic, clippy::unwrap_used)]

use pc3::prelude::*;
use std::collections::BTreeMap;
#[checkpointable]
fn len(t: &str) -> usize {
    checkpoint!();
    t.len()
}
#[checkpointable]
fn fields(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(i) = rest.find(',') {
        let item = &rest[..i];
        checkpoint!();
        out.push(format!("{item}{}", ck!(len(item))));
        rest = &rest[i + 1..];
        checkpoint!();
    }
    out.push(rest.to_owned());
    out
}
#[checkpointable]
fn words(line: &str) -> usize {
    let line = line.split('#').next().unwrap_or("");
    checkpoint!();
    let words: Vec<&str> = line.split(' ').collect();
    checkpoint!();
    let mut all = 0;
    for w in &words {
        checkpoint!();
        all += ck!(len(w));
    }
    let last = words[words.len() - 1].trim();
    checkpoint!();
    let n = line.trim().len();
    checkpoint!();
    let k = line.split(' ').count().to_string().trim().parse().unwrap();
    checkpoint!();
    let m: usize = k;
    all + last.len() + n + m + words.capacity()
}
#[checkpointable]
fn sums(list: &[u32]) -> u32 {
    let mut rest = &list[..];
    let mut all = 0;
    while let [first, tail @ ..] = rest {
        all += first;
        rest = tail;
        checkpoint!();
        println!("{all} {}", rest.len());
    }
    all
}
#[checkpointable]
fn halves(text: String) -> String {
    let mut part = text.as_str();
    let mut n = 0;
    while part.len() > 1 {
        let a = &part[..part.len() / 2];
        let b = &part[part.len() / 2..];
        checkpoint!();
        part = if n % 2 == 0 { a } else { b };
        checkpoint!();
        println!("{a} {b} {part}");
        n += 1;
    }
    part.to_owned()
}
#[pc3::main]
fn main() {
    println!("{:?}", ck!(fields("ab,c,,def")));
    println!("{}", ck!(words("some words here # and a remark")));
    println!("{}", ck!(sums(&[1, 2, 3])));
    println!("{}", ck!(halves("abcdefgh".to_owned())));
    let source = String::from("k = v\nl=w\n");
    let mut map = BTreeMap::new();
    for line in source.lines() {
        let key = line.split('=').next().unwrap().trim();
        let value = line.split('=').nth(1).map(|v| v.trim());
        checkpoint!();
        map.insert(key.to_owned(), value.unwrap_or("").to_owned());
        checkpoint!();
    }
    println!("{map:?}");
}
