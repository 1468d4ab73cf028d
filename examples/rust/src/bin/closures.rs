//! Closures in locals: made again in front of what they are needed in, of what they borrow.

#![forbid(unsafe_code)]
// In ways that a linter would not have.
#![allow(clippy::all, clippy::pedantic)]

use std::cell::Cell;
use std::collections::BTreeMap;

use pc3::prelude::*;

/// What is borrowed may be changed through the closure alone.
#[checkpointable]
fn borrowing(n: u32) -> Vec<u32> {
    let add = |a: u32, b: u32| a * 3 + b;
    let mut log = Vec::new();
    let mut note = |x: u32| log.push(x);
    let mut sum = 0;
    for i in 0..n {
        sum = add(sum, i);
        note(sum);
        checkpoint!();
    }
    log
}

/// Types that only the first call tells; closures that use others; one that is handed on.
#[checkpointable]
fn several(list: &[String], n: usize) -> String {
    let increased = |x| x + 1;
    let first = increased(250u8);
    checkpoint!();
    let second = increased(254);
    let most = n * 2;
    let at = move |i: usize| i % most;
    let pick = |i: usize| &list[at(i) % list.len()];
    let mut out = format!("{first} {second} ");
    checkpoint!();
    out += pick(n);
    for i in (0..n).rev() {
        out += pick(i);
        if i == 2 {
            continue;
        }
        checkpoint!();
        out.push('.');
    }
    let by = |a: &char, b: &char| b.cmp(a);
    let mut letters: Vec<char> = out.chars().collect();
    letters.sort_by(by);
    checkpoint!();
    letters.dedup();
    letters.sort_by(by);
    letters.into_iter().collect()
}

#[checkpointable]
fn root(f: &dyn Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    while high - low > 1e-2 {
        let middle = (low + high) / 2.0;
        if f(low) * f(middle) <= 0.0 {
            high = middle;
        } else {
            low = middle;
        }
        checkpoint!();
    }
    low
}

#[checkpointable]
fn visited(n: u32, mut visit: impl FnMut(u32) -> bool) -> u32 {
    for i in 0..n {
        if !visit(i) {
            return i;
        }
        checkpoint!();
    }
    n
}

/// Arguments of marked calls, in front of other uses and at the end.
#[checkpointable]
fn arguments() -> f64 {
    let k = 2.0;
    let f = |x: f64| x * x - k;
    let a = ck!(root(&f, 0.0, 2.0));
    let g = |x: f64| f(x) - 1.0;
    let b = ck!(root(&g, 0.0, 2.0));
    let mut seen = Vec::new();
    let mut visit = |i: u32| {
        seen.push(i);
        i < 3
    };
    let c = ck!(visited(2, &mut visit));
    let d = ck!(visited(9, visit));
    println!("{seen:?} {c} {d}");
    a + b + f(1.0)
}

#[derive(Checkpointable)]
struct Field {
    width: usize,
    cells: Vec<i32>,
    seed: u32,
}

impl Field {
    #[checkpointable]
    fn step(&mut self) -> i32 {
        let (w, h) = (self.width, self.cells.len() / self.width);
        let old = self.cells.clone();
        let get = |x: usize, y: usize| old[(y % h) * w + x % w];
        let mut chance = || {
            self.seed = self.seed.wrapping_mul(1_103_515_245).wrapping_add(12345);
            (self.seed >> 16) as i32
        };
        let mut fresh = vec![0; old.len()];
        for y in 0..h {
            for x in 0..w {
                let around = get(x + w - 1, y) + get(x + 1, y) + get(x, y + h - 1) + get(x, y + 1);
                checkpoint!();
                fresh[y * w + x] = (around + chance() % 3) % 5;
            }
        }
        self.cells = fresh;
        self.cells.iter().sum()
    }
}

/// Of items of loops, and what heads bind; also with jumps out of where they are needed.
#[checkpointable]
fn items(rows: &[Vec<u32>], names: &[String]) -> Result<u32, String> {
    let mut sum = 0;
    let fail = |what: &str| Err(format!("{what} of {}", rows.len()));
    for row in rows {
        let at = |i: usize| row[i % row.len()];
        checkpoint!();
        sum += at(1);
        checkpoint!();
        sum = sum * 3 + at(2);
    }
    'names: for (i, name) in names.iter().enumerate() {
        let times = |k: usize| name.len() * k + i;
        sum += times(1) as u32;
        checkpoint!();
        if times(1) == 1 {
            continue 'names;
        }
        checkpoint!();
        if times(3) > 20 {
            return fail(name);
        }
    }
    match rows {
        [first, .., last] => {
            let both = |i: usize| first[i] + last[i];
            checkpoint!();
            sum += both(0);
            checkpoint!();
            sum += both(1);
        }
        _ => return fail("too few"),
    }
    while let Some(row) = rows.get(sum as usize % 7) {
        let all = || row.iter().sum::<u32>();
        checkpoint!();
        sum += all() + 1;
        if sum > 200 {
            break;
        }
    }
    Ok(sum)
}

#[derive(Checkpointable)]
struct Told(u32);

impl Drop for Told {
    fn drop(&mut self) {
        println!("{} ends", self.0);
    }
}

/// What closures borrow ends where it would.
#[checkpointable]
fn ends() -> u32 {
    let told = Told(4);
    let more = |x: u32| x + told.0;
    let other = Told(5);
    checkpoint!();
    let a = more(1);
    checkpoint!();
    let b = more(a) + other.0;
    println!("{b}");
    drop(other);
    drop(told);
    b
}

/// In cells, in maps, and by name of one that an iterator's closure uses.
#[checkpointable]
fn cells(list: &[u32]) -> u32 {
    let count = Cell::new(0);
    let counted = || {
        count.set(count.get() + 1);
        count.get()
    };
    let mut squares = BTreeMap::new();
    let mut square = |n: u32| *squares.entry(n).or_insert_with(|| n * n);
    let mut sum = counted() + square(3);
    checkpoint!();
    sum += counted() + square(3) + square(4);
    checkpoint!();
    sum += counted();
    let odd = |x: &&u32| **x % 2 == 1;
    let mut walk = list.iter().filter(odd).map(|x| x * 7);
    while let Some(x) = walk.next() {
        sum = sum * 3 + x;
        checkpoint!();
    }
    for x in list.iter().filter(odd) {
        sum += x;
        checkpoint!();
    }
    sum + count.get()
}

#[pc3::main]
fn main() {
    println!("{:?}", ck!(borrowing(4)));
    let list = ["ab", "c", "dd"].map(String::from);
    println!("{}", ck!(several(&list, 4)));
    println!("{}", ck!(arguments()));
    let mut field = Field {
        width: 3,
        cells: vec![1, 2, 3, 4, 5, 6],
        seed: 1,
    };
    for _ in 0..2 {
        println!("{}", ck!(field.step()));
    }
    let rows = [vec![1, 2], vec![3, 4, 5], vec![6, 7]];
    println!("{:?}", ck!(items(&rows, &list)));
    println!("{:?}", ck!(items(&rows, &["longer".to_owned()])));
    println!("{:?}", ck!(items(&rows[..1], &[])));
    println!("{}", ck!(ends()));
    println!("{}", ck!(cells(&[1, 2, 3, 5])));
}
