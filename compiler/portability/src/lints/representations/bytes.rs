//! What the order of bytes gave: a number looked at through characters or another member of its union, where the result is
//! kept; a number some of whose bytes were set.  A checkpoint moves values, so such a one is the source's.

use crate::heap::one_line;
use crate::lints::reaches_checkpoint::{Cx, Dependence, OrderDependence};
use crate::lints::{in_unions, is_user};
use pc3_program::program::is_local;
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics};
use pc3_syntax::tree::*;
use std::collections::HashSet;

pub fn check(cx: &Cx, list: &mut Vec<OrderDependence>, out: &mut Diagnostics) {
    let p = cx.p;
    cx.truth_ends.set(false);
    for (unit, u) in p.units.iter().enumerate() {
        let all = (0..u.exprs.len()).map(|k| ExprId(k as u32));
        let mut places: Vec<(ExprId, Dependence)> = all
            .filter(|e| of_bytes(cx, unit, *e))
            .map(|e| (e, Dependence::Bytes))
            .collect();
        let by = |long| {
            if long {
                Dependence::Long
            } else {
                Dependence::Bytes
            }
        };
        let unions = in_unions::read_as_other_numbers(u);
        places.extend(unions.into_iter().map(|(e, long)| (e, by(long))));
        places.retain(|(e, _)| is_user(u, *e));
        for (e, by) in places {
            let text = one_line(u.slice(&u.expr(e).span));
            let kept = match cx.written(unit, e) {
                Some(written) => written,
                None => cx.goes(unit, e, &mut HashSet::new()),
            };
            if !kept {
                continue;
            }
            list.push(OrderDependence::of(unit, u, e, by));
            out.push(Diagnostic::advice(
                u,
                &u.expr(e).span,
                Code::ByteOrder,
                format!("what `{text}` is depends on the order of bytes, and is kept across a checkpoint: a restart where it is another is refused"),
                "compute it anew where it is used, or use shifts, which mean the same everywhere; PC3_BYTE_ORDER=ignore if nothing depends on it",
            ));
        }
    }
}

pub(in crate::lints) fn called(u: &Unit, e: ExprId) -> Option<&str> {
    let ExprKind::Call { callee, .. } = &u.expr(e).kind else {
        return None;
    };
    let ExprKind::Ident(s) = u.expr(*callee).kind else {
        return None;
    };
    (u.sym(s).kind == SymKind::Func).then_some(u.sym(s).name.as_str())
}

/// A byte of a wider number: `((char *)&x)[i]`, `*(char *)p`, `bytes[i]` where `bytes` is a local that leads to such.
pub(in crate::lints) fn of_bytes(cx: &Cx, unit: usize, e: ExprId) -> bool {
    let u = &cx.p.units[unit];
    let (ExprKind::Index { base, .. } | ExprKind::Deref(base)) = u.expr(e).kind else {
        return false;
    };
    if !matches!(
        u.ty(u.expr(e).ty.ty),
        Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar)
    ) {
        return false;
    }
    let mut base = base;
    loop {
        base = match &u.expr(base).kind {
            ExprKind::Binary {
                op: BinOp::Add | BinOp::Sub,
                lhs,
                rhs,
            } => match u.ty(u.expr(*lhs).ty.ty) {
                Type::Pointer(_) | Type::Array { .. } => *lhs,
                _ => *rhs,
            },
            ExprKind::Cast { arg, .. } => return of_number(u, *arg),
            ExprKind::Ident(s) if is_local(u.sym(*s)) && u.sym(*s).kind == SymKind::Var => {
                let given = cx.values_of(unit, *s);
                // Others may be for characters that are written first.
                let read = matches!(u.ty(u.sym(*s).ty.ty), Type::Pointer(to) if to.is_const);
                let cast = |e: &ExprId| match u.expr(*e).kind {
                    ExprKind::Cast { arg, .. } => of_number(u, arg) && (read || is_one(u, arg)),
                    _ => false,
                };
                return !given.is_empty() && given.iter().all(cast);
            }
            ExprKind::Unary {
                op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                arg,
            } => *arg,
            _ => return false,
        };
    }
}

/// The address of a variable or a member?
fn is_one(u: &Unit, e: ExprId) -> bool {
    match u.expr(e).kind {
        ExprKind::AddrOf(of) => matches!(
            u.expr(of).kind,
            ExprKind::Ident(_) | ExprKind::Member { .. }
        ),
        _ => false,
    }
}

/// Does a pointer lead to numbers wider than characters?
pub(in crate::lints) fn of_number(u: &Unit, pointer: ExprId) -> bool {
    let to = match u.ty(u.expr(pointer).ty.ty) {
        Type::Pointer(q) => q.ty,
        Type::Array { elem, .. } => elem.ty,
        _ => return false,
    };
    width(u, to).is_some_and(|n| n != 8)
}

/// Of a `long`: like nothing else.
pub(in crate::lints) const LONG: u32 = 0;

/// Bits of the numbers that a member consists of.
pub(in crate::lints) fn width(u: &Unit, ty: TypeId) -> Option<u32> {
    match u.ty(ty) {
        Type::Int(IntKind::Long | IntKind::ULong) => Some(LONG),
        Type::Int(k) => Some(u.target.bits(*k)),
        Type::Float(FloatKind::Float) => Some(32),
        Type::Float(FloatKind::Double) => Some(64),
        Type::Array { elem, .. } => width(u, elem.ty),
        _ => None,
    }
}
