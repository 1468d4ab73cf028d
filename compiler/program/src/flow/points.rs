//! The points of each instrumented function: locations and calls that can reach one, labelled
//! from 1 in source order (operands before the call they belong to).
//!
//! A call in tail position whose result is the function's own is no point: after it nothing of the
//! frame is needed, so the frame may as well be gone, as after a tail call.

use crate::callgraph::CallGraph;
use crate::program::{Callee, FnId, Program};
use crate::walk::{children, Node};
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PointAt {
    Call(ExprId),
    Location(StmtId),
    /// A call of `setjmp`: nothing is saved there, but a resumed function can be entered there.
    Jump(ExprId),
}

#[derive(Clone, Debug)]
pub struct Point {
    pub label: u32,
    pub at: PointAt,
    pub span: Span,
    pub what: String,
}

/// First and last label inside a node: labels of a subtree are contiguous.
pub type Range = (u32, u32);

#[derive(Default)]
pub struct Points {
    pub list: Vec<Point>,
    pub exprs: HashMap<ExprId, Range>,
    pub stmts: HashMap<StmtId, Range>,
    pub calls: HashMap<ExprId, u32>,
    /// Some call that can reach a location is a tail call and so no point.
    pub tails: bool,
}

impl Points {
    pub fn in_expr(&self, e: ExprId) -> bool {
        self.exprs.contains_key(&e)
    }
    pub fn in_stmt(&self, s: StmtId) -> bool {
        self.stmts.contains_key(&s)
    }
    pub fn in_init(&self, i: &Init) -> bool {
        let mut any = false;
        crate::walk::init_exprs(i, &mut |e| any |= self.in_expr(e));
        any
    }
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// `frame_free`: nothing has to happen in `f` after a tail call (no shadow block, no cleanup function).
pub fn analyse(p: &Program, g: &CallGraph, f: FnId, frame_free: bool) -> Points {
    let mut points = Points::default();
    if !g.reaches[f.index()] {
        return points;
    }
    let u = p.unit(f);
    let mut tails = HashSet::new();
    // A jump to this frame must find it.
    let jumps = jumps(p, f);
    if frame_free && p.name(f) != "main" && jumps.is_empty() {
        tail_calls(u, p.func(f), p.func(f).body, &mut tails);
    }
    let calls = g.calls[f.index()]
        .iter()
        .filter(|c| g.is_point(c) && !tails.contains(&c.expr))
        .map(|c| c.expr)
        .collect();
    points.tails = g.calls[f.index()]
        .iter()
        .any(|c| g.is_point(c) && tails.contains(&c.expr));
    let unit = p.fns[f.index()].0;
    let called = |e: &ExprId| match &u.expr(*e).kind {
        ExprKind::Call { callee, .. } => match (p.direct(unit, *callee), &u.expr(*callee).kind) {
            (Some((_, Callee::Defined(t))), ExprKind::Ident(_)) => {
                Some((*e, p.name(t).to_string()))
            }
            _ => None,
        },
        _ => None,
    };
    let calls: HashSet<ExprId> = calls;
    let mut found = Found {
        names: calls.iter().filter_map(called).collect(),
        calls,
        jumps: HashSet::new(),
        muted: g.muted[f.index()],
    };
    let body = Node::Stmt(p.func(f).body);
    number(u, body, &found, &mut points);
    if !jumps.is_empty() && !points.is_empty() {
        found.jumps = jumps;
        let tails = points.tails;
        points = Points {
            tails,
            ..Points::default()
        };
        number(u, body, &found, &mut points);
    }
    points
}

/// Calls of `setjmp` in a function.
fn jumps(p: &Program, f: FnId) -> HashSet<ExprId> {
    let (u, unit) = (p.unit(f), p.fns[f.index()].0);
    let mut set = HashSet::new();
    crate::walk::visit(u, Node::Stmt(p.func(f).body), &mut |n| {
        if let Node::Expr(e) = n {
            if let ExprKind::Call { callee, .. } = &u.expr(e).kind {
                if let Some((_, Callee::External(name))) = p.direct(unit, *callee) {
                    if crate::tables::is_jump_target(&name) {
                        set.insert(e);
                    }
                }
            }
        }
        true
    });
    set
}

/// What points are made of: found before they are numbered.
struct Found {
    calls: HashSet<ExprId>,
    /// What they call, by the name of its definition.
    names: HashMap<ExprId, String>,
    jumps: HashSet<ExprId>,
    muted: bool,
}

fn number(u: &Unit, n: Node, found: &Found, out: &mut Points) {
    let first = out.list.len() as u32 + 1;
    let mut list = Vec::new();
    children(u, n, &mut |c| list.push(c));
    for c in list {
        number(u, c, found, out);
    }
    let label = out.list.len() as u32 + 1;
    match n {
        Node::Expr(e) if found.jumps.contains(&e) => {
            out.calls.insert(e, label);
            out.list.push(Point {
                label,
                at: PointAt::Jump(e),
                span: u.expr(e).span.clone(),
                what: "setjmp".into(),
            });
        }
        Node::Expr(e) if found.calls.contains(&e) => {
            let what = found.names.get(&e).cloned().unwrap_or("(*)".into());
            out.calls.insert(e, label);
            out.list.push(Point {
                label,
                at: PointAt::Call(e),
                span: u.expr(e).span.clone(),
                what,
            });
        }
        Node::Stmt(s) if !found.muted && matches!(u.stmt(s).kind, StmtKind::Checkpoint) => {
            out.list.push(Point {
                label,
                at: PointAt::Location(s),
                span: u.stmt(s).span.clone(),
                what: "checkpoint".into(),
            });
        }
        _ => {}
    }
    let last = out.list.len() as u32;
    if last >= first {
        match n {
            Node::Expr(e) => out.exprs.insert(e, (first, last)),
            Node::Stmt(s) => out.stmts.insert(s, (first, last)),
        };
    }
}

/// Calls after which the function only returns what they returned.
fn tail_calls(u: &Unit, f: &Function, s: StmtId, out: &mut HashSet<ExprId>) {
    let is_void = matches!(u.ty(f.ret.ty), Type::Void);
    crate::walk::visit(u, Node::Stmt(s), &mut |n| {
        if let Node::Stmt(s) = n {
            if let StmtKind::Return(Some(e)) = u.stmt(s).kind {
                if matches!(u.expr(e).kind, ExprKind::Call { .. }) && u.expr(e).ty.ty == f.ret.ty {
                    out.insert(e);
                }
            }
            true
        } else {
            // Statement expressions end in values, not in the function.
            false
        }
    });
    if is_void {
        last_calls(u, s, out);
    }
}

fn last_calls(u: &Unit, s: StmtId, out: &mut HashSet<ExprId>) {
    match &u.stmt(s).kind {
        StmtKind::Expr(Some(e))
            if matches!(u.expr(*e).kind, ExprKind::Call { .. })
                && matches!(u.ty(u.expr(*e).ty.ty), Type::Void) =>
        {
            out.insert(*e);
        }
        StmtKind::Block(list) => {
            if let Some(last) = list.last() {
                last_calls(u, *last, out);
            }
        }
        StmtKind::If { then, els, .. } => {
            last_calls(u, *then, out);
            els.iter().for_each(|e| last_calls(u, *e, out));
        }
        StmtKind::Label { stmt, .. } => last_calls(u, *stmt, out),
        _ => {}
    }
}
