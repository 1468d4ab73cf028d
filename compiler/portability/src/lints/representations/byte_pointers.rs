//! Pointers to characters that a checkpoint holds and that lead to wider numbers, where the program looks at single bytes
//! through them. A checkpoint moves the numbers, so their bytes lie otherwise where the order of bytes is another. Memory whose type
//! is known by where it goes is `heap::punned`'s: this is of other memory.

use crate::addresses::{named, NumberPlace, Parent};
use crate::heap::one_line;
use crate::lints::bytes::of_number;
use crate::lints::copies::pointed;
use crate::lints::is_user;
use crate::lints::reaches_checkpoint::{Cx, Dependence, OrderDependence};
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics};
use pc3_syntax::tree::*;
use std::collections::HashSet;

pub fn check(cx: &Cx, list: &mut Vec<OrderDependence>, out: &mut Diagnostics) {
    let looked = looked_through(cx);
    let typed = typed_by_casts(cx);
    for (unit, u) in cx.p.units.iter().enumerate() {
        for k in 0..u.exprs.len() {
            let e = ExprId(k as u32);
            let ExprKind::Cast { arg, .. } = u.expr(e).kind else {
                continue;
            };
            if !is_of_bytes(u, e) || !of_number(u, arg) || !is_user(u, e) {
                continue;
            }
            let from = pointer(u, arg);
            let is_array = matches!(u.expr(from).kind, ExprKind::AddrOf(_))
                || matches!(u.ty(u.expr(from).ty.ty), Type::Array { .. });
            let by_void = pointed(u, e).is_none_or(|t| !is_character(u, t));
            let by_cast = || named(unit, u, from).is_some_and(|p| typed.contains(&p));
            if !is_array && !by_void && !by_cast() {
                continue;
            }
            let kept = goes_to(cx, unit, e).filter(|to| is_kept(cx, to) && looked.contains(to));
            if kept.is_none() {
                continue;
            }
            list.push(OrderDependence::of(unit, u, e, Dependence::Bytes));
            let text = one_line(u.slice(&u.expr(e).span));
            out.push(Diagnostic::advice(
                u,
                &u.expr(e).span,
                Code::ByteOrder,
                format!("`{text}` is kept, and single bytes of numbers are looked at through it: a restart where bytes have another order is refused"),
                "give the bytes an array of characters, or use shifts, which mean the same everywhere; PC3_BYTE_ORDER=ignore if nothing depends on it",
            ));
        }
    }
}

/// What is given memory that a call returns, of a type that a cast says.
fn typed_by_casts(cx: &Cx) -> HashSet<NumberPlace> {
    let mut all = HashSet::new();
    for (unit, u) in cx.p.units.iter().enumerate() {
        for (k, x) in u.exprs.iter().enumerate() {
            let ExprKind::Cast { arg, .. } = x.kind else {
                continue;
            };
            let called = matches!(u.expr(arg).kind, ExprKind::Call { .. });
            if called && pointed(u, ExprId(k as u32)).is_some() {
                all.extend(goes_to(cx, unit, ExprId(k as u32)));
            }
        }
    }
    all
}

/// A pointer to characters, or one that becomes another's without a further cast?
fn is_of_bytes(u: &Unit, e: ExprId) -> bool {
    let Type::Pointer(to) = u.ty(u.expr(e).ty.ty) else {
        return false;
    };
    is_character(u, to.ty) || matches!(u.ty(to.ty), Type::Void)
}

fn is_character(u: &Unit, t: TypeId) -> bool {
    matches!(
        u.ty(t),
        Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar)
    )
}

/// The variables and members through which the program reads or writes characters.
fn looked_through(cx: &Cx) -> HashSet<NumberPlace> {
    let mut all = HashSet::new();
    for (unit, u) in cx.p.units.iter().enumerate() {
        for (k, x) in u.exprs.iter().enumerate() {
            let (ExprKind::Index { base, .. } | ExprKind::Deref(base)) = x.kind else {
                continue;
            };
            if is_character(u, x.ty.ty) && !is_address(cx, unit, ExprId(k as u32)) {
                all.extend(named(unit, u, pointer(u, base)));
            }
        }
    }
    all
}

/// `&p[i]` looks at nothing.
fn is_address(cx: &Cx, unit: usize, e: ExprId) -> bool {
    let Some(Parent::Expr(up)) = cx.parent(unit, e) else {
        return false;
    };
    matches!(cx.p.units[unit].expr(up).kind, ExprKind::AddrOf(_))
}

/// The pointer that others are made of by addition.
fn pointer(u: &Unit, mut e: ExprId) -> ExprId {
    loop {
        e = match &u.expr(e).kind {
            ExprKind::Cast { arg, .. } if pointed(u, *arg).is_some() => *arg,
            ExprKind::Unary {
                op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                arg,
            } => *arg,
            ExprKind::Binary {
                op: BinOp::Add | BinOp::Sub,
                lhs,
                rhs,
            } => match pointed(u, *lhs) {
                Some(_) => *lhs,
                None => *rhs,
            },
            _ => return e,
        }
    }
}

/// What the pointer, or another one into the same memory, is assigned to.
fn goes_to(cx: &Cx, unit: usize, mut e: ExprId) -> Option<NumberPlace> {
    let u = &cx.p.units[unit];
    loop {
        let up = match cx.parent(unit, e)? {
            Parent::Variable(s) => return Some(NumberPlace::variable(unit, u, s)),
            Parent::Return(_) => return None,
            Parent::Expr(up) => up,
        };
        match u.expr(up).kind {
            ExprKind::Assign { lhs, rhs, .. } if rhs == e => return named(unit, u, lhs),
            ExprKind::Binary {
                op: BinOp::Add | BinOp::Sub,
                ..
            }
            | ExprKind::Cast { .. }
            | ExprKind::Cond { .. } => e = up,
            _ => return None,
        }
    }
}

fn is_kept(cx: &Cx, place: &NumberPlace) -> bool {
    match place {
        NumberPlace::Variable(unit, s) => cx.is_saved(*unit, *s),
        _ => true,
    }
}
