//! What else a program does with memory of no type: it stores links of free items and headers through casts, and goes
//! through blocks by the sizes of structs.

use super::{untyped, Link};
use crate::heap::flow::{pointee, PointerFlow, PointerPlace, Use};
use crate::heap::types::{is_char, is_complete};
use pc3_program::program::is_local;
use pc3_program::walk::strip_casts;
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

/// Bytes that are gone through by the size of a struct, and blocks that are taken for arrays of one.
pub fn walks(flow: &PointerFlow, based: &dyn Fn(&PointerPlace) -> bool, out: &mut Vec<ExprId>) {
    let u = flow.u;
    for (i, x) in u.exprs.iter().enumerate() {
        let e = ExprId(i as u32);
        match &x.kind {
            ExprKind::Assign {
                op: Some(BinOp::Add | BinOp::Sub),
                lhs,
                rhs,
            } if untyped(u, u.expr(*lhs).ty) => {
                let record = |q: QualType| matches!(u.ty(q.ty), Type::Record(_));
                let size = match u.expr(strip_casts(u, *rhs)).kind {
                    ExprKind::SizeofExpr(e) => record(u.expr(e).ty),
                    ExprKind::SizeofType(q) => record(q),
                    _ => false,
                };
                let local = matches!(u.expr(*lhs).kind, ExprKind::Ident(s) if is_local(u.sym(s)));
                if size && local {
                    out.push(e);
                }
            }
            ExprKind::Cast { to, arg } => {
                let to = pointee(u, *to).filter(|q| matches!(u.ty(q.ty), Type::Record(_)));
                let arg = strip_casts(u, *arg);
                let place = flow.place(arg).filter(|_| to.is_some());
                if untyped(u, u.expr(arg).ty) && place.is_some_and(|p| based(&p)) {
                    out.push(e);
                }
            }
            _ => {}
        }
    }
}

/// Stores through casts of pointers to anything, and what becomes the head of a list of free items.
pub fn links(flow: &PointerFlow, heads: &HashMap<PointerPlace, QualType>, out: &mut Vec<Link>) {
    let u = flow.u;
    let mut seen = HashSet::new();
    let mut add = |of: ExprId, to: QualType, freed: bool| {
        if seen.insert(of) && is_complete(u, to) && !is_char(u, to) {
            let to = QualType {
                is_const: false,
                is_volatile: false,
                is_atomic: false,
                is_restrict: false,
                ..to
            };
            out.push(Link { of, to, freed });
        }
    };
    // A cast of a pointer to anything: the pointer, and to what.
    let cast = |e: ExprId| match u.expr(e).kind {
        ExprKind::Cast { arg, .. } => {
            let to = pointee(u, u.expr(e).ty)?;
            let from = u.expr(strip_casts(u, arg)).ty;
            (untyped(u, from) || is_other(u, from, to)).then_some((arg, to))
        }
        _ => None,
    };
    // Locals through which members are written.
    let mut written = HashSet::new();
    for x in &u.exprs {
        let ExprKind::Assign { op, lhs, rhs } = &x.kind else {
            continue;
        };
        let base = match &u.expr(*lhs).kind {
            ExprKind::Deref(e) => Some(*e),
            ExprKind::Member {
                base, arrow: true, ..
            } => Some(*base),
            _ => None,
        };
        if let Some(ExprKind::Ident(s)) = base.map(|b| &u.expr(b).kind) {
            written.insert(*s);
        }
        if op.is_some() || u.lines.is_system(x.span.start) {
            continue;
        }
        if let Some((of, to)) = base.and_then(cast) {
            add(of, to, false);
        }
        let local = matches!(u.expr(*lhs).kind, ExprKind::Ident(s) if is_local(u.sym(s)));
        let head = flow.place(*lhs).and_then(|p| heads.get(&p));
        let inner = strip_casts(u, *rhs);
        // What was linked behind it is a link already.
        let linked = matches!(
            u.expr(inner).kind,
            ExprKind::Deref(_) | ExprKind::Member { .. }
        );
        let pointer = matches!(u.ty(u.expr(inner).ty.ty), Type::Pointer(_));
        if let (Some(to), false, false, true) = (head, local, linked, pointer) {
            add(*rhs, *to, true);
        }
    }
    // `struct header *h = (struct header *)pointer;` followed by `h->size = n;`
    for (e, used) in &flow.uses {
        let Use::Cast(to, whole) = used else {
            continue;
        };
        let to = pointee(u, *to).filter(|t| matches!(u.ty(t.ty), Type::Record(_)));
        let local = match flow.uses.get(whole) {
            Some(Use::Init(s)) => Some(*s),
            Some(Use::Assign(lhs, _)) => match u.expr(*lhs).kind {
                ExprKind::Ident(s) => Some(s),
                _ => None,
            },
            _ => None,
        };
        let (Some(to), Some(local)) = (to, local) else {
            continue;
        };
        let (from, _) = flow.origin(*e);
        let named = matches!(
            u.expr(from).kind,
            ExprKind::Ident(_) | ExprKind::Member { .. }
        );
        let q = u.expr(from).ty;
        if named && (untyped(u, q) || is_other(u, q, to)) && written.contains(&local) {
            add(*e, to, false);
        }
    }
    out.sort_by_key(|l| l.of);
}

/// Is it a pointer to a struct that neither is like another one nor begins like it?
fn is_other(u: &Unit, from: QualType, to: QualType) -> bool {
    match (pointee(u, from).map(|q| u.ty(q.ty)), u.ty(to.ty)) {
        (Some(Type::Record(a)), Type::Record(b)) => !akin(u, *a, *b, 8),
        _ => false,
    }
}

fn akin(u: &Unit, a: RecordId, b: RecordId, depth: u32) -> bool {
    let [one, other] = [a, b].map(|r| &u.records[r.index()]);
    let (Some(x), Some(y)) = (&one.fields, &other.fields) else {
        return true;
    };
    if a == b || depth == 0 || one.is_union || other.is_union {
        return true;
    }
    let inner = |list: &[Field]| match list.first().map(|f| u.ty(f.ty.ty)) {
        Some(Type::Record(r)) => Some(*r),
        _ => None,
    };
    let same = |x: &Field, y: &Field| match (u.ty(x.ty.ty), u.ty(y.ty.ty)) {
        (Type::Pointer(_), Type::Pointer(_)) => true,
        (Type::Record(a), Type::Record(b)) => akin(u, *a, *b, depth - 1),
        _ => x.ty.ty == y.ty.ty,
    };
    inner(x).is_some_and(|r| akin(u, r, b, depth - 1))
        || inner(y).is_some_and(|r| akin(u, a, r, depth - 1))
        || x.iter().zip(y).all(|(x, y)| same(x, y))
}
