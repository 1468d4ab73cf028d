//! Where a program puts addresses among numbers, by a cast of where these lie: `*(struct real **)handle = r`, by a view
//! with pointers in it, or as bytes. Types do not say so; a restart that finds an address among numbers on the stack asks.

use crate::rewrite::globals::has_pointer;
use pc3_portability::heap::called_name;
use pc3_program::walk::strip_casts;
use pc3_syntax::tree::*;
use pc3_typemetric::descriptor::{STORED, STORED_IN_TEXT};
use std::collections::HashSet;

/// The places, and what the memory there is by its type.
pub fn find(u: &Unit) -> Vec<(ExprId, &'static str)> {
    let mut out = Vec::new();
    let stores: HashSet<ExprId> = u.exprs.iter().filter_map(|x| stored(u, x)).collect();
    for (e, x) in u.exprs.iter().enumerate() {
        let e = ExprId(e as u32);
        let (to, from, direct) = match &x.kind {
            ExprKind::Cast { to, arg } => (behind(u, *to), *arg, stores.contains(&e)),
            ExprKind::Call { args, .. } => match (called_name(u, e), &args[..]) {
                (Some("memcpy" | "memmove"), [to, from, ..]) => {
                    (behind(u, u.expr(strip_casts(u, *from)).ty), *to, true)
                }
                _ => continue,
            },
            _ => continue,
        };
        let was = behind(u, u.expr(strip_casts(u, from)).ty);
        let (Some(to), Some(was)) = (to, was) else {
            continue;
        };
        if u.lines.is_system(x.span.start) || !has_pointer(u, to) || has_pointer(u, was) {
            continue;
        }
        match innermost(u, was) {
            Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar) => {
                out.extend(direct.then_some((e, STORED_IN_TEXT)))
            }
            Type::Void => out.extend(direct.then_some((e, STORED))),
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
