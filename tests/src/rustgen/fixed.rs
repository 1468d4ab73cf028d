//! What every random program has: types and functions that random functions use.

pub const TEXT: &str = r#"//! Made up.
#![allow(warnings)]
#![forbid(unsafe_code)]
use pc3::prelude::*;
use std::rc::Rc;
fn mix(a: i64, b: i64) -> i64 { (a ^ b.rotate_left(7)).wrapping_mul(0x9E37_79B9_7F4A_7C15u64 as i64) % 1000 }
/// Says when it ends.
#[derive(Checkpointable)]
struct Loud(i64);
impl Drop for Loud { fn drop(&mut self) { println!("end {}", self.0); } }
impl Loud {
    fn n(&self) -> i64 { self.0 ^ 1 }
    fn half(&self) -> Option<i64> { (self.0 % 2 == 0).then_some(self.0 / 2) }
    fn say(&self) { println!("loud {}", self.0); }
}
#[derive(Checkpointable)]
struct Duo { left: Loud, right: Loud, n: i64 }
#[checkpointable]
fn pair(a: i64, b: i64) -> (Loud, Loud) {
    let left = Loud(a);
    checkpoint!();
    (left, Loud(b))
}
#[checkpointable]
fn duo(a: i64, b: i64) -> Duo {
    let (left, right) = ck!(pair(a, b));
    Duo { left, right, n: a ^ b }
}
#[checkpointable]
fn unused(_: Loud, n: i64) -> i64 {
    checkpoint!();
    println!("unused");
    n ^ 5
}
#[derive(Checkpointable)]
enum Shape { Dot, Line(i64), Named { name: String, n: i64 } }
fn shape(n: i64) -> Shape {
    match n.rem_euclid(3) { 0 => Shape::Dot, 1 => Shape::Line(n), _ => Shape::Named { name: format!("<{n}>"), n } }
}
#[derive(Checkpointable)]
struct Sum { total: i64, seen: Vec<i64> }
impl Sum {
    #[checkpointable(associated)]
    fn new(total: i64) -> Sum {
        checkpoint!();
        let seen = vec![];
        Sum { total, seen }
    }
    #[checkpointable]
    fn add(&mut self, v: i64) -> i64 {
        for i in 0..2i64 {
            checkpoint!();
            self.total = self.total.wrapping_add(v ^ i);
        }
        self.seen.push(v);
        checkpoint!();
        self.total
    }
    #[checkpointable]
    fn finish(self, list: &mut Vec<i64>) -> i64 {
        checkpoint!();
        list.push(self.total);
        self.seen.len() as i64
    }
}
trait Step {
    #[checkpointable]
    fn step(&self, list: &mut Vec<i64>, n: i64) -> i64;
    #[checkpointable]
    fn twice(&self, list: &mut Vec<i64>, n: i64) -> i64 {
        let a = ck!(self.step(list, n));
        checkpoint!();
        let b = ck!(self.step(list, a));
        a.wrapping_add(b)
    }
}
#[derive(Checkpointable)]
struct Plus(i64);
#[derive(Checkpointable)]
struct Times(i64, Loud);
impl Step for Plus {
    #[checkpointable]
    fn step(&self, list: &mut Vec<i64>, n: i64) -> i64 {
        checkpoint!();
        list.push(n);
        list.truncate(30);
        n.wrapping_add(self.0)
    }
}
impl Step for Times {
    #[checkpointable]
    fn step(&self, list: &mut Vec<i64>, n: i64) -> i64 {
        let d = Loud(n);
        checkpoint!();
        let m = d.0.wrapping_mul(self.0);
        drop(d);
        checkpoint!();
        m % 100
    }
    #[checkpointable]
    fn twice(&self, list: &mut Vec<i64>, n: i64) -> i64 {
        checkpoint!();
        n
    }
}
#[checkpointable]
fn generic<S: Step>(s: &S, list: &mut Vec<i64>, n: i64) -> i64 {
    let d = Loud(n);
    let a = ck!(s.step(list, n));
    let b = ck!(s.twice(list, a));
    drop(d);
    a ^ b
}
#[checkpointable]
fn dynamic(s: &dyn Step, list: &mut Vec<i64>, n: i64) -> i64 {
    checkpoint!();
    ck!(s.step(list, n)) - 1
}
#[checkpointable]
fn apply(f: impl Fn(i64) -> i64, n: i64) -> i64 {
    let a = f(n);
    checkpoint!();
    f(a) ^ 3
}
#[checkpointable]
fn peek(n: &i64, words: &[String]) -> i64 {
    checkpoint!();
    let mut s = *n;
    for w in words.iter().rev() {
        checkpoint!();
        s = s.wrapping_mul(3).wrapping_add(w.len() as i64);
    }
    s
}
#[checkpointable]
fn rec(n: i64, list: &mut Vec<i64>) -> i64 {
    let d = Loud(n);
    if n <= 0 {
        checkpoint!();
        drop(d);
        return list.len() as i64;
    }
    let a = ck!(rec(n - 1, list));
    list.push(a);
    list.truncate(30);
    let b = if n > 2 { 0 } else { ck!(rec(n - 2, list)) };
    drop(d);
    a.wrapping_mul(2) ^ b
}
#[checkpointable]
fn eat(d: Loud, n: i64) -> Option<Loud> {
    checkpoint!();
    if n % 2 == 0 { Some(d) } else { drop(d); checkpoint!(); None }
}
#[checkpointable]
fn handed<T: Checkpointable>(t: T) -> T {
    checkpoint!();
    t
}
#[checkpointable]
fn kept<T: Checkpointable>(t: T) -> T {
    let held = Some(t);
    checkpoint!();
    let Some(t) = held else { unreachable!() };
    ck!(handed(t))
}
"#;
