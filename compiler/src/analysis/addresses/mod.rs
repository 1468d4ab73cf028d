//! Addresses kept as numbers: a restart translates pointers, not integers.
//!
//! `flow` says where numbers go, through variables, arguments, results, members and memory; here follows where those go
//! that were made of addresses: into something that a checkpoint holds, and back into a pointer?

mod flow;
mod offset;
mod place;

use super::callgraph::CallGraph;
use super::program::Program;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::tree::*;
use flow::{Edges, Flow, Source};
use place::Place;
use std::collections::HashSet;

/// `saved(f, s)`: is the local `s` of function `f` part of a checkpoint?
pub fn check(
    p: &Program,
    graph: &CallGraph,
    saved: &dyn Fn(usize, FuncId, SymId) -> bool,
    out: &mut Diagnostics,
) {
    // What is an address at all decides what a difference of two is, so that comes first.
    let first = Flow::new(p, graph, HashSet::new()).follow();
    let addresses = reached(&first.edges, first.sources.iter().flat_map(|s| &s.to));
    let all = Flow::new(p, graph, addresses).follow();
    for Source { unit, span, to, .. } in &all.sources {
        let u = &p.units[*unit];
        let places = reached(&all.edges, to.iter());
        if !places.iter().any(|x| x.kept(p, saved)) {
            continue;
        }
        let help = "keep it in a pointer";
        out.push(if places.contains(&Place::Pointer) {
            Diagnostic::refusal(u, span, Code::PointerAsNumber, "an address is kept in an integer and could become a pointer again: after a restart it would point nowhere", help)
        } else {
            Diagnostic::advice(u, span, Code::AddressAsNumber, "an address is kept as a number: after a restart the object is elsewhere and the number is not", help)
        });
    }
}

fn reached<'a>(edges: &Edges, from: impl Iterator<Item = &'a Place>) -> HashSet<Place> {
    let mut todo: Vec<Place> = from.cloned().collect();
    let mut found: HashSet<Place> = todo.iter().cloned().collect();
    while let Some(x) = todo.pop() {
        for next in edges.get(&x).into_iter().flatten() {
            if found.insert(next.clone()) {
                todo.push(next.clone());
            }
        }
    }
    found
}
