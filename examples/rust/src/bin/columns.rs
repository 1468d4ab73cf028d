//! Many structs in a list: those that hold nothing but numbers are made again member by member.

#![forbid(unsafe_code)]

use std::num::{IntErrorKind, ParseFloatError, ParseIntError, TryFromIntError};

use pc3::prelude::*;

#[derive(Checkpointable, Clone, Debug, PartialEq)]
struct Body {
    at: [f64; 3],
    mass: f32,
    id: usize,
    alive: bool,
    mark: char,
    rest: (u8, i128, (i16, Pair)),
}

#[derive(Checkpointable, Clone, Debug, PartialEq)]
struct Pair(u8, i64);

#[derive(Checkpointable, Clone, Debug, PartialEq)]
struct Named<T> {
    value: T,
    #[pc3(since = 2)]
    count: u16,
    maybe: Option<u8>,
}

#[derive(Checkpointable, Clone, Debug, PartialEq)]
struct Empty {}

#[derive(Checkpointable, Clone, Debug, PartialEq)]
struct Text {
    pair: Pair,
    text: String,
}

fn bodies(n: u32) -> Vec<Body> {
    let body = |i: u32| Body {
        at: [f64::from(i), -0.5, f64::NAN.copysign(1.0)],
        mass: i as f32,
        id: i as usize,
        alive: i % 3 == 0,
        mark: char::from_u32(97 + i % 20).unwrap_or('?'),
        rest: (
            (i % 256) as u8,
            -i128::from(i) << 70,
            (-1, Pair(7, i64::MIN + i64::from(i))),
        ),
    };
    (0..n).map(body).collect()
}

/// Errors of the standard library are values, too.
#[checkpointable]
fn parsed(
    text: &str,
) -> (
    Result<u8, ParseIntError>,
    Result<f64, ParseFloatError>,
    Result<u8, TryFromIntError>,
) {
    let small = text.parse::<u8>();
    checkpoint!();
    let real = text.parse::<f64>();
    let wide = text.parse::<i64>().unwrap_or(0);
    let narrow = u8::try_from(wide);
    checkpoint!();
    (small, real, narrow)
}

#[pc3::main]
fn main() {
    let all = bodies(3000);
    let groups: Vec<(u16, Pair, f64)> = (0..2000)
        .map(|i| (i, Pair((i % 7) as u8, 3), 0.1 * f64::from(i)))
        .collect();
    let named: Vec<Named<u32>> = (0..10)
        .map(|value| Named {
            value,
            count: 3,
            maybe: Some(2),
        })
        .collect();
    let empty = vec![Empty {}; 5];
    let texts: Vec<Text> = (0..10)
        .map(|i| Text {
            pair: Pair(i, 2),
            text: "x".repeat(usize::from(i)),
        })
        .collect();
    let none: Vec<Body> = Vec::new();
    checkpoint!();
    println!("{:?} {:?} {named:?}", all[2999], groups[1999]);
    println!("{empty:?} {texts:?} {none:?}");
    checkpoint!();
    let sum: f64 = all
        .iter()
        .map(|b| b.at[0] + f64::from(b.mass) + b.id as f64)
        .sum();
    let alive = all.iter().filter(|b| b.alive).count();
    println!("{sum} {alive} {}", groups.iter().map(|g| g.2).sum::<f64>());
    let bits = all.iter().map(|b| b.rest.1 ^ i128::from(b.rest.2 .1 .1));
    println!("{:x}", bits.fold(0, |a, b| a ^ b));
    for text in ["", "x", "12", "-3", "999", "1e3"] {
        let (small, real, narrow) = ck!(parsed(text));
        let long = matches!(&small, Err(e) if *e.kind() == IntErrorKind::PosOverflow);
        checkpoint!();
        println!("{small:?} {real:?} {narrow:?} {long}");
    }
}
