//! A bit of everything.

#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::rc::{Rc, Weak};

use pc3::prelude::*;

#[checkpointable]
fn fib(n: u64) -> u64 {
    checkpoint!();
    if n < 2 {
        return n;
    }
    ck!(fib(n - 1)) + ck!(fib(n - 2))
}

#[derive(Checkpointable, Debug, Clone, PartialEq)]
enum Shape {
    Dot,
    Circle(f64),
    Named { name: String, sides: Vec<u32> },
}

#[derive(Checkpointable)]
struct Node {
    value: i64,
    parent: RefCell<Weak<Node>>,
    children: RefCell<Vec<Rc<Node>>>,
}

#[checkpointable]
fn tree(depth: u32, next: &mut i64, parent: Weak<Node>) -> Rc<Node> {
    *next += 1;
    let node = Rc::new(Node {
        value: *next,
        parent: RefCell::new(parent),
        children: RefCell::default(),
    });
    if depth > 0 {
        for i in 0..2u32 {
            checkpoint!();
            let child = ck!(tree(depth - 1, next, Rc::downgrade(&node)));
            node.children.borrow_mut().push(child);
            if i == 7 {
                break;
            }
        }
    }
    node
}

fn total(node: &Node) -> i64 {
    let up = node.parent.borrow().upgrade().map_or(0, |p| p.value);
    node.value * 3 + up + node.children.borrow().iter().map(|c| total(c)).sum::<i64>()
}

#[checkpointable]
fn parse(lines: &[String], counts: &mut BTreeMap<String, usize>) -> Result<i32, String> {
    let mut sum = 0;
    for (i, line) in lines.iter().enumerate() {
        checkpoint!();
        let n: i32 = line.trim().parse().map_err(|e| format!("line {i}: {e}"))?;
        *counts.entry(format!("{}", n % 3)).or_default() += 1;
        let n = ck!(twice(n))?;
        sum += n;
        if sum > 1000 {
            return Err(format!("{sum} is too much at {i}"));
        }
    }
    Ok(sum)
}

#[checkpointable]
fn twice(n: i32) -> Result<i32, String> {
    checkpoint!();
    if n < 0 {
        Err(format!("{n} is negative"))
    } else {
        Ok(2 * n)
    }
}

/// A number by itself is made again, too, if that is wished.
#[checkpointable]
fn doubled(words: &mut Vec<String>) -> usize {
    #[reeval]
    let all = words.len() * 2;
    let mut sum = 0;
    for n in 0..3 {
        checkpoint!();
        sum += all + n;
    }
    words.pop();
    sum
}

/// What a call gives is no borrow that is seen to be one: it is made again by the same call.
#[checkpointable]
fn longest(words: &[String]) -> Option<usize> {
    #[reeval]
    let most = words.iter().max_by_key(|w| w.len());
    let mut same = 0;
    for word in words {
        checkpoint!();
        if word.len() == most?.len() {
            same += 1;
        }
    }
    most.map(|w| w.len() * same)
}

#[allow(clippy::let_and_return)]
#[checkpointable]
fn shapes(list: &mut [Shape]) -> f64 {
    let mut area = 0.0;
    let mut i = 0;
    let result = loop {
        if i >= list.len() {
            break area;
        }
        let step = match &list[i] {
            Shape::Dot => 0.0,
            Shape::Circle(r) => {
                let r = r * 2.0;
                checkpoint!();
                r * r
            }
            Shape::Named { name, sides } => {
                checkpoint!();
                let mut here = 0.0;
                for s in sides {
                    checkpoint!();
                    here += f64::from(*s);
                }
                here + name.len() as f64
            }
        };
        area += step;
        i += 1;
    };
    result
}

#[checkpointable]
fn moves(words: Vec<String>) -> String {
    let mut out = String::new();
    let mut map: HashMap<usize, String> = HashMap::new();
    for (n, word) in words.iter().enumerate().rev() {
        map.insert(n, word.clone());
        checkpoint!();
    }
    for word in words {
        checkpoint!();
        let word = word + "!";
        let found = if let Some(w) = map.remove(&0) {
            checkpoint!();
            w.len()
        } else {
            map.len()
        };
        out += &format!("{word}{found:03} ");
    }
    let mut n = 5;
    while n > 0 {
        n -= 1;
        if n == 2 {
            continue;
        }
        checkpoint!();
        out.push_str(&n.to_string());
    }
    out
}

struct Grid;

#[derive(Checkpointable)]
struct Solver {
    cells: Vec<f64>,
    step: usize,
}

impl Solver {
    #[checkpointable]
    fn run(&mut self, steps: usize) -> f64 {
        while self.step < steps {
            let change = ck!(self.sweep(0.5));
            self.step += 1;
            if change < 1e-3 {
                break;
            }
        }
        self.cells.iter().sum()
    }

    #[checkpointable]
    fn sweep(&mut self, weight: f64) -> f64 {
        let mut change: f64 = 0.0;
        for i in 1..self.cells.len() - 1 {
            let new = weight * (self.cells[i - 1] + self.cells[i + 1]);
            change = change.max((new - self.cells[i]).abs());
            self.cells[i] = new;
        }
        checkpoint!();
        change
    }
}

#[checkpointable]
fn nearest<'a, T: Copy + Into<i64>>(all: &'a [T], to: &i64) -> Option<&'a T> {
    let mut best: Option<usize> = None;
    for i in 0..all.len() {
        checkpoint!();
        let far = |k: usize| (all[k].into() - to).abs();
        if best.is_none_or(|b| far(i) < far(b)) {
            best = Some(i);
        }
    }
    best.map(|b| &all[b])
}

#[checkpointable]
fn cheapest(steps: &[(usize, usize, u32)], to: usize) -> Option<u32> {
    let mut queue = BinaryHeap::new();
    let mut seen = Vec::new();
    queue.push(Reverse((0, 0)));
    while let Some(Reverse((cost, at))) = queue.pop() {
        checkpoint!();
        if at == to {
            return Some(cost);
        }
        if seen.contains(&at) {
            continue;
        }
        seen.push(at);
        for (_, next, more) in steps.iter().filter(|s| s.0 == at) {
            queue.push(Reverse((cost + more, *next)));
        }
    }
    None
}

#[pc3::main]
fn main() {
    let _grid: Option<&Grid> = None;
    println!("fib {}", ck!(fib(7)));
    let heights = [5, -3, 12, 8];
    let wanted = 9;
    println!("nearest {:?}", ck!(nearest(&heights, &wanted)));
    let steps = [(0, 1, 7), (0, 2, 3), (2, 1, 2), (1, 3, 1), (2, 3, 9)];
    println!(
        "cheapest {:?} {:?}",
        ck!(cheapest(&steps, 3)),
        ck!(cheapest(&steps, 4))
    );
    let mut next = 0;
    let root = ck!(tree(2, &mut next, Weak::new()));
    println!("tree {} {}", total(&root), next);
    drop(root);
    let mut counts = BTreeMap::new();
    let lines: Vec<String> = ["1", " 22", "3", "-4", "x"]
        .iter()
        .map(|s| s.to_string())
        .collect();
    for n in 2..=lines.len() {
        let slice = lines[..n].to_vec();
        let sum = ck!(parse(&slice, &mut counts));
        println!("parse {sum:?} {counts:?}");
    }
    println!("longest {:?} {:?}", ck!(longest(&lines)), ck!(longest(&[])));
    let mut words: Vec<String> = vec!["a".into(), "b".into()];
    println!("doubled {} {}", ck!(doubled(&mut words)), words.len());
    let mut list = vec![
        Shape::Dot,
        Shape::Circle(2.5),
        Shape::Named {
            name: "square".into(),
            sides: vec![1, 2, 3, 4],
        },
    ];
    let area = ck!(shapes(&mut list));
    println!("shapes {area} {list:?}");
    let text = ck!(moves(vec![
        "a".to_owned(),
        "bc".to_owned(),
        "def".to_owned()
    ]));
    println!("moves {text}");
    let mut solver = Solver {
        cells: vec![0.0; 12],
        step: 0,
    };
    solver.cells[0] = 100.0;
    let sum = ck!(solver.run(15));
    println!("solver {sum:?} {}", solver.step);
}
