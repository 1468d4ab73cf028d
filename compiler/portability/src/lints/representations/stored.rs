//! Other things that are stored in an array of characters, or of numbers: `*(int *)(text + 4) = n`, or through a pointer
//! `struct s *p = (struct s *)text`.  A checkpoint keeps characters as the bytes they are, and numbers as numbers.

use crate::heap::{one_line, Heap};
use crate::lints::bytes::{width, LONG};
use crate::lints::copies::pointed;
use crate::lints::is_user;
use crate::lints::reaches_checkpoint::{Cx, Dependence, OrderDependence};
use pc3_program::program::is_local;
use pc3_program::walk::strip_casts;
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics};
use pc3_syntax::tree::*;

pub fn check(cx: &Cx, heap: &Heap, list: &mut Vec<OrderDependence>, out: &mut Diagnostics) {
    let noted = |unit: usize, e: ExprId| heap.pieces.links[unit].iter().any(|l| l.of == e);
    for (unit, u) in cx.p.units.iter().enumerate() {
        let mut handed_out: Vec<ExprId> = heap
            .unnoted
            .get(unit)
            .into_iter()
            .flatten()
            .copied()
            .collect();
        handed_out.sort();
        for e in handed_out {
            list.push(OrderDependence::of(unit, u, e, Dependence::Long));
            let text = one_line(u.slice(&u.expr(e).span));
            out.push(Diagnostic::advice(
                u,
                &u.expr(e).span,
                Code::ByteOrder,
                format!("`{text}` hands out characters or numbers as memory of any type, which a checkpoint keeps as what they are declared as: a restart where bytes have another order, or `long` another width, is refused"),
                "hand out memory of type void * or char *, without -fno-pc3-pieces; PC3_BYTE_ORDER=ignore if all is of the declared type",
            ));
        }
        for k in 0..u.exprs.len() {
            let e = ExprId(k as u32);
            let ExprKind::Assign { lhs, .. } = u.expr(e).kind else {
                continue;
            };
            let Some(pointer) = through(u, lhs).filter(|_| is_user(u, e)) else {
                continue;
            };
            let found = seen_as(cx, unit, pointer).or_else(|| match u.expr(pointer).kind {
                ExprKind::Ident(s) if is_local(u.sym(s)) => {
                    let mut given = cx.values_of(unit, s).iter();
                    given.find_map(|v| seen_as(cx, unit, *v))
                }
                _ => None,
            });
            let Some((from, array, by)) = found else {
                continue;
            };
            let characters = pointed(u, array).and_then(|of| width(u, of)) == Some(8);
            if characters && noted(unit, from) || !cx.holds(unit, array) {
                continue;
            }
            list.push(OrderDependence::of(unit, u, e, by));
            let (to, text) = [lhs, array]
                .map(|e| one_line(u.slice(&u.expr(e).span)))
                .into();
            out.push(Diagnostic::advice(
                u,
                &u.expr(e).span,
                Code::ByteOrder,
                format!("`{to}` is stored in the array `{text}`, which a checkpoint keeps as what it is declared as: a restart where bytes have another order, or `long` another width, is refused"),
                "give it a variable of its type, or a union; PC3_BYTE_ORDER=ignore if it is not needed behind a location",
            ));
        }
    }
}

/// The pointer through which an lvalue is reached.
fn through(u: &Unit, e: ExprId) -> Option<ExprId> {
    match u.expr(e).kind {
        ExprKind::Deref(p) => Some(p),
        ExprKind::Member {
            base, arrow: true, ..
        } => Some(base),
        ExprKind::Member { base, .. } => through(u, base),
        ExprKind::Index { base, .. } => match u.ty(u.expr(base).ty.ty) {
            Type::Array { .. } => through(u, base),
            _ => Some(base),
        },
        _ => None,
    }
}

/// A pointer into an array of characters that is cast to one to something else: the pointer, the array, and what then decides.
fn seen_as(cx: &Cx, unit: usize, e: ExprId) -> Option<(ExprId, ExprId, Dependence)> {
    let u = &cx.p.units[unit];
    let mut e = e;
    loop {
        match &u.expr(e).kind {
            ExprKind::Binary {
                op: BinOp::Add | BinOp::Sub,
                lhs,
                rhs,
            } => {
                e = match pointed(u, *lhs) {
                    Some(_) => *lhs,
                    None => *rhs,
                }
            }
            ExprKind::Cast { arg, .. } => {
                let to = pointed(u, e)?;
                let by = decides(u, to)?;
                let array = array(cx, unit, *arg, 4)?;
                let own = pointed(u, array).is_some_and(|of| same(u, of, to));
                return (!own).then_some((*arg, array, by));
            }
            _ => return None,
        }
    }
}

fn decides(u: &Unit, to: TypeId) -> Option<Dependence> {
    match u.ty(to) {
        Type::Record(_) | Type::Pointer(_) => Some(Dependence::Long),
        Type::Int(_) | Type::Float(_) | Type::Array { .. } => match width(u, to)? {
            8 => None,
            LONG => Some(Dependence::Long),
            _ => Some(Dependence::Bytes),
        },
        _ => None,
    }
}

fn same(u: &Unit, a: TypeId, b: TypeId) -> bool {
    let inner = |mut t: TypeId| {
        while let Type::Array { elem, .. } = u.ty(t) {
            t = elem.ty;
        }
        t
    };
    let (a, b) = (inner(a), inner(b));
    let float = |t: TypeId| matches!(u.ty(t), Type::Float(_));
    a == b || float(a) == float(b) && width(u, a).is_some() && width(u, a) == width(u, b)
}

/// The array of characters or numbers that a pointer leads into.
fn array(cx: &Cx, unit: usize, e: ExprId, depth: u32) -> Option<ExprId> {
    let u = &cx.p.units[unit];
    let e = strip_casts(u, e);
    match &u.expr(e).kind {
        ExprKind::Binary {
            op: BinOp::Add | BinOp::Sub,
            lhs,
            rhs,
        } => array(cx, unit, *lhs, depth).or_else(|| array(cx, unit, *rhs, depth)),
        ExprKind::AddrOf(x) => match u.expr(*x).kind {
            ExprKind::Index { base, .. } => array(cx, unit, base, depth),
            _ => array(cx, unit, *x, depth),
        },
        ExprKind::Ident(_) | ExprKind::Member { .. } | ExprKind::Index { .. } => {
            match (u.ty(u.expr(e).ty.ty), &u.expr(e).kind) {
                (Type::Array { elem, .. }, _) => width(u, elem.ty).map(|_| e),
                (Type::Pointer(_), ExprKind::Ident(s)) if is_local(u.sym(*s)) && depth > 0 => {
                    let mut given = cx.values_of(unit, *s).iter();
                    given.find_map(|v| array(cx, unit, *v, depth - 1))
                }
                _ => None,
            }
        }
        _ => None,
    }
}
