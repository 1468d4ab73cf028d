//! Words that mean something else in another place, conditions of the build, the order in which operands are found.

#![forbid(unsafe_code)]
// In ways that a linter would not have.
#![allow(clippy::all, clippy::pedantic, clippy::dbg_macro, non_snake_case)]

use std::ops::{Mul, Neg};
use std::process::ExitCode;

use pc3::prelude::*;

macro_rules! text {
    ($t:literal) => {
        $t
    };
}

/// Names that others had before, in all kinds of texts.
#[checkpointable]
fn shadowed(r#type: u32) -> u32 {
    let x = r#type;
    let y = x;
    let x = x + 1;
    println!(r"{x} {y}");
    checkpoint!();
    println!(r#"{x:>4} "{x}""#);
    println!("{} {}", stringify!(x), concat!("{x}", "!"));
    println!("{} {}", format_args!("{} {x}", "{x}"), text!("{y}"));
    let r#type = r#type + x;
    checkpoint!();
    r#type * y
}

macro_rules! told {
    ($e:expr) => {
        concat!(stringify!($e), "; ")
    };
    ($($t:tt)*) => {
        stringify!($($t)*)
    };
}

/// Macros that make texts of what they are given.
#[checkpointable]
fn shown(n: usize) -> usize {
    let list = vec![n];
    checkpoint!();
    let list = [list, vec![2]].concat();
    println!("{}{}", told!(list), told!(list.len() + n));
    checkpoint!();
    println!("{}", told!(list => [n, 0]));
    let n = dbg!(list.len());
    debug_assert!(list[0] < n + 7);
    n
}

macro_rules! bail {
    ($($t:tt)*) => {
        return Err(format!($($t)*).into())
    };
}

macro_rules! ensure {
    ($e:expr, $($t:tt)*) => {
        if !$e {
            return Err(format!($($t)*).into());
        }
    };
}

/// Macros of names by which well-known crates leave a function.
#[checkpointable]
fn left(text: &str) -> Result<u32, Box<dyn std::error::Error>> {
    let (mut sum, first): (u32, u32);
    let (most, mut count);
    most = 90;
    (sum, count) = (0, 0);
    checkpoint!();
    for word in text.split(' ') {
        let n: u32 = word.parse()?;
        checkpoint!();
        ensure!(n < most, "{n} is not less than {most}");
        sum += match n {
            13 => bail!("{n} brings no luck"),
            14 => {
                checkpoint!();
                bail!("{} in front of it", sum)
            }
            n => n,
        };
        count += 1;
    }
    first = count;
    checkpoint!();
    Ok(sum + first)
}

/// Macros that are declared in a function mean its locals.
#[checkpointable]
fn declared() -> u32 {
    let x = 1;
    macro_rules! first {
        () => {
            x
        };
    }
    let x = 20;
    macro_rules! second {
        ($x:expr) => {
            x + $x
        };
    }
    checkpoint!();
    let x = 300;
    checkpoint!();
    first!() + second!(5) + x
}

/// Names with capitals are locals, too.
#[checkpointable]
fn capitals(A: &[u32], mut N: usize, (X, _): (u32, u32)) -> u32 {
    let first = &A[N];
    N = A.len();
    checkpoint!();
    println!("{first} {X}");
    let mut Sum = 0;
    let mut K = 0;
    for I in 0..N {
        let R = &A[K];
        K = I;
        checkpoint!();
        Sum = Sum * 10 + *R;
    }
    let N = N + 1;
    checkpoint!();
    println!("{N}");
    Sum
}

/// What is not built is not there.
#[checkpointable]
fn conditions(n: u32) -> u32 {
    let mut x = n;
    #[cfg(any())]
    {
        x += 100;
        checkpoint!();
    }
    #[cfg(all())]
    for i in 0..2 {
        x += i;
        checkpoint!();
    }
    #[cfg(any())]
    checkpoint!();
    #[cfg(not(any()))]
    {
        x *= 2;
    }
    checkpoint!();
    x
}

/// Numbers that say what is done with them.
#[derive(Clone, Copy, Checkpointable)]
struct Noted(i64);

impl Mul for Noted {
    type Output = Noted;
    fn mul(self, by: Noted) -> Noted {
        println!("{} * {}", self.0, by.0);
        Noted(self.0 * by.0)
    }
}

impl Neg for Noted {
    type Output = Noted;
    fn neg(self) -> Noted {
        println!("-{}", self.0);
        Noted(-self.0)
    }
}

#[checkpointable]
fn next(n: Noted) -> Noted {
    println!("next {}", n.0);
    checkpoint!();
    Noted(n.0 + 1)
}

fn place(at: usize) -> usize {
    println!("place {at}");
    at
}

#[checkpointable]
fn length(text: &str) -> usize {
    checkpoint!();
    text.len()
}

#[checkpointable]
fn operands() -> Vec<i64> {
    let (a, b) = (Noted(2), Noted(3));
    let c = -a * ck!(next(b));
    let mut list = [1, 2];
    list[place(1)] += ck!(next(c)).0;
    let found = Ok::<i64, String>(match "3".parse() {
        Ok(n) => ck!(next(Noted(n))).0,
        Err(_) => 0,
    });
    for (what, numbers) in [("a", vec![1]), ("b", vec![])] {
        checkpoint!();
        println!("{what} {numbers:?}");
    }
    for text in ["a", "bc"] {
        println!("{}", ck!(length(text)));
    }
    vec![c.0, list[0], list[1], found.unwrap_or(0)]
}

#[derive(Checkpointable)]
struct Link {
    value: i64,
    next: Option<Box<Link>>,
}

impl Link {
    #[checkpointable]
    fn grow(&mut self) -> i64 {
        self.value += 10;
        checkpoint!();
        self.value
    }
}

#[checkpointable]
fn sum(list: &Option<Box<Link>>) -> i64 {
    match list {
        None => 0,
        Some(link) => {
            checkpoint!();
            link.value + ck!(sum(&link.next))
        }
    }
}

/// What is read in front of a call is what it was then.
#[checkpointable]
fn read_before(mut link: Link) -> [i64; 4] {
    let a = link.value + ck!(link.grow());
    let b = link.value * 2 + ck!(link.grow()) - link.value;
    let (c, d) = (link.value, Some(ck!(link.grow())));
    let e = [Some(link.value), None, Some(ck!(link.grow()))];
    println!("{:?}", e);
    [a, b, c + ck!(sum(&link.next)), d.unwrap_or(0)]
}

#[pc3::main]
fn main() -> ExitCode {
    println!("{}", ck!(shadowed(4)));
    println!("{}", ck!(shown(3)));
    for text in ["1 2 3", "4 x", "8 99", "5 13", "6 14 7"] {
        match ck!(left(text)) {
            Ok(n) => println!("{n}"),
            Err(e) => println!("{e}"),
        }
    }
    println!("{}", ck!(declared()));
    println!("{}", ck!(capitals(&[7, 8, 9], 1, (5, 6))));
    println!("{}", ck!(conditions(1)));
    println!("{:?}", ck!(operands()));
    let next = Some(Box::new(Link {
        value: 2,
        next: None,
    }));
    println!("{:?}", ck!(read_before(Link { value: 1, next })));
    ExitCode::from(u8::from(ck!(conditions(0)) != 2))
}
