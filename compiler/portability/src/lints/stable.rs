//! Numbers made of addresses that may stay what they are where objects move: those that are hashed, or kept and never an address
//! again.  Generated code asks the runtime for them, and an object keeps the number that it had first.
//!
//! A number by which a place in memory is found, or to which memory is aligned, has to be the address itself.

use super::reaches_checkpoint::{Cx, Seen};
use crate::addresses::{is_constant, Kept, KeptAt, NumberPlace, Numbers, Parent, Stays};
use pc3_program::program::Callee;
use pc3_syntax::tree::*;
use std::collections::HashSet;

pub fn classify(cx: &Cx, numbers: &Numbers, kept: &mut Kept) {
    // What becomes a number in another way is compared with these.
    if numbers.seen_otherwise(cx.p) {
        return;
    }
    let known: HashSet<(usize, ExprId)> = kept
        .iter()
        .filter_map(|k| Some((k.unit, k.cast?)))
        .collect();
    // Likewise what is made of addresses elsewhere, and not asked for.
    let units = cx.p.units.iter().enumerate();
    let mut others = units.flat_map(|(unit, u)| {
        let all = (0..u.exprs.len()).map(|k| ExprId(k as u32));
        all.filter(move |e| becomes_number(u, *e))
            .map(move |e| (unit, e))
    });
    if others.any(|(unit, e)| !known.contains(&(unit, e)) && !is_harmless(cx, unit, e)) {
        return;
    }
    let pointer = |k: &KeptAt| {
        let made = k.cast.map(|c| numbers.made(k.unit, c)).unwrap_or_default();
        let to = numbers.reached(made, &|_| true);
        k.hashed.is_none() && to.contains(&&NumberPlace::Pointer)
    };
    let addresses = numbers.are_said() || kept.iter().any(pointer);
    for k in kept {
        let Some(cast) = k.cast else { continue };
        if is_inside(&cx.p.units[k.unit], cast) {
            continue;
        }
        let to = numbers.reached(numbers.made(k.unit, cast), &|_| true);
        if to.contains(&&NumberPlace::Pointer) || numbers.is_said(k.unit, cast) {
            continue;
        }
        let narrow = is_narrow(cx, k.unit, cast);
        k.stays = match k.hashed {
            Some(false) => Stays::No,
            _ if narrow && k.hashed.is_some() => Stays::Everywhere,
            Some(true) => Stays::Alike,
            // It may be compared with what has to be an address.
            None if addresses => Stays::No,
            None if aligns(cx, k.unit, cast, &mut HashSet::new()) => Stays::No,
            None if narrow => Stays::Everywhere,
            None => Stays::Once,
        };
    }
}

/// Does an address become a number here?
fn becomes_number(u: &Unit, e: ExprId) -> bool {
    let ExprKind::Cast { arg, .. } = u.expr(e).kind else {
        return false;
    };
    let address = matches!(
        u.ty(u.expr(arg).ty.ty),
        Type::Pointer(_) | Type::Array { .. } | Type::Function { .. }
    );
    let own = pc3_libc::is_own(&u.path) || u.lines.is_system(u.expr(e).span.start);
    address && !own && matches!(u.ty(u.expr(e).ty.ty), Type::Int(_)) && !is_constant(u, arg)
}

/// Is it for its lowest bits, or for a pointer again?
fn is_harmless(cx: &Cx, unit: usize, cast: ExprId) -> bool {
    let u = &cx.p.units[unit];
    let mut e = cast;
    loop {
        let Some(Parent::Expr(up)) = cx.parent(unit, e) else {
            return false;
        };
        match u.expr(up).kind {
            ExprKind::Cast { .. } if matches!(u.ty(u.expr(up).ty.ty), Type::Pointer(_)) => {
                return true
            }
            ExprKind::Cast { .. } => e = up,
            ExprKind::Binary {
                op: BinOp::And,
                lhs,
                rhs,
            } => {
                let mask = u.view().eval(if lhs == e { rhs } else { lhs });
                if mask.is_some_and(|n| (0..64).contains(&n)) {
                    return true;
                }
                e = up;
            }
            ExprKind::Binary {
                op: BinOp::Add | BinOp::Sub | BinOp::Or,
                ..
            } => e = up,
            _ => return false,
        }
    }
}

/// Is it the address of a part of an object, which may lie elsewhere in it?
fn is_inside(u: &Unit, cast: ExprId) -> bool {
    let mut e = cast;
    while let ExprKind::Cast { arg, .. } = u.expr(e).kind {
        e = arg;
    }
    match u.expr(e).kind {
        ExprKind::AddrOf(of) => matches!(
            u.expr(of).kind,
            ExprKind::Index { .. } | ExprKind::Member { .. }
        ),
        ExprKind::Binary { .. } => true,
        _ => false,
    }
}

/// Does what follows see no more of it than 32 bits?
fn is_narrow(cx: &Cx, unit: usize, cast: ExprId) -> bool {
    let u = &cx.p.units[unit];
    let short = |e: ExprId| match u.ty(u.expr(e).ty.ty) {
        Type::Int(IntKind::Long | IntKind::ULong) => false,
        Type::Int(k) => u.target.bits(*k) <= 32,
        _ => false,
    };
    if short(cast) {
        return true;
    }
    let Some(Parent::Expr(up)) = cx.parent(unit, cast) else {
        return false;
    };
    match u.expr(up).kind {
        ExprKind::Cast { .. } => short(up),
        ExprKind::Binary {
            op: BinOp::And,
            lhs,
            rhs,
        } => {
            let other = if lhs == cast { rhs } else { lhs };
            let mask = u.view().eval(other);
            mask.is_some_and(|n| (0..=i128::from(u32::MAX)).contains(&n))
        }
        _ => false,
    }
}

/// Is it reduced to low bits, or freed of them?
fn aligns(cx: &Cx, unit: usize, e: ExprId, seen: &mut HashSet<Seen>) -> bool {
    let u = &cx.p.units[unit];
    let mut e = e;
    loop {
        let into = |s: SymId, seen: &mut HashSet<Seen>| {
            seen.insert(Seen::Variable(unit, s))
                && cx.reads(unit, s).iter().any(|r| aligns(cx, unit, *r, seen))
        };
        let up = match cx.parent(unit, e) {
            None => return false,
            Some(Parent::Variable(s)) => return into(s, seen),
            Some(Parent::Return(f)) => {
                let calls = cx.new_calls(cx.p.id(unit, f), Seen::Returned, seen);
                return calls.iter().any(|(at, c)| aligns(cx, *at, *c, seen));
            }
            Some(Parent::Expr(up)) => up,
        };
        match &u.expr(up).kind {
            ExprKind::Binary {
                op: BinOp::And | BinOp::Rem,
                ..
            } => return true,
            ExprKind::Assign { op, lhs, rhs } if *rhs == e => {
                if matches!(op, Some(BinOp::And | BinOp::Rem)) {
                    return true;
                }
                return match u.expr(*lhs).kind {
                    ExprKind::Ident(s) => into(s, seen),
                    _ => false,
                };
            }
            ExprKind::Binary { .. }
            | ExprKind::Unary { .. }
            | ExprKind::Cast { .. }
            | ExprKind::Cond { .. }
            | ExprKind::Comma(_)
            | ExprKind::Generic { .. }
            | ExprKind::StmtExpr(_) => e = up,
            ExprKind::Call { callee, args } if *callee != e => {
                let at = args.iter().position(|a| *a == e);
                let Some((_, Callee::Defined(f))) = cx.p.direct(unit, *callee) else {
                    return false;
                };
                let there = cx.p.fns[f.index()].0;
                let s = at.and_then(|i| cx.p.func(f).params.get(i).copied());
                return s.is_some_and(|s| {
                    seen.insert(Seen::Variable(there, s))
                        && cx
                            .reads(there, s)
                            .iter()
                            .any(|r| aligns(cx, there, *r, seen))
                });
            }
            _ => return false,
        }
    }
}
