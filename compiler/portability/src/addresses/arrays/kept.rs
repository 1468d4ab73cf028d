//! Which known elements matter behind a checkpoint.

use super::{address, Arrays, Holder};
use crate::addresses::NumberPlace;
use pc3_program::callgraph::CallGraph;
use pc3_program::cfg;
use pc3_program::parents::{parents, Parent, Parents};
use pc3_program::points;
use pc3_program::program::{Callee, Program};
use pc3_program::walk::{visit, Node};
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

/// `saved(unit, f, s)`: is the local `s` of function `f` part of a checkpoint?
pub type Saved<'a> = &'a dyn Fn(usize, FuncId, SymId) -> bool;

impl Arrays {
    /// Does a checkpoint have the elements, and does the program read them behind it?
    pub fn kept(
        &self,
        p: &Program,
        graph: &CallGraph,
        elements: &NumberPlace,
        saved: Saved,
    ) -> bool {
        let Some(class) = self.class(elements) else {
            return false;
        };
        // Of other owners' elements nothing is asked.
        let meant = |h: &Holder| {
            let other = class.owners.contains(&h.place);
            class.mixed || !other || class.owner(&h.place) == owner(elements)
        };
        let array = class
            .holders
            .iter()
            .any(|h| h.array && owner(elements) == Some(&h.place));
        let has = |h: &Holder| {
            (h.array || !array && !class.blocks.is_empty())
                && match h.local(p) {
                    Some((unit, f, s)) => saved(unit, f, s),
                    None => !h.constant,
                }
        };
        let reads = |h: &Holder| match h.local(p) {
            Some((unit, f, s)) => read_behind(p, graph, (unit, f, s)),
            None => true,
        };
        let all = || class.holders.iter().filter(|h| meant(h));
        all().any(has) && all().any(reads)
    }
}

fn owner(elements: &NumberPlace) -> Option<&NumberPlace> {
    match elements {
        NumberPlace::Elements(of) => Some(of),
        _ => None,
    }
}

/// Are the elements to which a local variable leads read behind a point?
fn read_behind(p: &Program, graph: &CallGraph, (unit, f, s): (usize, FuncId, SymId)) -> bool {
    let (u, func) = (&p.units[unit], p.units[unit].func(f));
    let points = points::analyse(p, graph, p.id(unit, f), false);
    if points.is_empty() {
        return false;
    }
    let reads = reads(p, unit, func, s);
    let flow = cfg::build(u, func);
    let bit = flow.index.get(&s).copied();
    let names = |e: &ExprId| {
        let mut found = false;
        visit(u, Node::Expr(*e), &mut |n| {
            found |= matches!(n, Node::Expr(x) if reads.contains(&x));
            !found
        });
        found
    };
    let whole = length(u, s).filter(|n| (1..=64).contains(n));
    let all = whole.map_or(u64::MAX, |n| u64::MAX >> (64 - n));
    let stored = |node: &cfg::CfgNode| {
        let each = node.exprs.iter().map(|e| stores(u, s, *e));
        each.fold(0, |a, b| a | b)
    };
    // Nodes, with the elements that have got other values on all ways there.
    let mut todo: Vec<(usize, u64)> = Vec::new();
    for node in &flow.nodes {
        let within = node.exprs.iter().any(|e| points.in_expr(*e));
        if within && node.exprs.iter().any(names) {
            return true;
        }
        if within || node.location.is_some_and(|l| points.in_stmt(l)) {
            todo.extend(node.succ.iter().chain(&node.again).map(|n| (*n, 0)));
        }
    }
    let mut seen: HashMap<usize, u64> = HashMap::new();
    while let Some((n, anew)) = todo.pop() {
        let before = seen.get(&n).copied();
        let anew = before.map_or(anew, |b| b & anew);
        if before == Some(anew) {
            continue;
        }
        seen.insert(n, anew);
        let node = &flow.nodes[n];
        if anew & all == all && whole.is_some() {
            continue;
        }
        if node.exprs.iter().any(names) {
            return true;
        }
        if !bit.is_some_and(|b| node.kills.contains(b)) {
            let anew = anew | stored(node);
            todo.extend(node.succ.iter().chain(&node.again).map(|n| (*n, anew)));
        }
    }
    false
}

/// Of an array of numbers.
fn length(u: &Unit, s: SymId) -> Option<u64> {
    match u.ty(u.sym(s).ty.ty) {
        Type::Array {
            elem,
            len: ArrayLen::Const(n),
        } => matches!(u.ty(elem.ty), Type::Int(_)).then_some(*n),
        _ => None,
    }
}

/// The element that a full expression surely gives another value, as a bit.
fn stores(u: &Unit, s: SymId, e: ExprId) -> u64 {
    let ExprKind::Assign { op: None, lhs, .. } = u.expr(e).kind else {
        return 0;
    };
    let ExprKind::Index { base, index } = u.expr(lhs).kind else {
        return 0;
    };
    let own = matches!(u.expr(base).kind, ExprKind::Ident(x) if x == s);
    let at = u.view().eval(index).filter(|n| own && (0..64).contains(n));
    at.map_or(0, |n| 1 << n)
}

/// Where a variable stands for what it leads to: neither gets another value, nor elements theirs, nor is given back.
fn reads(p: &Program, unit: usize, f: &Function, s: SymId) -> HashSet<ExprId> {
    let u = &p.units[unit];
    let above: Parents = parents(u);
    let up = |e: ExprId| match above.get(&e) {
        Some(Parent::Expr(up)) => Some(*up),
        _ => None,
    };
    let assigned = |e: ExprId| {
        let up = up(e).map(|x| &u.expr(x).kind);
        matches!(up, Some(ExprKind::Assign { op: None, lhs, .. }) if *lhs == e)
    };
    let stored = |mut e: ExprId| loop {
        let Some(x) = up(e) else { return false };
        match u.expr(x).kind {
            ExprKind::Index { base, index } if address(u, base, index) == e => {}
            ExprKind::Deref(_) => {}
            _ => return false,
        }
        if assigned(x) {
            return true;
        }
        e = x;
    };
    let freed = |mut e: ExprId| loop {
        let Some(x) = up(e) else { return false };
        match &u.expr(x).kind {
            ExprKind::Cast { .. } => e = x,
            ExprKind::Call { callee, .. } => {
                return matches!(
                    p.direct(unit, *callee),
                    Some((_, Callee::External(name))) if name == "free"
                )
            }
            _ => return false,
        }
    };
    let mut all = HashSet::new();
    visit(u, Node::Stmt(f.body), &mut |n| {
        if let Node::Expr(e) = n {
            let named = matches!(u.expr(e).kind, ExprKind::Ident(x) if x == s);
            if named && !assigned(e) && !stored(e) && !freed(e) {
                all.insert(e);
            }
        }
        true
    });
    all
}
