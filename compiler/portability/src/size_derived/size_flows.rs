//! The ways that sizes take from place to place, by the code that takes them: where none of it has run, no size is there.
//!
//! Places that are given sizes themselves have them in any case, but for variables to which other code gives other numbers
//! (a parameter of which some calls are no size's) and such that are counted up to a size, if the loop goes so far: each of
//! those is a node. Of the others, those that give each other their numbers are one. Code within a node is not looked at, so that what runs often has few marks.

use super::made::Makes;
use super::{Given, Gives};
use crate::addresses::NumberPlace;
use pc3_program::program::Program;
use pc3_syntax::tree::*;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// From a node to another one; from none: from a place that has sizes in any case.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SizeFlow {
    pub to: String,
    pub from: Option<String>,
    /// The code; none: nothing shows it.
    pub by: Option<(usize, ExprId)>,
}

#[derive(Default)]
pub struct Ways {
    nodes: HashMap<NumberPlace, String>,
    pub list: Vec<SizeFlow>,
}

/// As `SizeFlow`, between places.
struct Edge {
    from: Option<usize>,
    to: usize,
    by: Option<(usize, ExprId)>,
}

impl Ways {
    pub(super) fn new(p: &Program, makes: &Makes, given: &Given) -> Ways {
        let places: Vec<&NumberPlace> = given.keys().filter(|x| makes.has_sizes(x)).collect();
        let numbers: HashMap<&NumberPlace, usize> = places.iter().copied().zip(0..).collect();
        let mut edges = Vec::new();
        let mut others = HashSet::new();
        for (to, place) in places.iter().enumerate() {
            let variable = matches!(place, NumberPlace::Variable(..));
            for g in &given[*place] {
                let (by, origins) = match g {
                    Gives::Value(unit, e) | Gives::Changed(unit, _, e) => {
                        (Some((*unit, *e)), makes.origins(*unit, *e))
                    }
                    Gives::Counted(unit, e, by) => (Some((*unit, *by)), makes.origins(*unit, *e)),
                    Gives::From(from) if makes.has_sizes(from) => (None, vec![Some(from.clone())]),
                    Gives::Anything => (None, vec![None]),
                    _ => continue,
                };
                if variable && by.is_some() && origins.is_empty() {
                    others.insert(to);
                }
                for from in origins {
                    let from = match from {
                        None => None,
                        Some(x) => match numbers.get(&x) {
                            Some(n) => Some(*n),
                            None => continue,
                        },
                    };
                    edges.push(Edge { from, to, by });
                }
            }
        }
        let without = edges.iter().filter(|e| e.from.is_none());
        let always: HashSet<usize> = without
            .filter(|e| e.by.is_none() || !others.contains(&e.to))
            .map(|e| e.to)
            .collect();
        edges.retain(|e| !always.contains(&e.to));
        for e in &mut edges {
            e.from = e.from.filter(|n| !always.contains(n));
        }
        let begun = edges.iter().filter(|e| e.from.is_none());
        let alone: HashSet<usize> = begun.map(|e| e.to).filter(|n| others.contains(n)).collect();
        let groups = groups(places.len(), &edges, &alone);
        let mut names: BTreeMap<usize, String> = BTreeMap::new();
        for (place, group) in places.iter().zip(&groups) {
            let name = name(p, place);
            let first = names.entry(*group).or_insert_with(|| name.clone());
            if name < *first {
                *first = name;
            }
        }
        let node = |n: usize| names[&groups[n]].clone();
        let ways = edges.iter().filter_map(|e| {
            let to = node(e.to);
            match e.from {
                None => Some(SizeFlow {
                    to,
                    from: None,
                    by: e.by,
                }),
                Some(from) if groups[from] == groups[e.to] => None,
                Some(from) => Some(SizeFlow {
                    to,
                    from: Some(node(from)),
                    by: e.by,
                }),
            }
        });
        let list: BTreeSet<SizeFlow> = ways.collect();
        let nodes = places.iter().enumerate();
        let nodes = nodes.filter(|(n, _)| !always.contains(n));
        Ways {
            nodes: nodes.map(|(n, x)| ((*x).clone(), node(n))).collect(),
            list: list.into_iter().collect(),
        }
    }

    /// What restarts call all that a place shares its sizes with; none: it has some in any case.
    pub fn node(&self, place: &NumberPlace) -> Option<&String> {
        self.nodes.get(place)
    }

    /// All ways that lead to some of these nodes.
    pub fn to(&self, nodes: &BTreeSet<String>) -> Vec<&SizeFlow> {
        let mut all = nodes.clone();
        loop {
            let behind = self.list.iter().filter(|w| all.contains(&w.to));
            let new: Vec<String> = behind
                .filter_map(|w| w.from.clone().filter(|f| !all.contains(f)))
                .collect();
            if new.is_empty() {
                return self.list.iter().filter(|w| all.contains(&w.to)).collect();
            }
            all.extend(new);
        }
    }
}

/// The same in each build of the program.
fn name(p: &Program, place: &NumberPlace) -> String {
    match place {
        NumberPlace::Result(f) => {
            format!("{}()", p.portable_name(p.fns[f.index()].0, p.func(*f).sym))
        }
        _ => place.name(p).unwrap_or_else(|| format!("{place:?}")),
    }
}

/// By place: those that can be reached from each other have the same number, without going through those that are alone.
fn groups(places: usize, edges: &[Edge], alone: &HashSet<usize>) -> Vec<usize> {
    let (mut next, mut before) = (vec![Vec::new(); places], vec![Vec::new(); places]);
    let within = |e: &&Edge| {
        let from = e.from.is_some_and(|from| alone.contains(&from));
        !from && !alone.contains(&e.to)
    };
    for e in edges.iter().filter(within) {
        if let Some(from) = e.from {
            next[from].push(e.to);
            before[e.to].push(from);
        }
    }
    let mut order = Vec::new();
    let mut seen = vec![false; places];
    for start in 0..places {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let mut path = vec![(start, 0)];
        while let Some((x, k)) = path.last_mut() {
            match next[*x].get(*k) {
                Some(to) => {
                    *k += 1;
                    if !std::mem::replace(&mut seen[*to], true) {
                        path.push((*to, 0));
                    }
                }
                None => {
                    order.push(*x);
                    path.pop();
                }
            }
        }
    }
    let mut group = vec![usize::MAX; places];
    for start in order.into_iter().rev() {
        let mut todo = vec![start];
        while let Some(x) = todo.pop() {
            if group[x] == usize::MAX {
                group[x] = start;
                todo.extend(&before[x]);
            }
        }
    }
    group
}
