//! Functions that hand out pieces of a larger block: arenas and pools.
//!
//! Such a function returns, as a pointer to anything, an address in memory that a place of its own leads to: behind a
//! cursor or an offset that it moves (`p = a->at; a->at += n; return p;`), or the head of a list of free items that it
//! unlinks (`p = pool->free; pool->free = *(void **)p; return p;`). Like a wrapper's, its callers say the type, and the
//! runtime notes it of the piece, with the size that was asked for, if the function is given one.
//!
//! What a program stores through a cast into memory of no type (the links of free items, headers) is noted as well. What
//! lies elsewhere in such a block is not known: a restart elsewhere wants it to be zero.

mod arena_functions;
mod links;

use super::flow::{element, PointerFlow, PointerPlace};
use super::types::is_char;
use super::wrappers::allocator;
use arena_functions::{deeds, ArenaFunction};
use links::{links, walks};
use pc3_program::callgraph::CallGraph;
use pc3_program::program::{FnId, Program};
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

/// A pointer to memory of no type by which something of a known one is stored.
#[derive(Clone, Debug)]
pub struct Link {
    /// The pointer.
    pub of: ExprId,
    pub to: QualType,
    /// It goes to the head of a list of free items.
    pub freed: bool,
}

#[derive(Default)]
pub struct Pieces {
    /// With the parameters that say a piece's size.
    pub dealers: HashMap<FnId, Vec<usize>>,
    /// Such functions that can reach a location: of what they hand out nothing is noted.
    pub late: HashSet<FnId>,
    /// By how much those that are given none move on: a member of what a parameter points to.
    pub steps: HashMap<FnId, ExprId>,
    /// What they return, per unit.
    pub returned: Vec<HashSet<ExprId>>,
    /// Of these, what comes from characters.
    pub texts: Vec<HashSet<ExprId>>,
    /// The places that lead to the blocks.
    pub places: HashSet<PointerPlace>,
    pub links: Vec<Vec<Link>>,
    /// Arrays of numbers that are handed out likewise, by numbers that count them: these cannot be followed.
    pub words: HashSet<PointerPlace>,
    /// Where pieces are found by how many there are and their size, per unit: those have another size elsewhere.
    pub counted: Vec<Vec<ExprId>>,
    /// What is returned of them, per unit.
    pub from_words: Vec<HashSet<ExprId>>,
}

impl Pieces {
    pub fn none(p: &Program) -> Pieces {
        Pieces {
            returned: vec![HashSet::new(); p.units.len()],
            from_words: vec![HashSet::new(); p.units.len()],
            counted: vec![Vec::new(); p.units.len()],
            texts: vec![HashSet::new(); p.units.len()],
            links: vec![Vec::new(); p.units.len()],
            ..Pieces::default()
        }
    }
}

pub fn find(p: &Program, graph: &CallGraph, flows: &[PointerFlow]) -> Pieces {
    let mut all = Pieces::none(p);
    let mut heads: HashMap<PointerPlace, QualType> = HashMap::new();
    for f in p.ids() {
        let unit = p.fns[f.index()].0;
        let (u, func) = (p.unit(f), p.func(f));
        // A `malloc` of the program's own has no callers that could say anything.
        let own = pc3_libc::is_own(&u.path) || allocator(p.name(f)).is_some();
        if own || func.variadic || !untyped(u, func.ret) {
            continue;
        }
        let one = ArenaFunction {
            flow: &flows[unit],
            u,
            func,
            deeds: deeds(u, func),
        };
        if graph.reaches[f.index()] {
            all.late.extend(one.deals(&mut HashMap::new()).map(|_| f));
            continue;
        }
        if one.words(&mut all.words) {
            all.from_words[unit].extend(one.deeds.returns.iter().copied());
        }
        if let Some((places, sizes)) = one.deals(&mut heads) {
            all.places.extend(places);
            let by_count = one.deeds.returns.iter().filter(|e| one.is_multiple(**e));
            all.counted[unit].extend(by_count.copied());
            let returns = &one.deeds.returns;
            let texts = returns.iter().filter(|e| one.is_of_text(**e));
            all.texts[unit].extend(texts.copied());
            all.returned[unit].extend(returns.iter().copied());
            if let (true, Some(step)) = (sizes.is_empty(), one.step(&all.places)) {
                all.steps.insert(f, step);
            }
            all.dealers.insert(f, sizes);
        }
    }
    if !all.dealers.is_empty() {
        for (unit, flow) in flows.iter().enumerate() {
            if !pc3_libc::is_own(&flow.u.path) {
                links(flow, &heads, &mut all.links[unit]);
                let based = |p: &PointerPlace| all.places.contains(p) && !heads.contains_key(p);
                let own = all.dealers.keys().filter(|f| p.fns[f.index()].0 == unit);
                let own: Vec<&Span> = own.map(|f| &p.func(*f).span).collect();
                let mut found = Vec::new();
                walks(flow, &based, &mut found);
                let inside = |e: &ExprId| {
                    let start = flow.u.expr(*e).span.start;
                    own.iter().any(|s| s.contains(&start))
                };
                found.retain(|e| !inside(e));
                all.counted[unit].extend(found);
            }
        }
    }
    all
}

fn is_void(u: &Unit, q: QualType) -> bool {
    matches!(u.ty(q.ty), Type::Pointer(t) if matches!(u.ty(t.ty), Type::Void))
}

fn is_text(u: &Unit, q: QualType) -> bool {
    element(u, q).is_some_and(|t| is_char(u, t))
}

fn untyped(u: &Unit, q: QualType) -> bool {
    is_void(u, q) || matches!(u.ty(q.ty), Type::Pointer(_)) && is_text(u, q)
}
