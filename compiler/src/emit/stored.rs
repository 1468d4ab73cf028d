//! Where a program puts addresses among numbers, by a cast of where these lie: `*(struct real **)handle = r`, or by a view
//! with pointers in it. Types do not say so; a restart that finds an address among numbers on the stack asks.

use crate::analysis::walk::strip_casts;
use crate::rewrite::globals::has_pointer;
use crate::tree::*;
use pc3_typemetric::descriptor::{STORED, STORED_IN_TEXT};
use std::collections::HashSet;

/// The casts, and what the memory is by its type.
pub fn find(u: &Unit) -> Vec<(ExprId, &'static str)> {
    let mut out = Vec::new();
    let stores: HashSet<ExprId> = u.exprs.iter().filter_map(|x| stored(u, x)).collect();
    for (e, x) in u.exprs.iter().enumerate() {
        let (e, ExprKind::Cast { to, arg }) = (ExprId(e as u32), &x.kind) else {
            continue;
        };
        let (Type::Pointer(to), Some(from)) =
            (u.ty(to.ty), behind(u, u.expr(strip_casts(u, *arg)).ty))
        else {
            continue;
        };
        if u.lines.is_system(x.span.start) || !has_pointer(u, to.ty) || has_pointer(u, from) {
            continue;
        }
        match innermost(u, from) {
            Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar) if stores.contains(&e) => {
                out.push((e, STORED_IN_TEXT))
            }
            Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar) | Type::Void => {}
            Type::Int(_) | Type::Float(_) | Type::Record(_) => out.push((e, STORED)),
            _ => {}
        }
    }
    out
}

/// The pointer through which an expression stores.
fn stored(u: &Unit, x: &Expr) -> Option<ExprId> {
    let ExprKind::Assign { lhs, .. } = x.kind else {
        return None;
    };
    match u.expr(lhs).kind {
        ExprKind::Deref(p) => Some(p),
        ExprKind::Index { base, .. } => Some(base),
        _ => None,
    }
}

fn behind(u: &Unit, q: QualType) -> Option<TypeId> {
    match u.ty(q.ty) {
        Type::Pointer(to) => Some(to.ty),
        Type::Array { elem, .. } => Some(elem.ty),
        _ => None,
    }
}

fn innermost(u: &Unit, mut t: TypeId) -> &Type {
    while let Type::Array { elem, .. } = u.ty(t) {
        t = elem.ty;
    }
    u.ty(t)
}
