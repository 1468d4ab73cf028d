//! Functions whose addresses go where they are not followed: into integers, libraries, memory behind pointers.

use super::places::PointerSlot;
use super::{is_function, Pointers};
use crate::parents::{parents, Parent, Parents};
use crate::program::{Callee, FnId};
use crate::walk::strip_casts;
use pc3_syntax::tree::*;
use std::collections::HashSet;

pub fn find(all: &Pointers) -> HashSet<FnId> {
    let p = all.p;
    let mut found = Escapes {
        all,
        functions: HashSet::new(),
        places: all.places.open().cloned().collect(),
    };
    for (unit, u) in p.units.iter().enumerate() {
        let parents = parents(u);
        for k in 0..u.exprs.len() {
            let e = ExprId(k as u32);
            if found.is_source(unit, u, e) && escapes(all, (unit, u, &parents), e) {
                found.source(unit, e);
            }
        }
    }
    // What is in a place that others can look at, and how it came there.
    let mut todo: Vec<PointerSlot> = found.places.iter().cloned().collect();
    while let Some(x) = todo.pop() {
        let before: HashSet<PointerSlot> = std::mem::take(&mut found.places);
        for (unit, e) in all.stores_to(&x) {
            found.value(unit, e);
        }
        let new = std::mem::replace(&mut found.places, before);
        for x in new {
            if found.places.insert(x.clone()) {
                todo.push(x);
            }
        }
    }
    found.functions
}

struct Escapes<'a, 'b> {
    all: &'b Pointers<'a>,
    functions: HashSet<FnId>,
    places: HashSet<PointerSlot>,
}

impl Escapes<'_, '_> {
    /// A function's name or a place that holds one.
    fn is_source(&self, unit: usize, u: &Unit, e: ExprId) -> bool {
        match u.expr(e).kind {
            ExprKind::Ident(s) if u.sym(s).kind == SymKind::Func => true,
            ExprKind::Call { .. } => points_to_function(u, u.expr(e).ty.ty),
            _ => {
                let pointer = matches!(u.ty(u.expr(e).ty.ty), Type::Pointer(_));
                pointer && self.all.places.of(unit, u, e).is_some()
            }
        }
    }

    fn source(&mut self, unit: usize, e: ExprId) {
        let (p, u) = (self.all.p, &self.all.p.units[unit]);
        match &u.expr(e).kind {
            ExprKind::Ident(s) if u.sym(*s).kind == SymKind::Func => {
                if let Callee::Defined(f) = p.resolve(unit, *s) {
                    self.functions.insert(f);
                }
            }
            ExprKind::Call { callee, .. } => {
                if let Some((_, Callee::Defined(f))) = p.direct(unit, *callee) {
                    self.places.insert(PointerSlot::Result(f));
                }
            }
            _ => self.places.extend(self.all.places.of(unit, u, e)),
        }
    }

    /// All that a value may be.
    fn value(&mut self, unit: usize, e: ExprId) {
        let u = &self.all.p.units[unit];
        let e = strip_casts(u, e);
        match &u.expr(e).kind {
            ExprKind::Cond { cond, then, els } => {
                self.value(unit, then.unwrap_or(*cond));
                self.value(unit, *els);
            }
            ExprKind::Comma(list) => list.last().into_iter().for_each(|x| self.value(unit, *x)),
            ExprKind::Assign { rhs, .. } => self.value(unit, *rhs),
            ExprKind::AddrOf(x) | ExprKind::Deref(x) if is_function(u, e) || is_function(u, *x) => {
                self.value(unit, *x);
            }
            _ => self.source(unit, e),
        }
    }
}

fn points_to_function(u: &Unit, ty: TypeId) -> bool {
    matches!(u.ty(ty), Type::Pointer(q) if matches!(u.ty(q.ty), Type::Function { .. }))
}

/// Does a value go where it is not followed?
fn escapes(all: &Pointers, (unit, u, parents): (usize, &Unit, &Parents), e: ExprId) -> bool {
    let p = all.p;
    let mut e = e;
    loop {
        let up = match parents.get(&e) {
            None => return false,
            Some(Parent::Variable(_)) => return !all.places.is_stored(unit, e),
            Some(Parent::Return(f)) => {
                let as_it_is = points_to_function(u, u.func(*f).ret.ty);
                return !as_it_is || all.called_elsewhere.contains(&p.id(unit, *f));
            }
            Some(Parent::Expr(up)) => *up,
        };
        let x = u.expr(up);
        match &x.kind {
            ExprKind::Call { callee, .. } if *callee == e => return false,
            ExprKind::Call { callee, args } => {
                let at = args.iter().position(|a| *a == e);
                let Some((_, Callee::Defined(f))) = p.direct(unit, *callee) else {
                    return true;
                };
                let (of, v) = (p.func(f), p.unit(f));
                let param = at.and_then(|i| of.params.get(i));
                return !param.is_some_and(|s| points_to_function(v, v.sym(*s).ty.ty));
            }
            ExprKind::Assign { lhs, .. } if *lhs == e => return false,
            ExprKind::Assign { lhs, .. } if all.places.of(unit, u, *lhs).is_none() => return true,
            ExprKind::Assign { .. } => {}
            ExprKind::Cond { cond, then, .. } if *cond == e && then.is_some() => return false,
            ExprKind::Comma(list) if list.last() != Some(&e) => return false,
            ExprKind::Binary { op, .. } => {
                use BinOp::*;
                return !matches!(op, Eq | Ne | LogAnd | LogOr | Lt | Gt | Le | Ge);
            }
            ExprKind::Unary { op: UnOp::Not, .. } | ExprKind::SizeofExpr(_) => return false,
            ExprKind::Deref(_) | ExprKind::AddrOf(_) if is_function(u, e) || is_function(u, up) => {
            }
            // Taking a place's address opens that.
            ExprKind::AddrOf(_) => return false,
            ExprKind::Index { .. } | ExprKind::Member { .. } => return false,
            ExprKind::Cast { .. } if points_to_function(u, x.ty.ty) => {}
            ExprKind::Cast { .. } if matches!(u.ty(x.ty.ty), Type::Bool | Type::Void) => {
                return false;
            }
            ExprKind::Cond { .. } | ExprKind::Comma(_) | ExprKind::Generic { .. } => {}
            ExprKind::CompoundLit { .. } => return !all.places.is_stored(unit, e),
            _ => return true,
        }
        e = up;
    }
}
