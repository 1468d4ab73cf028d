//! Objects of static storage by their initialisers, and those without a name in them.

use crate::walk::{init_exprs, visit, Node};
use pc3_syntax::tree::*;
use std::collections::HashMap;

pub fn is_static_object(s: &Symbol) -> bool {
    s.kind == SymKind::Var && (s.is_global || s.storage == Storage::Static)
}

/// Initialisers of objects of static storage.
pub fn static_initialisers(u: &Unit) -> Vec<(SymId, &Init)> {
    let mut list = Vec::new();
    let mut groups: Vec<&DeclGroup> = Vec::new();
    for item in &u.items {
        if let TopItem::Decl(d) = item {
            groups.push(d);
        }
    }
    for s in &u.stmts {
        if let StmtKind::Decl(d) = &s.kind {
            groups.push(d);
        }
    }
    for d in groups {
        for v in &d.vars {
            if let (Some(i), true) = (&v.init, is_static_object(u.sym(v.sym))) {
                list.push((v.sym, i));
            }
        }
    }
    list
}

/// Compound literals in them whose address is meant: under `&`, or arrays.
pub fn unnamed(u: &Unit) -> HashMap<ExprId, String> {
    let mut list: Vec<ExprId> = Vec::new();
    for (s, init) in static_initialisers(u) {
        init_exprs(init, &mut |e| {
            visit(u, Node::Expr(e), &mut |n| {
                if let Node::Expr(x) = n {
                    list.extend(place(u, x));
                    let decays = matches!(u.ty(u.expr(x).ty.ty), Type::Array { .. });
                    let own = matches!(init, Init::Expr(e) if *e == x)
                        && matches!(u.ty(u.sym(s).ty.ty), Type::Array { .. });
                    if decays && !own && is_literal(u, x) {
                        list.push(x);
                    }
                }
                true
            });
        });
    }
    list.sort();
    list.dedup();
    list.into_iter()
        .enumerate()
        .map(|(i, e)| (e, format!("pc3_object_{}", i + 1)))
        .collect()
}

fn is_literal(u: &Unit, e: ExprId) -> bool {
    matches!(u.expr(e).kind, ExprKind::CompoundLit { .. })
}

/// The literal that `&literal`, `&literal.m`, `&literal[1]` are about.
fn place(u: &Unit, e: ExprId) -> Option<ExprId> {
    let ExprKind::AddrOf(mut x) = u.expr(e).kind else {
        return None;
    };
    loop {
        x = match &u.expr(x).kind {
            ExprKind::CompoundLit { .. } => return Some(x),
            ExprKind::Member {
                base, arrow: false, ..
            }
            | ExprKind::Index { base, .. } => *base,
            _ => return None,
        };
    }
}
