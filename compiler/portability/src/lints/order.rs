//! Where the order of things, or their bucket, depends on where objects lie.  Where they have moved, restarts of programs
//! that choose or search so are refused.

use super::reaches_checkpoint::Cx;
use super::{is_user, pointer_bytes};
use crate::addresses::{
    is_constant, named, parents, pointee, Kept, KeptAt, NumberPlace, Numbers, Parent, Parents,
    Punned, Stays,
};
use crate::heap::one_line;
use pc3_program::program::{Callee, Program};
use pc3_program::walk::{strip_casts, visit, visit_decls, Node};
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics};
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

const ORDERS: &[&str] = &[
    "qsort", "qsort_r", "bsearch", "tsearch", "tfind", "tdelete", "lfind", "lsearch",
];

/// What is found again by the order that it has.
const SEARCHES: &[&str] = &["bsearch", "tsearch", "tfind", "tdelete"];

/// What restarts are to know.
pub fn check(cx: &Cx, numbers: &Numbers, out: &mut Diagnostics) -> Kept {
    let p = cx.p;
    let mut kept = Kept::new();
    let indices = indices(cx);
    for (unit, u) in p.units.iter().enumerate() {
        let parents = parents(u);
        let punned = Punned::new(u);
        let mut choice = |e: ExprId, address: ExprId, out: &mut Diagnostics| {
            let Some(chooses) = hashes(u, &parents, e) else {
                return;
            };
            let indexes = || {
                let to = numbers.made(unit, e);
                let reached = numbers.reached(to, &|x| {
                    !matches!(x, NumberPlace::Memory(_) | NumberPlace::Elements(_))
                });
                reached.into_iter().any(|x| indices.contains(x))
            };
            if numbers.is_said(unit, e) || chooses != Chooses::Surely && !indexes() {
                out.push(chosen(u, e, address, Stays::No));
            } else {
                kept.push(KeptAt {
                    hashed: Some(chooses == Chooses::Surely),
                    address: Some(address),
                    ..KeptAt::of(unit, u, e)
                });
            }
        };
        let mut searches = Vec::new();
        for k in 0..u.exprs.len() {
            let e = ExprId(k as u32);
            match &u.expr(e).kind {
                ExprKind::Call { callee, args } => {
                    if let Some((_, Callee::External(name))) = p.direct(unit, *callee) {
                        if ORDERS.contains(&name.as_str()) {
                            for a in args {
                                if let Some((_, Callee::Defined(f))) = p.direct(unit, *a) {
                                    let found = comparison(p.unit(f), p.func(f), &name, out);
                                    let at = p.fns[f.index()].0;
                                    if SEARCHES.contains(&name.as_str()) {
                                        searches.extend(found.iter().map(|e| (at, *e)));
                                    }
                                }
                            }
                        }
                    }
                }
                ExprKind::Cast { arg, .. } if is_user(u, e) && is_of_address(u, e, *arg) => {
                    choice(e, strip_casts(u, *arg), out);
                }
                ExprKind::Member { .. } | ExprKind::Index { .. }
                    if punned.is_address_as_number(u, e) && is_user(u, e) =>
                {
                    choice(e, e, out);
                }
                ExprKind::Binary { op, lhs, rhs } if is_order(*op) && is_user(u, e) => {
                    if let Some(s) = depth(u, *lhs, *rhs).or_else(|| depth(u, *rhs, *lhs)) {
                        let name = &u.sym(s).name;
                        out.push(Diagnostic::advice(
                            u,
                            &u.expr(e).span,
                            Code::AddressOrder,
                            format!("how far `{name}` lies from something else says nothing of the stack's depth: locals whose addresses are kept lie elsewhere than others"),
                            "count the calls",
                        ));
                    }
                }
                _ => {}
            }
        }
        kept.extend(
            searches
                .iter()
                .map(|(at, e)| KeptAt::of(*at, &p.units[*at], *e)),
        );
    }
    for (unit, e) in pointer_bytes::find(cx) {
        let u = &p.units[unit];
        out.push(summed(u, e));
        kept.push(KeptAt::of(unit, u, e));
    }
    kept.sort_by(|a, b| (a.unit, &a.place, a.cast).cmp(&(b.unit, &b.place, b.cast)));
    kept.dedup_by(|a, b| (a.unit, &a.place, a.cast) == (b.unit, &b.place, b.cast));
    kept
}

/// What elements of arrays are chosen by, but for single characters, which blocks are made of.
fn indices(cx: &Cx) -> HashSet<NumberPlace> {
    let mut all = HashSet::new();
    for (unit, u) in cx.p.units.iter().enumerate() {
        let elements = |e: ExprId| {
            let to = pointee(u, u.expr(e).ty.ty);
            to.is_some_and(|t| {
                !matches!(
                    u.ty(t),
                    Type::Void | Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar)
                )
            })
        };
        for x in &u.exprs {
            let index = match x.kind {
                ExprKind::Index { base, index } if elements(base) => index,
                ExprKind::Binary {
                    op: BinOp::Add,
                    lhs,
                    rhs,
                } if elements(lhs) => rhs,
                _ => continue,
            };
            visit(u, Node::Expr(index), &mut |n| {
                let Node::Expr(e) = n else { return true };
                all.extend(named(unit, u, e));
                if let ExprKind::Call { callee, .. } = u.expr(e).kind {
                    if let Some((_, Callee::Defined(f))) = cx.p.direct(unit, callee) {
                        all.insert(NumberPlace::Result(f));
                    }
                }
                true
            });
        }
    }
    all
}

fn is_order(op: BinOp) -> bool {
    matches!(
        op,
        BinOp::Lt | BinOp::Gt | BinOp::Le | BinOp::Ge | BinOp::Sub
    )
}

/// The local whose address is compared with that of something else.
fn depth(u: &Unit, own: ExprId, other: ExprId) -> Option<SymId> {
    let ExprKind::AddrOf(of) = u.expr(strip_casts(u, own)).kind else {
        return None;
    };
    let ExprKind::Ident(s) = u.expr(of).kind else {
        return None;
    };
    let sym = u.sym(s);
    let local = sym.func.is_some() && !sym.is_global && sym.storage != Storage::Static;
    let pointer = matches!(u.ty(u.expr(strip_casts(u, other)).ty.ty), Type::Pointer(_));
    let mut same = false;
    visit(u, Node::Expr(other), &mut |n| {
        same |=
            matches!(n, Node::Expr(x) if matches!(u.expr(x).kind, ExprKind::Ident(o) if o == s));
        !same
    });
    (local && pointer && !same).then_some(s)
}

/// A function that a library orders by: it must not compare addresses that it has read.
fn comparison(u: &Unit, f: &Function, name: &str, out: &mut Diagnostics) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut values: HashMap<SymId, ExprId> = HashMap::new();
    visit_decls(u, Node::Stmt(f.body), &mut |d, _| {
        for v in &d.vars {
            if let Some(Init::Expr(e)) = &v.init {
                values.insert(v.sym, *e);
            }
        }
    });
    let pointer = |e: ExprId| matches!(u.ty(u.expr(e).ty.ty), Type::Pointer(_));
    visit(u, Node::Stmt(f.body), &mut |n| {
        let Node::Expr(e) = n else { return true };
        if let ExprKind::Binary { op, lhs, rhs } = u.expr(e).kind {
            let order = is_order(op);
            let both = [lhs, rhs].map(|e| strip_casts(u, e));
            if order && both.iter().all(|e| pointer(*e) && is_read(u, &values, *e)) {
                found.push(e);
                out.push(Diagnostic::advice(
                    u,
                    &u.expr(e).span,
                    Code::AddressOrder,
                    format!("`{name}` orders by addresses here: after a restart elsewhere the order is another one"),
                    "compare something that stays, such as a serial number in the objects",
                ));
            }
        }
        true
    });
    found
}

/// Does a pointer come out of memory, rather than being one that the function was given?
fn is_read(u: &Unit, values: &HashMap<SymId, ExprId>, e: ExprId) -> bool {
    match u.expr(strip_casts(u, e)).kind {
        ExprKind::Deref(_) | ExprKind::Index { .. } | ExprKind::Member { .. } => true,
        ExprKind::Ident(s) => values
            .get(&s)
            .is_some_and(|v| is_read(u, &HashMap::new(), *v)),
        _ => false,
    }
}

/// What is known when all is.
pub fn tell(p: &Program, kept: &Kept, out: &mut Diagnostics) {
    for k in kept {
        let u = &p.units[k.unit];
        if let (Stays::No | Stays::Alike, Some(address)) = (k.stays, k.address) {
            out.push(chosen(u, k.made, address, k.stays));
        }
    }
}

fn chosen(u: &Unit, e: ExprId, address: ExprId, stays: Stays) -> Diagnostic {
    let text = one_line(u.slice(&u.expr(address).span));
    let then = match stays {
        Stays::Alike => "a restart where addresses have another width is refused",
        _ => "after a restart elsewhere it is another one",
    };
    Diagnostic::advice(
        u,
        &u.expr(e).span,
        Code::AddressOrder,
        format!("which element is chosen depends on the address `{text}`: {then}"),
        "choose by something that stays, such as a serial number in the object, or build the table anew after a restart",
    )
}

fn summed(u: &Unit, pointer: ExprId) -> Diagnostic {
    let text = one_line(u.slice(&u.expr(pointer).span));
    Diagnostic::advice(
        u,
        &u.expr(pointer).span,
        Code::AddressOrder,
        format!("the bytes of an address are computed with, of what `{text}` leads to: a hash of them is another one where objects have moved, and such a restart is refused"),
        "compute it from something that stays, such as a serial number in the object",
    )
}

/// Does the cast make a number of an address?
fn is_of_address(u: &Unit, cast: ExprId, arg: ExprId) -> bool {
    let from = matches!(
        u.ty(u.expr(arg).ty.ty),
        Type::Pointer(_) | Type::Array { .. }
    );
    from && matches!(u.ty(u.expr(cast).ty.ty), Type::Int(_)) && !is_constant(u, arg)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Chooses {
    Surely,
    /// It may as well be for an alignment that is not known here.
    Perhaps,
}

/// Does the number made of an address become an index, or a hash?
fn hashes(u: &Unit, parents: &Parents, made: ExprId) -> Option<Chooses> {
    let number = |e: ExprId| matches!(u.ty(u.expr(e).ty.ty), Type::Int(_));
    let constant = |e: ExprId| u.view().eval(e);
    let mut e = made;
    // Mixed as hashes are; reduced to a range that is no alignment.
    let (mut mixed, mut reduced, mut surely) = (false, false, false);
    let found = |yes: bool, surely: bool| match surely {
        _ if !yes => None,
        true => Some(Chooses::Surely),
        false => Some(Chooses::Perhaps),
    };
    loop {
        let parent = parents.get(&e)?;
        let up = match parent {
            Parent::Expr(up) => *up,
            Parent::Variable(_) | Parent::Return(_) => return found(mixed || reduced, surely),
        };
        match &u.expr(up).kind {
            ExprKind::Binary { op, lhs, rhs } => {
                let other = if *lhs == e { *rhs } else { *lhs };
                let number_here = number(up);
                match op {
                    BinOp::Rem if *lhs == e => {
                        let modulus = constant(other);
                        reduced |= !modulus.is_some_and(|n| n <= 64 && n & (n - 1) == 0);
                        surely |= modulus.is_some_and(|n| n & (n - 1) != 0);
                    }
                    BinOp::And => {
                        // Alignments look at the lowest bits, or clear them.
                        let mask = constant(other);
                        let low = mask.is_some_and(|n| (n <= 4095 && n & (n + 1) == 0) || n < 0);
                        let high = mask.is_none()
                            && matches!(
                                u.expr(strip_casts(u, other)).kind,
                                ExprKind::Unary {
                                    op: UnOp::BitNot,
                                    ..
                                }
                            );
                        reduced |= !low && !high;
                    }
                    BinOp::Shr if *lhs == e => {
                        mixed = true;
                        // Halves of an address go where it goes.
                        surely |= constant(other).is_none_or(|n| n < 16);
                    }
                    BinOp::Xor => (mixed, surely) = (true, true),
                    BinOp::Mul if constant(other).is_none_or(|n| n > 16) => {
                        (mixed, surely) = (true, true)
                    }
                    BinOp::Div if *lhs == e => (mixed, surely) = (true, true),
                    BinOp::Mul => {}
                    BinOp::Add | BinOp::Or | BinOp::Shl => {}
                    // Differences mean the same everywhere.
                    _ => return None,
                }
                if !number_here {
                    // Pointer arithmetic with it as an index.
                    return found(*op == BinOp::Add && (mixed || reduced), surely);
                }
                e = up;
            }
            // As it is, it is a number that was put into a pointer.
            ExprKind::Index { index, .. } if *index == e && (mixed || reduced) => {
                return Some(Chooses::Surely)
            }
            ExprKind::Cast { .. } if number(up) => e = up,
            ExprKind::Unary {
                op: UnOp::BitNot, ..
            } => e = up,
            ExprKind::Assign { op: None, rhs, .. } if *rhs == e => {
                return found(number(up) && (mixed || reduced), surely)
            }
            ExprKind::Call { callee, .. } if *callee != e => return found(reduced, surely),
            _ => return None,
        }
    }
}
