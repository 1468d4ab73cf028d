//! Members that the program stores in.

use super::{behind, key, record};
use crate::heap::types::library_name;
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

/// By the struct's name; `*` is all of it.
pub type Stored = HashMap<String, HashSet<String>>;

/// Adds what the unit stores in, or takes the address of.
pub fn stores(unit: usize, u: &Unit, out: &mut Stored) {
    for x in &u.exprs {
        match &x.kind {
            ExprKind::Assign { lhs, .. } => place(unit, u, *lhs, out),
            ExprKind::AddrOf(e)
            | ExprKind::Unary {
                op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                arg: e,
            } if !is_struct_of_row(u, *e) => place(unit, u, *e, out),
            ExprKind::Call { callee, args } => {
                let name = library_name(u, *callee).unwrap_or("");
                let to = ["memcpy", "memmove", "fread"].contains(&name);
                let mut to = args.first().copied().filter(|_| to);
                while let Some(e) = to {
                    if let Some(t) = behind(u, u.expr(e).ty) {
                        whole(unit, u, t, out);
                    }
                    to = match u.expr(e).kind {
                        ExprKind::Cast { arg, .. } => Some(arg),
                        _ => None,
                    };
                }
            }
            // An array of it goes somewhere.
            ExprKind::Member { .. } if matches!(u.ty(x.ty.ty), Type::Array { .. }) => {
                member(unit, u, x, out);
            }
            _ => {}
        }
    }
}

/// `&p[i]` is only an address.
fn is_struct_of_row(u: &Unit, e: ExprId) -> bool {
    let row = matches!(u.expr(e).kind, ExprKind::Deref(_) | ExprKind::Index { .. });
    row && record(u, u.expr(e).ty.ty).is_some()
}

fn whole(unit: usize, u: &Unit, t: TypeId, out: &mut Stored) {
    if record(u, t).is_some() {
        let all = out.entry(key(unit, u, t)).or_default();
        all.insert("*".into());
    }
}

fn place(unit: usize, u: &Unit, e: ExprId, out: &mut Stored) {
    let x = u.expr(e);
    match &x.kind {
        ExprKind::Deref(_) => whole(unit, u, x.ty.ty, out),
        ExprKind::Index { base, .. } => {
            whole(unit, u, x.ty.ty, out);
            if matches!(u.ty(u.expr(*base).ty.ty), Type::Array { .. }) {
                place(unit, u, *base, out);
            }
        }
        ExprKind::Member { .. } => member(unit, u, x, out),
        _ => {}
    }
}

fn member(unit: usize, u: &Unit, x: &Expr, out: &mut Stored) {
    let ExprKind::Member { base, arrow, name } = &x.kind else {
        return;
    };
    let q = u.expr(*base).ty;
    let t = match u.ty(q.ty) {
        Type::Pointer(to) if *arrow => to.ty,
        Type::Array { elem, .. } if *arrow => elem.ty,
        _ => q.ty,
    };
    let all = out.entry(key(unit, u, t)).or_default();
    all.insert(name.clone());
    if !arrow {
        place(unit, u, *base, out);
    }
}
