//! A knapsack by branch and bound: a tree of `Rc` nodes with `Weak` parents, a strategy behind `Box<dyn …>`, a table
//! of what was seen, and `?`: `branch-and-bound ITEMS` (14).

#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::{Rc, Weak};

use pc3::prelude::*;

#[derive(Checkpointable, Clone)]
struct Item {
    name: String,
    weight: u32,
    value: u32,
}

#[derive(Checkpointable)]
struct Node {
    level: usize,
    taken: bool,
    weight: u32,
    value: u32,
    parent: RefCell<Weak<Node>>,
    children: RefCell<Vec<Rc<Node>>>,
}

/// Which branch is looked at first, and what it can still bring.
trait Strategy: pc3::Dynamic + pc3::Named<Strategies> {
    fn name(&self) -> &str;
    fn first(&self, level: usize) -> bool;
    fn bound(&mut self, items: &[Item], level: usize, room: u32) -> f64;
}

#[derive(Checkpointable)]
struct Greedy {
    asked: u64,
}

impl Strategy for Greedy {
    fn name(&self) -> &str {
        "greedy"
    }
    fn first(&self, _level: usize) -> bool {
        true
    }
    fn bound(&mut self, items: &[Item], level: usize, mut room: u32) -> f64 {
        self.asked += 1;
        let mut sum = 0.0;
        for item in &items[level..] {
            if item.weight > room {
                return sum + f64::from(item.value) * f64::from(room) / f64::from(item.weight);
            }
            room -= item.weight;
            sum += f64::from(item.value);
        }
        sum
    }
}

#[derive(Checkpointable)]
struct Careful;

impl Strategy for Careful {
    fn name(&self) -> &str {
        "careful"
    }
    fn first(&self, level: usize) -> bool {
        level % 2 == 0
    }
    fn bound(&mut self, items: &[Item], level: usize, _room: u32) -> f64 {
        items[level..].iter().map(|i| f64::from(i.value)).sum()
    }
}

pc3::dynamic!(dyn Strategy as Strategies: Greedy, Careful);

#[derive(Checkpointable)]
struct Search {
    items: Vec<Item>,
    limit: u32,
    best: u32,
    winner: Option<Rc<Node>>,
    seen: HashMap<(usize, u32), u32>,
    strategy: Box<dyn Strategy>,
    nodes: u64,
}

impl Search {
    #[checkpointable]
    fn explore(&mut self, node: Rc<Node>) -> Result<(), String> {
        checkpoint!();
        self.nodes += 1;
        if self.nodes > 100_000 {
            return Err(format!("gave up at {} nodes", self.nodes));
        }
        if node.value > self.best {
            self.best = node.value;
            self.winner = Some(node.clone());
        }
        let level = node.level;
        if level == self.items.len() {
            return Ok(());
        }
        if self
            .seen
            .get(&(level, node.weight))
            .is_some_and(|v| *v >= node.value)
        {
            return Ok(());
        }
        self.seen.insert((level, node.weight), node.value);
        let bound = self
            .strategy
            .bound(&self.items, level, self.limit - node.weight);
        if f64::from(node.value) + bound <= f64::from(self.best) {
            return Ok(());
        }
        let first = self.strategy.first(level);
        for taken in [first, !first] {
            let item = self.items[level].clone();
            let (weight, value) = if taken {
                (item.weight, item.value)
            } else {
                (0, 0)
            };
            if node.weight + weight > self.limit {
                continue;
            }
            let child = Rc::new(Node {
                level: level + 1,
                taken,
                weight: node.weight + weight,
                value: node.value + value,
                parent: RefCell::new(Rc::downgrade(&node)),
                children: RefCell::default(),
            });
            node.children.borrow_mut().push(child.clone());
            ck!(self.explore(child))?;
        }
        Ok(())
    }
}

/// The items on the way from the root to a node.
fn chosen(items: &[Item], node: &Rc<Node>) -> Vec<String> {
    let mut names = Vec::new();
    let mut at = Some(node.clone());
    while let Some(node) = at {
        if node.taken && node.level > 0 {
            names.push(items[node.level - 1].name.clone());
        }
        at = node.parent.borrow().upgrade();
    }
    names.reverse();
    names
}

fn size(node: &Node) -> usize {
    1 + node
        .children
        .borrow()
        .iter()
        .map(|c| size(c))
        .sum::<usize>()
}

fn items(n: u32) -> Vec<Item> {
    let mut items: Vec<Item> = (1..=n)
        .map(|i| Item {
            name: format!("item {i}"),
            weight: 7 + i * 37 % 23,
            value: 11 + i * 53 % 31,
        })
        .collect();
    items.sort_by(|a, b| {
        (b.value * a.weight)
            .cmp(&(a.value * b.weight))
            .then(a.name.cmp(&b.name))
    });
    items
}

#[pc3::main]
fn main() -> Result<(), String> {
    let n = std::env::args().nth(1);
    let n = n.map_or(14, |a| a.parse().expect("a number"));
    let strategies: Vec<Box<dyn Strategy>> = vec![Box::new(Greedy { asked: 0 }), Box::new(Careful)];
    for strategy in strategies {
        let root = Rc::new(Node {
            level: 0,
            taken: false,
            weight: 0,
            value: 0,
            parent: RefCell::default(),
            children: RefCell::default(),
        });
        let mut search = Search {
            items: items(n),
            limit: 90,
            best: 0,
            winner: None,
            seen: HashMap::new(),
            strategy,
            nodes: 0,
        };
        ck!(search.explore(root.clone()))?;
        println!(
            "{}: {} in {} nodes of {}",
            search.strategy.name(),
            search.best,
            search.nodes,
            size(&root)
        );
        if let Some(winner) = &search.winner {
            println!("  {}", chosen(&search.items, winner).join(", "));
        }
    }
    Ok(())
}
