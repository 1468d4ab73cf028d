//! Borrows and guards that are made again, and values that only look like them.

#![forbid(unsafe_code)]
// In ways that a linter would not have.
#![allow(clippy::all, clippy::pedantic, clippy::unwrap_used)]

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::{Arc, Mutex, RwLock};

use pc3::prelude::*;

#[derive(Checkpointable)]
struct Agent {
    value: u32,
    log: Vec<u32>,
}

impl Agent {
    fn new(value: u32) -> Self {
        Agent { value, log: vec![] }
    }

    #[checkpointable]
    fn step(&mut self) -> u32 {
        self.value += 1;
        checkpoint!();
        self.log.push(self.value);
        self.value
    }

    #[checkpointable]
    fn scaled(&self, by: u32) -> u32 {
        checkpoint!();
        self.value * by
    }
}

#[checkpointable]
fn step(agent: &mut Agent) -> u32 {
    ck!(agent.step())
}

#[checkpointable]
fn sum(list: &[u32]) -> u32 {
    let mut sum = 0;
    for x in list {
        sum += *x;
        checkpoint!();
    }
    sum
}

#[checkpointable]
fn guards() -> u32 {
    let all: Vec<Rc<RefCell<Agent>>> = (0..3)
        .map(|v| Rc::new(RefCell::new(Agent::new(v))))
        .collect();
    let mut n = 0;
    for agent in &all {
        n += ck!(agent.borrow_mut().step());
    }
    for i in 0..all.len() {
        n += ck!(all[i].borrow_mut().step());
        n += ck!(all[i].borrow().scaled(2));
    }
    n += ck!(step(&mut all[1].borrow_mut()));
    n += ck!(step(&mut *all[1].borrow_mut()));
    n += ck!(sum(&all[1].borrow().log));
    n += ck!(sum(all[1].borrow().log.as_slice()));

    let locked = Arc::new(Mutex::new(Agent::new(9)));
    n += ck!(locked.lock().unwrap().step());
    {
        let mut guard = locked.lock().unwrap();
        checkpoint!();
        n += ck!(guard.step());
        guard.value += 1;
        checkpoint!();
        println!("locked: {}", locked.try_lock().is_err());
    }
    let shared = RwLock::new(vec![1, 2]);
    shared.write().unwrap().push(3);
    n += ck!(sum(&shared.read().unwrap()));

    // Used or not, a guard guards as long as it exists.
    {
        let _held = all[0].borrow_mut();
        checkpoint!();
        println!("held: {}", all[0].try_borrow().is_err());
        checkpoint!();
    }
    let guard = all[2].borrow();
    checkpoint!();
    println!("{} {:?}", guard.value, guard.log);
    drop(guard);
    checkpoint!();
    println!("free: {}", all.iter().all(|a| a.try_borrow_mut().is_ok()));
    drop(all);
    drop(locked);
    n
}

#[checkpointable]
fn of_lists(list: &mut Vec<u32>, map: &BTreeMap<String, Vec<u32>>) -> Option<u32> {
    let (first, most) = (list.first().unwrap(), list.iter().max().unwrap());
    let at = list.get(1)?;
    checkpoint!();
    println!("{first} {most} {at}");
    let last = list.last_mut().unwrap();
    checkpoint!();
    *last += 1;
    checkpoint!();
    *last += 1;
    let mut i = 0;
    while i < 2 {
        let at = list.get_mut(i).expect("it is there");
        i += 1;
        checkpoint!();
        *at *= 2;
    }
    let (left, right) = list.split_at_mut(1);
    checkpoint!();
    std::mem::swap(&mut left[0], &mut right[0]);
    let found = map.get("x").ok_or("nothing there").unwrap();
    let name = &map.first_key_value()?.0;
    checkpoint!();
    println!("{name} {found:?}");
    let agents = vec![
        Agent::new(4),
        Agent {
            value: 5,
            log: vec![6],
        },
    ];
    let entry = agents.last()?.log.first()?;
    checkpoint!();
    println!("{entry} {}", agents.len());
    Some(ck!(sum(agents.last()?.log.as_slice())) + ck!(agents.first()?.scaled(2)))
}

#[checkpointable]
fn of_texts(text: &str) {
    let trimmed = text.trim();
    checkpoint!();
    println!("[{trimmed}]");
    for part in trimmed.split(',') {
        let part = part.trim().trim_start_matches('a');
        checkpoint!();
        let Some((key, value)) = part.split_once('=') else {
            continue;
        };
        checkpoint!();
        println!("{key} is {value}");
    }
}

#[derive(Checkpointable)]
struct Pair {
    a: Vec<u32>,
    b: Vec<u32>,
}

#[checkpointable]
fn patterns() {
    let mut p = Pair {
        a: vec![1, 2],
        b: vec![3, 4],
    };
    let Pair { a, b } = &mut p;
    for (x, y) in a.iter_mut().zip(b.iter()) {
        *x += *y;
        checkpoint!();
    }
    let mut array = [1, 2];
    let [x, y] = &mut array;
    checkpoint!();
    std::mem::swap(x, y);
    let Pair { ref a, ref mut b } = p;
    checkpoint!();
    b.push(a[0]);
    let (q, r) = (&p.a, &mut p.b);
    checkpoint!();
    r.push(q[0]);
    println!("{array:?} {:?} {:?}", p.a, p.b);
}

/// Cannot be saved; its methods give values.
struct Other(u32);

impl Other {
    fn get(&self, k: u32) -> u32 {
        self.0 * k
    }
    fn first(&self) -> String {
        self.0.to_string()
    }
    fn lock(&self) -> Result<u32, ()> {
        Ok(self.0)
    }
    fn borrow(&self) -> u32 {
        self.0
    }
    fn finish(self) -> u32 {
        self.0
    }
}

/// A second call of its methods would give something else.
#[derive(Checkpointable)]
struct Counted {
    calls: u32,
    list: Vec<u32>,
}

impl Counted {
    fn get(&mut self, i: usize) -> Option<u32> {
        self.calls += 1;
        self.list.get(i).copied()
    }
    fn first(&mut self) -> u32 {
        self.calls += 1;
        self.list[0]
    }
    fn split_at(&mut self, k: usize) -> (u32, usize) {
        self.calls += 1;
        (self.calls, k)
    }
    fn lock(&mut self) -> Result<u32, String> {
        self.calls += 1;
        Ok(self.calls)
    }
}

#[checkpointable]
fn values(i: usize) -> Option<u32> {
    let other = Other(3);
    let (a, b) = (other.get(4), other.first());
    let c = other.lock().unwrap();
    let d = other.borrow();
    let e = other.finish();
    checkpoint!();
    println!("{a} {b} {c} {d} {e}");
    let mut counted = Counted {
        calls: 0,
        list: vec![5, 6, 7],
    };
    let x = counted.get(i).unwrap();
    let y = counted.first();
    let (p, q) = counted.split_at(i + 1);
    let l = counted.lock().unwrap();
    let z = counted.get(i + 1)?;
    checkpoint!();
    println!("{x} {y} {p} {q} {l} {z} {}", counted.calls);
    let w = counted.get(i)?;
    counted.list.push(3);
    checkpoint!();
    println!("{w} {}", counted.calls);
    let cell = Cell::new(4);
    let before = cell.get();
    cell.set(5);
    let stack = vec![String::from("top")];
    let top = stack.last().unwrap().clone();
    drop(stack);
    checkpoint!();
    println!("{before} {} {top}", cell.get());
    Some(l)
}

/// What a cell held then is what is borrowed.
#[checkpointable]
fn indexed_by_cells(list: &mut [u32], at: &Cell<usize>) -> u32 {
    at.set(0);
    let first = &list[at.get()];
    at.set(1);
    checkpoint!();
    let mut sum = *first;
    for x in list[at.get()..].iter() {
        at.set(2);
        checkpoint!();
        sum = sum * 10 + *x;
    }
    if let Some(x) = list.get_mut(at.get()) {
        at.set(0);
        checkpoint!();
        *x += 1;
    }
    sum
}

/// A closure that is lent further down, and a search that says by `ControlFlow` that it has found something.
#[checkpointable]
fn search<T, F>(from: T, depth: u32, next: &mut F) -> ControlFlow<T, u32>
where
    T: Checkpointable + Clone + PartialOrd,
    F: FnMut(&T, u32) -> Option<T>,
{
    let mut seen = 1;
    for way in 0..3 {
        checkpoint!();
        let Some(there) = next(&from, way) else {
            continue;
        };
        if depth == 0 {
            return ControlFlow::Break(there);
        }
        seen += ck!(search(there, depth - 1, next))?;
    }
    ControlFlow::Continue(seen)
}

#[checkpointable]
fn found<F>(from: u64, limit: u64, mut next: F) -> Option<u64>
where
    F: FnMut(&u64, u32) -> Option<u64>,
{
    let mut all = 0;
    for depth in 0..6 {
        match ck!(search(from, depth, &mut next)) {
            ControlFlow::Break(found) if found > limit => return Some(found + all),
            ControlFlow::Break(found) => all += found,
            ControlFlow::Continue(seen) => println!("{seen} at {depth}"),
        }
    }
    None
}

fn further(n: &u64, way: u32) -> Option<u64> {
    (n % 3 != u64::from(way)).then(|| n * 3 + u64::from(way))
}

#[pc3::main]
fn main() {
    println!("{:?}", ck!(found(4, 300, further)));
    println!(
        "{:?}",
        ck!(found(1, 3, |n: &u64, way| (way > 1).then(|| n + 1)))
    );
    println!("{}", ck!(guards()));
    let mut list = vec![3, 9, 2];
    let map = BTreeMap::from([("x".to_owned(), vec![7])]);
    println!("{:?} {list:?}", ck!(of_lists(&mut list, &map)));
    ck!(of_texts(" a=b , ac,aad=e "));
    ck!(patterns());
    println!("{:?}", ck!(values(1)));
    let mut list = [1, 2, 3];
    println!(
        "{} {list:?}",
        ck!(indexed_by_cells(&mut list, &Cell::new(0)))
    );
}
