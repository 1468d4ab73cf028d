//! Values that are taken apart, and heads of branches whose type says what is kept of them.

#![forbid(unsafe_code)]
#![allow(clippy::ptr_arg, clippy::unwrap_used)]

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use pc3::prelude::*;

/// Says when it ends.
#[derive(Checkpointable)]
struct Part(String, u32);

impl Drop for Part {
    fn drop(&mut self) {
        println!("  {} ends", self.0);
    }
}

fn part(name: &str, n: u32) -> Part {
    Part(name.to_owned(), n)
}

#[derive(Checkpointable)]
enum Either {
    Two(Part, Part),
    Number(u32),
    Nothing,
}

#[checkpointable]
fn all_bound() -> u32 {
    let pair = (part("left", 1), part("right", 2));
    let (left, right) = pair;
    checkpoint!();
    println!("  {} and {}", left.0, right.0);
    left.1 + right.1
}

#[checkpointable]
fn by_variant(either: Either) -> u32 {
    let n = match either {
        Either::Two(first, second) => {
            checkpoint!();
            first.1 * second.1
        }
        Either::Number(n) => {
            checkpoint!();
            n
        }
        Either::Nothing => {
            checkpoint!();
            0
        }
    };
    checkpoint!();
    n
}

#[checkpointable]
fn counted(found: Option<Rc<u32>>, other: &Rc<u32>) -> usize {
    if let Some(found) = found {
        checkpoint!();
        return Rc::strong_count(&found);
    }
    checkpoint!();
    Rc::strong_count(other)
}

#[checkpointable]
fn items(list: Vec<(Part, u32)>) -> u32 {
    let mut sum = 0;
    for (part, n) in list {
        checkpoint!();
        println!("  {}", part.0);
        sum += part.1 * n;
    }
    sum
}

type Pair = (Option<u32>, u32);

/// The variant is replaced while the other part is still used.
#[checkpointable]
fn replaced(pair: &mut Pair) -> u32 {
    match pair {
        (Some(first), second) => {
            let by = *first + 1;
            pair.0 = None;
            checkpoint!();
            *second *= by;
            checkpoint!();
            *second
        }
        (None, second) => *second,
    }
}

#[derive(Clone, Copy, Checkpointable)]
enum Op {
    Add(u32),
    Jump(u16),
    Stop,
}

/// Values and borrows in one head.
#[checkpointable]
fn machine(code: &[Op]) -> Vec<u32> {
    let (mut stack, mut at) = (vec![3, 0], 0);
    loop {
        let op = code[at];
        match (op, stack.as_mut_slice()) {
            (Op::Jump(to), [left, ..]) if *left != 0 => {
                *left -= 1;
                checkpoint!();
                at = to as usize;
                continue;
            }
            (Op::Add(n), [.., top]) => {
                checkpoint!();
                *top += n;
            }
            (Op::Stop, _) => break,
            _ => {}
        }
        at += 1;
        checkpoint!();
    }
    stack
}

#[derive(Checkpointable)]
struct Counted {
    asked: Cell<u32>,
}

impl Counted {
    /// Named like a list's, but it gives a value.
    fn first(&self) -> Option<u32> {
        self.asked.set(self.asked.get() + 1);
        Some(self.asked.get())
    }
}

#[checkpointable]
fn values(counted: &Counted) -> u32 {
    let mut sum = 0;
    if let Some(n) = counted.first() {
        checkpoint!();
        sum += n;
    }
    match counted.asked.get() {
        0 => sum,
        n => {
            counted.asked.set(100);
            checkpoint!();
            sum + n
        }
    }
}

#[checkpointable]
fn sum(list: Option<&Vec<u32>>) -> u32 {
    let mut sum = 0;
    if let Some(list) = list {
        for n in list {
            sum += n;
            checkpoint!();
        }
    }
    sum
}

#[checkpointable]
fn raise(list: &mut Vec<u32>, by: u32) -> usize {
    for n in list.iter_mut() {
        *n += by;
        checkpoint!();
    }
    list.len()
}

const MOST: u32 = 50;

/// Borrows out of lists as arguments; they are found again.
#[checkpointable]
fn arguments(lists: &mut Vec<Vec<u32>>, at: usize) -> Option<u32> {
    let mut all = ck!(sum(None)) + ck!(sum(lists.first()));
    all += ck!(sum(lists.get(at + 1)));
    all += ck!(raise(lists.last_mut().unwrap(), MOST)) as u32;
    all += ck!(raise(lists.get_mut(at)?, 1)) as u32;
    Some(all + ck!(sum(lists.iter().max())))
}

#[derive(Checkpointable)]
struct Link {
    value: u32,
    next: Option<Box<Link>>,
}

/// Borrows that are taken apart.
#[checkpointable]
fn links(link: &mut Link, rows: &[(u32, String)]) -> String {
    let Link { value, next } = link;
    checkpoint!();
    if let Some(next) = next {
        *value += ck!(links(next, rows)).len() as u32;
    }
    let mut text = value.to_string();
    for row in rows {
        let (n, name) = row;
        checkpoint!();
        text += &name[..*n as usize];
    }
    text
}

/// Nothing mentions the list behind the location.
#[checkpointable]
fn last_word(text: &str) -> String {
    let words: Vec<String> = text.split(' ').map(str::to_uppercase).collect();
    let last = words.last().unwrap().as_str();
    checkpoint!();
    format!("{last}!")
}

#[derive(Checkpointable)]
struct Row(Vec<u32>);

/// Its methods do nothing else.
impl pc3::Plain for Row {}

impl Row {
    fn iter(&self) -> std::slice::Iter<'_, u32> {
        self.0.iter()
    }
    fn get(&self, at: usize) -> Option<&u32> {
        self.0.get(at)
    }
}

#[checkpointable]
fn own_type(row: &Row) -> u32 {
    let mut sum = 0;
    for n in row.iter() {
        checkpoint!();
        sum += n;
    }
    let last = row.get(row.0.len() - 1).unwrap();
    checkpoint!();
    sum * last
}

#[checkpointable]
fn look(part: &Part) -> u32 {
    checkpoint!();
    println!("  look at {}", part.0);
    part.1
}

fn show(name: &str) -> u32 {
    println!("  {name}");
    1
}

/// Values without a name that a marked call borrows: they end with the statement, or before a branch.
#[checkpointable]
fn lent(cell: &RefCell<Part>) -> u32 {
    let mut sum = ck!(look(&part("one", 1))) + ck!(look(&part("two", 2))) + show("three");
    if ck!(look(&part("four", 4))) > 3 && show("five") == 1 {
        println!("  then");
        checkpoint!();
    }
    match ck!(look(&cell.borrow())) {
        6 => {
            println!("  free: {}", cell.try_borrow_mut().is_ok());
            checkpoint!();
            println!("  free: {}", cell.try_borrow_mut().is_ok());
            sum += 6;
        }
        _ => sum = 0,
    }
    sum += ck!(look(&cell.borrow())) + ck!(look(&cell.borrow()));
    sum
}

#[pc3::main]
fn main() {
    println!("all bound: {}", ck!(all_bound()));
    let two = Either::Two(part("first", 2), part("second", 3));
    for either in [two, Either::Number(5), Either::Nothing] {
        println!("variant: {}", ck!(by_variant(either)));
    }
    let count = Rc::new(1);
    println!("counted: {}", ck!(counted(Some(count.clone()), &count)));
    println!("counted: {}", ck!(counted(None, &count)));
    drop(count);
    let list = vec![(part("a", 1), 10), (part("b", 2), 20)];
    println!("items: {}", ck!(items(list)));
    let mut pair = (Some(2), 5);
    println!("replaced: {} {pair:?}", ck!(replaced(&mut pair)));
    let code = [Op::Add(2), Op::Jump(0), Op::Stop];
    println!("machine: {:?}", ck!(machine(&code)));
    let counted = Counted {
        asked: Cell::new(0),
    };
    println!("values: {}", ck!(values(&counted)));
    let mut lists = vec![vec![1, 2], vec![3]];
    println!("arguments: {:?}", ck!(arguments(&mut lists, 0)));
    println!("arguments: {:?} {lists:?}", ck!(arguments(&mut lists, 7)));
    let mut link = Link {
        value: 1,
        next: Some(Box::new(Link {
            value: 2,
            next: None,
        })),
    };
    let rows = [(1, "one".to_owned()), (2, "two".to_owned())];
    println!("links: {}", ck!(links(&mut link, &rows)));
    println!("last word: {}", ck!(last_word("nothing mentions it")));
    println!("own type: {}", ck!(own_type(&Row(vec![1, 2, 3]))));
    let cell = RefCell::new(part("six", 6));
    println!("lent: {}", ck!(lent(&cell)));
    drop(cell);
}
