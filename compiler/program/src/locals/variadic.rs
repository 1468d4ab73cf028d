//! Variable arguments that are needed after a point.
//!
//! A function that reads its arguments behind a point, or hands its list to a function with points, reads them
//! from memory that its callers keep in their frames: its calls are *packed*.

use crate::callgraph::CallGraph;
use crate::cfg::{self, Cfg};
use crate::groups::GroupId;
use crate::liveness;
use crate::points;
use crate::program::{FnId, Program};
use crate::walk::{visit, Node};
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

#[derive(Default)]
pub struct Variadic {
    /// Functions that read packed arguments.
    pub packed: HashSet<FnId>,
    /// Their calls, per caller, in source order.
    pub calls: HashMap<FnId, Vec<ExprId>>,
}

pub fn analyse(p: &Program, g: &CallGraph) -> Variadic {
    let packed = p
        .ids()
        .filter(|f| g.reaches[f.index()] && needs_memory(p, g, *f))
        .collect();
    let mut r = Variadic {
        packed,
        ..Variadic::default()
    };
    let groups = r.packed.iter().flat_map(|f| g.groups.of(*f));
    let groups: HashSet<GroupId> = groups.copied().collect();
    for f in p.ids() {
        let sites = g.calls[f.index()].iter();
        let packed = sites.filter(|c| groups.contains(&c.to));
        let list: Vec<ExprId> = packed.map(|c| c.expr).collect();
        if !list.is_empty() {
            r.calls.insert(f, list);
        }
    }
    r
}

fn needs_memory(p: &Program, g: &CallGraph, f: FnId) -> bool {
    let (u, func) = (p.unit(f), p.func(f));
    if !func.variadic || !starts(u, Node::Stmt(func.body)) {
        return false;
    }
    let handed = g.calls[f.index()].iter().filter(|c| g.is_point(c)).any(|c| {
        matches!(&u.expr(c.expr).kind, ExprKind::Call { args, .. } if args.iter().any(|a| is_list(u, *a)))
    });
    if handed || is_lent(u, func) && !points::analyse(p, g, f, false).is_empty() {
        return true;
    }
    let points = points::analyse(p, g, f, false);
    let flow = cfg::build(u, func);
    let live = liveness::analyse(&flow);
    let lists: Vec<usize> = (0..flow.vars.len())
        .filter(|i| matches!(u.ty(u.sym(flow.vars[*i]).ty.ty), Type::VaList))
        .collect();
    let across = |b: &crate::bits::Bits| lists.iter().any(|i| b.contains(*i));
    let expr = |e: &ExprId| points.in_expr(*e) && live.after.get(e).is_some_and(across);
    let location = |s: &StmtId| live.after_location.get(s).is_some_and(across);
    let mut nodes = flow.nodes.iter();
    nodes.any(|n| n.exprs.iter().any(expr) || n.location.iter().any(location))
        || starts_behind(u, &flow, &points)
}

/// Is the address of a list taken?
fn is_lent(u: &Unit, func: &Function) -> bool {
    let mut any = false;
    visit(u, Node::Stmt(func.body), &mut |n| {
        if let Node::Expr(e) = n {
            any |= matches!(u.expr(e).kind, ExprKind::AddrOf(of) if is_list(u, of));
        }
        !any
    });
    any
}

/// Can a point lead to `va_start`?
fn starts_behind(u: &Unit, flow: &Cfg, points: &points::Points) -> bool {
    let has_point =
        |n: &cfg::CfgNode| n.exprs.iter().any(|e| points.in_expr(*e)) || n.location.is_some();
    let mut todo: Vec<usize> = Vec::new();
    for n in flow.nodes.iter().filter(|n| has_point(n)) {
        todo.extend(n.succ.iter().chain(&n.again));
    }
    let mut seen = HashSet::new();
    while let Some(n) = todo.pop() {
        if seen.insert(n) {
            let mut exprs = flow.nodes[n].exprs.iter();
            if exprs.any(|e| starts(u, Node::Expr(*e))) {
                return true;
            }
            let node = &flow.nodes[n];
            todo.extend(node.succ.iter().chain(&node.again));
        }
    }
    false
}

pub fn is_start(name: &str) -> bool {
    matches!(
        name,
        "__builtin_va_start" | "__builtin_c23_va_start" | "__builtin_stdarg_start"
    )
}

fn starts(u: &Unit, n: Node) -> bool {
    let mut any = false;
    visit(u, n, &mut |n| {
        if let Node::Expr(e) = n {
            if let ExprKind::Ident(s) = u.expr(e).kind {
                any |= is_start(&u.sym(s).name);
            }
        }
        true
    });
    any
}

pub fn is_list(u: &Unit, e: ExprId) -> bool {
    matches!(u.ty(u.expr(e).ty.ty), Type::VaList)
}
