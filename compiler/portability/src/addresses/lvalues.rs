//! Which places lvalues are.

use super::arrays::Arrays;
use super::flow::Cx;
use super::kinds::{is_address, is_number};
use super::place::{named, part, NumberPlace};
use pc3_program::initialiser;
use pc3_syntax::tree::*;
use std::collections::HashMap;

/// Where an lvalue of a number lies.
pub(super) fn places(cx: &Cx, e: ExprId) -> Vec<NumberPlace> {
    let u = cx.u;
    let Type::Int(kind) = u.ty(u.expr(e).ty.ty) else {
        return Vec::new();
    };
    if let Some(place) = named(cx.unit, u, e) {
        return vec![place];
    }
    match &u.expr(e).kind {
        ExprKind::Member { .. } => vec![NumberPlace::Memory(*kind)],
        ExprKind::Index { base, .. } | ExprKind::Deref(base) => {
            let known = holder(cx, *base).filter(|x| cx.known.contains(x));
            if let Some(known) = known {
                return vec![known];
            }
            let element = cx.arrays.element(cx.unit, u, e);
            element
                .into_iter()
                .chain([NumberPlace::Memory(*kind)])
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Elements of known arrays that have initialisers.
pub(super) fn parts(unit: usize, u: &Unit, arrays: &Arrays) -> HashMap<ExprId, NumberPlace> {
    let mut all = HashMap::new();
    for (s, ty, init) in initialiser::all(u) {
        if matches!(init, Init::Expr(_)) {
            continue;
        }
        for leaf in initialiser::leaves(u, ty, init) {
            let variable = || Some(NumberPlace::variable(unit, u, s?));
            let holder = part(unit, u, ty, &leaf.path).or_else(variable);
            let number = is_number(u, leaf.ty.ty);
            let elements = holder.filter(|_| number).and_then(|x| arrays.own(&x));
            all.extend(elements.map(|x| (leaf.expr, x)));
        }
    }
    all
}

/// The variable or member by which memory is reached.
fn holder(cx: &Cx, e: ExprId) -> Option<NumberPlace> {
    let u = cx.u;
    match &u.expr(e).kind {
        ExprKind::Ident(s) => Some(NumberPlace::variable(cx.unit, u, *s)),
        ExprKind::Member { .. } => named(cx.unit, u, e),
        ExprKind::Index { base, .. }
        | ExprKind::Deref(base)
        | ExprKind::Unary { arg: base, .. }
        | ExprKind::Cast { arg: base, .. } => holder(cx, *base),
        ExprKind::Binary { lhs, rhs, .. } => {
            let pointer = |e: &ExprId| is_address(u, u.expr(*e).ty.ty);
            holder(cx, if pointer(lhs) { *lhs } else { *rhs })
        }
        _ => None,
    }
}
