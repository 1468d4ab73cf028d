//! Addresses kept as numbers: a restart translates pointers, not integers.

use super::program::Program;
use super::walk::expr_children;
use super::walk::Node;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::tree::*;
use std::collections::HashMap;

/// `saved(f, s)`: is the local `s` of function `f` part of a checkpoint?
pub fn check(p: &Program, saved: &dyn Fn(usize, FuncId, SymId) -> bool, out: &mut Diagnostics) {
    let back = p.units.iter().any(becomes_pointer);
    for (i, u) in p.units.iter().enumerate() {
        let parents = parents(u);
        for (k, e) in u.exprs.iter().enumerate() {
            let ExprKind::Cast { arg, .. } = e.kind else {
                continue;
            };
            let number = matches!(u.ty(e.ty.ty), Type::Int(_));
            let pointer = matches!(
                u.ty(u.expr(arg).ty.ty),
                Type::Pointer(_) | Type::Array { .. }
            );
            if !number || !pointer || u.lines.is_system(e.span.start) {
                continue;
            }
            if !kept(i, u, &parents, ExprId(k as u32), saved) {
                continue;
            }
            let help = "keep it in a pointer";
            out.push(if back {
                Diagnostic::refusal(u, &e.span, Code::PointerAsNumber, "an address is kept in an integer and could become a pointer again: after a restart it would point nowhere", help)
            } else {
                Diagnostic::advice(u, &e.span, Code::AddressAsNumber, "an address is kept as a number: after a restart the object is elsewhere and the number is not", help)
            });
        }
    }
}

/// Does the unit make pointers of numbers that are no constants?
fn becomes_pointer(u: &Unit) -> bool {
    u.exprs.iter().any(|e| match e.kind {
        ExprKind::Cast { arg, .. } => {
            matches!(u.ty(e.ty.ty), Type::Pointer(_))
                && matches!(u.ty(u.expr(arg).ty.ty), Type::Int(_))
                && !matches!(u.expr(arg).kind, ExprKind::Int(_) | ExprKind::Unary { .. })
                && !u.lines.is_system(e.span.start)
        }
        _ => false,
    })
}

enum Parent {
    Expr(ExprId),
    Variable(SymId),
}

fn parents(u: &Unit) -> HashMap<ExprId, Parent> {
    let mut map = HashMap::new();
    for k in 0..u.exprs.len() {
        let e = ExprId(k as u32);
        expr_children(u, e, &mut |n| {
            if let Node::Expr(c) = n {
                map.insert(c, Parent::Expr(e));
            }
        });
    }
    let mut declared = |d: &DeclGroup| {
        for v in &d.vars {
            if let Some(init) = &v.init {
                super::walk::init_exprs(init, &mut |e| {
                    map.insert(e, Parent::Variable(v.sym));
                });
            }
        }
    };
    for f in &u.functions {
        super::walk::visit_decls(u, Node::Stmt(f.body), &mut |d, _| declared(d));
    }
    for item in &u.items {
        if let TopItem::Decl(d) = item {
            declared(d);
        }
    }
    map
}

/// Does the value of `e`, as a number, come into something that a checkpoint holds?
fn kept(
    unit: usize,
    u: &Unit,
    parents: &HashMap<ExprId, Parent>,
    e: ExprId,
    saved: &dyn Fn(usize, FuncId, SymId) -> bool,
) -> bool {
    let variable = |s: SymId| match u.sym(s).func {
        Some(f) if super::program::is_local(u.sym(s)) => saved(unit, f, s),
        _ => true,
    };
    let mut e = e;
    loop {
        let up = match parents.get(&e) {
            None => return false,
            Some(Parent::Variable(s)) => return variable(*s),
            Some(Parent::Expr(up)) => *up,
        };
        match &u.expr(up).kind {
            ExprKind::Assign { lhs, rhs, .. } if *rhs == e => {
                return match &u.expr(*lhs).kind {
                    ExprKind::Ident(s) => variable(*s),
                    _ => true,
                }
            }
            ExprKind::Cast { .. } if matches!(u.ty(u.expr(up).ty.ty), Type::Int(_)) => e = up,
            ExprKind::Binary { op, lhs, rhs } => {
                let other = if *lhs == e { *rhs } else { *lhs };
                let number = |x: ExprId| match u.expr(x).kind {
                    ExprKind::Int(n) => Some(n),
                    _ => None,
                };
                match op {
                    // Differences and alignments mean the same everywhere.
                    BinOp::Sub if from_pointer(u, other) => return false,
                    BinOp::And if number(other).is_some_and(|n| (0..4096).contains(&n)) => {
                        return false
                    }
                    BinOp::Rem if number(other).is_some_and(|n| (0..4096).contains(&n)) => {
                        return false
                    }
                    BinOp::Lt
                    | BinOp::Gt
                    | BinOp::Le
                    | BinOp::Ge
                    | BinOp::Eq
                    | BinOp::Ne
                    | BinOp::LogAnd
                    | BinOp::LogOr => return false,
                    _ => e = up,
                }
            }
            ExprKind::Unary { op, .. } if *op != UnOp::Not => e = up,
            ExprKind::Cond { cond, .. } if *cond != e => e = up,
            ExprKind::Comma(list) if list.last() == Some(&e) => e = up,
            _ => return false,
        }
    }
}

fn from_pointer(u: &Unit, e: ExprId) -> bool {
    match u.expr(e).kind {
        ExprKind::Cast { arg, .. } => {
            matches!(
                u.ty(u.expr(arg).ty.ty),
                Type::Pointer(_) | Type::Array { .. }
            ) || from_pointer(u, arg)
        }
        _ => false,
    }
}
