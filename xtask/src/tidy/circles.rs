//! Files of a crate that import each other.
//!
//! A file imports another if a path in it that begins with `crate`, `self` or `super` names something of that one. What a
//! `mod.rs` takes from the files of its own folder does not count: it holds them together.

use std::collections::HashMap;

use super::rust::Source;

/// Sets of three files and more each of which leads to each other one, the largest first.
pub fn of_three_or_more(sources: &[Source]) -> Vec<Vec<usize>> {
    let mut all = components(&edges(sources));
    all.retain(|circle| circle.len() >= 3);
    all.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    all
}

/// Names are handed on at most so often.
const HANDED_ON: usize = 5;

/// Files by their modules.
type Modules<'s> = HashMap<&'s [String], usize>;

fn edges(sources: &[Source]) -> Vec<Vec<usize>> {
    let modules: Modules = (sources.iter().enumerate())
        .map(|(i, s)| (&s.module[..], i))
        .collect();
    let one = |(i, s): (usize, &Source)| {
        let named = s.names.iter();
        let mut to: Vec<usize> = named
            .filter_map(|n| file_of(sources, &modules, n, HANDED_ON))
            .filter(|j| *j != i && !(is_folder(s) && sources[*j].module.starts_with(&s.module)))
            .collect();
        to.sort_unstable();
        to.dedup();
        to
    };
    sources.iter().enumerate().map(one).collect()
}

fn is_folder(s: &Source) -> bool {
    s.path.ends_with("mod.rs")
}

/// The file that has what a path names.
fn file_of(
    sources: &[Source],
    modules: &Modules,
    path: &[String],
    further: usize,
) -> Option<usize> {
    let longest = (0..=path.len()).rev();
    let (n, at) = longest
        .filter_map(|n| Some((n, *modules.get(&path[..n])?)))
        .next()?;
    let handed_on = path.get(n).and_then(|name| sources[at].exports.get(name));
    match handed_on {
        Some(full) if further > 0 => file_of(sources, modules, full, further - 1),
        _ => (n > 0 || path.len() == 1).then_some(at),
    }
}

/// Strongly connected components (Tarjan, "Depth-first search and linear graph algorithms", 1972).
fn components(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut search = Search {
        edges,
        number: vec![None; edges.len()],
        low: vec![0; edges.len()],
        open: Vec::new(),
        is_open: vec![false; edges.len()],
        next: 0,
        found: Vec::new(),
    };
    for v in 0..edges.len() {
        if search.number[v].is_none() {
            search.visit(v);
        }
    }
    search.found
}

struct Search<'e> {
    edges: &'e [Vec<usize>],
    number: Vec<Option<usize>>,
    low: Vec<usize>,
    open: Vec<usize>,
    is_open: Vec<bool>,
    next: usize,
    found: Vec<Vec<usize>>,
}

impl Search<'_> {
    fn visit(&mut self, v: usize) {
        let mine = self.next;
        self.next += 1;
        self.number[v] = Some(mine);
        self.low[v] = mine;
        self.open.push(v);
        self.is_open[v] = true;
        for &w in &self.edges[v] {
            match self.number[w] {
                None => {
                    self.visit(w);
                    self.low[v] = self.low[v].min(self.low[w]);
                }
                Some(n) if self.is_open[w] => self.low[v] = self.low[v].min(n),
                Some(_) => {}
            }
        }
        if self.low[v] == mine {
            let from = self.open.iter().position(|&w| w == v).unwrap_or(0);
            let circle = self.open.split_off(from);
            circle.iter().for_each(|&w| self.is_open[w] = false);
            self.found.push(circle);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_found() {
        let edges = [vec![1], vec![2], vec![0, 3], vec![4], vec![3], vec![]];
        let mut all = components(&edges);
        all.iter_mut().for_each(|c| c.sort_unstable());
        all.sort();
        assert_eq!(all, [vec![0, 1, 2], vec![3, 4], vec![5]]);
    }
}
