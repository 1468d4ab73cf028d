//! Hashes and sums over the bytes of a pointer: `for (i = 0; i < sizeof p; i++) h = h * 33 + ((unsigned char *)&p)[i]`, also by
//! functions that are handed `&p`.  Where objects have moved they are others.  Bytes that are only copied, or compared for
//! being equal, are not meant.

use crate::addresses::{holds_addresses, pointee, Parent};
use crate::lints::is_user;
use crate::lints::reaches_checkpoint::{Cx, Seen};
use pc3_program::program::{is_local, Callee, FnId};
use pc3_program::walk::strip_casts;
use pc3_syntax::tree::*;
use std::collections::{BTreeSet, HashSet};

/// Pointers to pointers, or to structs with such, the bytes of which are computed with: unit and expression.
pub fn find(cx: &Cx) -> BTreeSet<(usize, ExprId)> {
    let mut found = BTreeSet::new();
    for (unit, u) in cx.p.units.iter().enumerate() {
        for e in (0..u.exprs.len()).map(|k| ExprId(k as u32)) {
            let (ExprKind::Index { base, .. } | ExprKind::Deref(base)) = u.expr(e).kind else {
                continue;
            };
            if !is_part(u, u.expr(e).ty.ty) || !is_user(u, e) {
                continue;
            }
            let mut of = Vec::new();
            let mut walk = Leads {
                cx,
                characters: is_character(u, e),
                seen: HashSet::new(),
                of: &mut of,
            };
            walk.back(unit, base, 0);
            if !of.is_empty() && computes(cx, unit, e, &mut HashSet::new()) {
                found.extend(of);
            }
        }
    }
    found
}

/// Bytes, and what hash functions read several of at once.
fn is_part(u: &Unit, ty: TypeId) -> bool {
    use IntKind::*;
    matches!(
        u.ty(ty),
        Type::Int(Char | SChar | UChar | Short | UShort | UInt)
    )
}

fn is_character(u: &Unit, e: ExprId) -> bool {
    use IntKind::*;
    matches!(u.ty(u.expr(e).ty.ty), Type::Int(Char | SChar | UChar))
}

/// From a pointer to what was cast, assigned or handed over to become it.
struct Leads<'a, 'b> {
    cx: &'a Cx<'a>,
    /// Are single bytes read?
    characters: bool,
    seen: HashSet<Seen>,
    of: &'b mut Vec<(usize, ExprId)>,
}

/// Calls from where an address is taken to where its bytes are read: what comes from farther is data of any kind.
const CALLS: u32 = 2;

impl<'a> Leads<'a, '_> {
    fn back(&mut self, unit: usize, e: ExprId, calls: u32) {
        let u = &self.cx.p.units[unit];
        let e = strip_casts(u, e);
        let Some(to) = pointee(u, u.expr(e).ty.ty) else {
            return;
        };
        // Functions for any memory (allocators, copies) are handed pointers that lead to such, and blocks hold other things behind
        // them: only an address that is taken is meant for its bytes, or single ones read where the pointer is.
        let taken = match u.expr(e).kind {
            ExprKind::AddrOf(x) => match u.expr(x).kind {
                ExprKind::Ident(_) | ExprKind::Member { .. } => true,
                ExprKind::Index { base, .. } => is_array_variable(u, base),
                _ => false,
            },
            _ => calls == 0 && self.characters,
        };
        match u.ty(to) {
            Type::Void | Type::Int(_) => self.through(unit, e, calls),
            _ if !taken => {}
            Type::Pointer(_) => self.of.push((unit, e)),
            Type::Array { elem, .. } if matches!(u.ty(elem.ty), Type::Pointer(_)) => {
                self.of.push((unit, e))
            }
            // Structs that begin with characters may be read as those.
            Type::Record(_) => {
                let whole = self.characters && !begins_with_text(u, to);
                if whole && !is_union(u, to) && holds_addresses(u, to) {
                    self.of.push((unit, e));
                }
            }
            _ => {}
        }
    }

    /// What a function is given where it is called by its name. Of several functions another may be meant.
    fn direct(&self, f: FnId) -> Vec<(usize, &'a [ExprId])> {
        let (p, groups) = (self.cx.p, &self.cx.graph.groups);
        let alone = groups.of(f).iter();
        let alone = alone.filter(|g| groups.functions(**g).len() == 1);
        let sites = alone.flat_map(|g| groups.sites(*g));
        let args = sites.filter_map(|(unit, call)| match &p.units[*unit].expr(*call).kind {
            ExprKind::Call { callee, args } => {
                p.direct(*unit, *callee)?;
                Some((*unit, args.as_slice()))
            }
            _ => None,
        });
        args.collect()
    }

    fn through(&mut self, unit: usize, e: ExprId, calls: u32) {
        let u = &self.cx.p.units[unit];
        match &u.expr(e).kind {
            ExprKind::Ident(s) => self.variable(unit, *s, calls),
            ExprKind::Binary { lhs, rhs, .. } => match pointee(u, u.expr(*lhs).ty.ty) {
                Some(_) => self.back(unit, *lhs, calls),
                None => self.back(unit, *rhs, calls),
            },
            ExprKind::Unary { arg, .. } => self.back(unit, *arg, calls),
            ExprKind::Assign { op: None, rhs, .. } => self.back(unit, *rhs, calls),
            ExprKind::Cond { then, els, .. } => {
                then.iter().for_each(|t| self.back(unit, *t, calls));
                self.back(unit, *els, calls);
            }
            ExprKind::Comma(list) => list.last().into_iter().for_each(|x| {
                self.back(unit, *x, calls);
            }),
            ExprKind::AddrOf(of) => match u.expr(*of).kind {
                ExprKind::Index { base, .. } | ExprKind::Deref(base) => {
                    self.back(unit, base, calls)
                }
                _ => {}
            },
            _ => {}
        }
    }

    fn variable(&mut self, unit: usize, s: SymId, calls: u32) {
        let p = self.cx.p;
        let sym = p.units[unit].sym(s);
        if !self.seen.insert(Seen::Variable(unit, s)) {
            return;
        }
        for given in self.cx.values_of(unit, s) {
            self.back(unit, *given, calls);
        }
        let Some(f) = sym.func.filter(|_| is_local(sym)) else {
            return;
        };
        let params = &p.units[unit].func(f).params;
        let Some(at) = params.iter().position(|x| *x == s) else {
            return;
        };
        for (unit, args) in self.direct(p.id(unit, f)) {
            if let Some(a) = args.get(at).filter(|_| calls < CALLS) {
                self.back(unit, *a, calls + 1);
            }
        }
    }
}

fn is_array_variable(u: &Unit, e: ExprId) -> bool {
    let e = strip_casts(u, e);
    let array = matches!(u.ty(u.expr(e).ty.ty), Type::Array { .. });
    array && matches!(u.expr(e).kind, ExprKind::Ident(_))
}

fn is_union(u: &Unit, ty: TypeId) -> bool {
    matches!(u.ty(ty), Type::Record(r) if u.records[r.index()].is_union)
}

fn begins_with_text(u: &Unit, ty: TypeId) -> bool {
    use IntKind::*;
    match u.ty(ty) {
        Type::Int(k) => matches!(k, Char | SChar | UChar),
        Type::Array { elem, .. } => begins_with_text(u, elem.ty),
        Type::Record(r) => {
            let mut fields = u.records[r.index()].fields.iter().flatten();
            fields.next().is_some_and(|f| begins_with_text(u, f.ty.ty))
        }
        _ => false,
    }
}

/// Does arithmetic follow, or a look into a table?
fn computes(cx: &Cx, unit: usize, e: ExprId, seen: &mut HashSet<Seen>) -> bool {
    let u = &cx.p.units[unit];
    let mut e = e;
    loop {
        let up = match cx.parent(unit, e) {
            None => return false,
            Some(Parent::Variable(s)) => return later(cx, unit, s, seen),
            Some(Parent::Return(f)) => {
                let f = cx.p.id(unit, f);
                let calls = cx.new_calls(f, Seen::Returned, seen);
                return calls.iter().any(|(v, c)| computes(cx, *v, *c, seen));
            }
            Some(Parent::Expr(up)) => up,
        };
        match &u.expr(up).kind {
            ExprKind::Binary { op, lhs, rhs } => {
                use BinOp::*;
                return match op {
                    Lt | Gt | Le | Ge | Eq | Ne | LogAnd | LogOr => false,
                    // Of two bytes: are they equal?
                    Sub => !is_read(cx, unit, if *lhs == e { *rhs } else { *lhs }),
                    _ => true,
                };
            }
            // Bytes that take others' places are no sum of them.
            ExprKind::Assign {
                op: Some(_), lhs, ..
            } => {
                let place = strip_casts(u, *lhs);
                let swapped =
                    is_character(u, place) && matches!(u.expr(place).kind, ExprKind::Deref(_));
                return !swapped;
            }
            ExprKind::Assign { op: None, lhs, rhs } if *rhs == e => {
                return match u.expr(*lhs).kind {
                    ExprKind::Ident(s) => later(cx, unit, s, seen) || computes(cx, unit, up, seen),
                    _ => false,
                }
            }
            ExprKind::Index { index, .. } => return *index == e,
            ExprKind::Cast { .. } | ExprKind::Generic { .. } | ExprKind::StmtExpr(_) => e = up,
            ExprKind::Unary {
                op: UnOp::BitNot | UnOp::Minus | UnOp::Plus,
                ..
            } => e = up,
            ExprKind::Cond { cond, .. } if *cond != e => e = up,
            ExprKind::Comma(list) if list.last() == Some(&e) => e = up,
            ExprKind::Call { callee, args } => {
                let Some(at) = args.iter().position(|a| *a == e) else {
                    return false;
                };
                let p = cx.p;
                let Some((_, Callee::Defined(f))) = p.direct(unit, *callee) else {
                    return false;
                };
                let param = p.func(f).params.get(at).copied();
                return param.is_some_and(|s| later(cx, p.fns[f.index()].0, s, seen));
            }
            _ => return false,
        }
    }
}

/// Is a variable computed with?
fn later(cx: &Cx, unit: usize, s: SymId, seen: &mut HashSet<Seen>) -> bool {
    let u = &cx.p.units[unit];
    matches!(u.ty(u.sym(s).ty.ty), Type::Int(_))
        && seen.insert(Seen::Variable(unit, s))
        && cx
            .reads(unit, s)
            .iter()
            .any(|e| computes(cx, unit, *e, seen))
}

/// What a pointer leads to, or a variable that was given such.
fn is_read(cx: &Cx, unit: usize, e: ExprId) -> bool {
    let u = &cx.p.units[unit];
    let memory = |e: ExprId| {
        let e = strip_casts(u, e);
        let read = matches!(u.expr(e).kind, ExprKind::Index { .. } | ExprKind::Deref(_));
        read && is_character(u, e)
    };
    match u.expr(strip_casts(u, e)).kind {
        ExprKind::Ident(s) => cx.values_of(unit, s).iter().any(|e| memory(*e)),
        _ => memory(e),
    }
}
