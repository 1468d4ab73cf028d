//! Memory that a function allocates for itself alone: if it reaches no location, no checkpoint has anything that leads there.

use super::copies::{base, pointed};
use super::reaches_checkpoint::{Cx, Seen};
use crate::addresses::Parent;
use crate::heap::allocator;
use pc3_program::program::{is_local, Callee};
use pc3_program::tables::retains;
use pc3_program::walk::strip_casts;
use pc3_syntax::tree::*;
use std::collections::HashSet;

impl Cx<'_> {
    /// Does a pointer lead to such memory?
    pub(crate) fn is_scratch(&self, unit: usize, e: ExprId) -> bool {
        let u = &self.p.units[unit];
        let Some(s) = base(u, e).filter(|s| is_own(u, *s)) else {
            return false;
        };
        let Some(f) = u.sym(s).func.filter(|f| !self.reaches(unit, *f)) else {
            return false;
        };
        if u.func(f).params.contains(&s) {
            return false;
        }
        let given = self.values_of(unit, s);
        let new = |e: &ExprId| match &u.expr(strip_casts(u, *e)).kind {
            ExprKind::Call { callee, .. } => match self.p.direct(unit, *callee) {
                Some((_, Callee::External(name))) => allocator(&name).is_some(),
                _ => false,
            },
            ExprKind::Int(0) => true,
            _ => false,
        };
        !given.is_empty() && given.iter().all(new) && !self.leaks(unit, s, &mut HashSet::new())
    }

    /// Does an address outlive its function?
    fn leaks(&self, unit: usize, s: SymId, seen: &mut HashSet<Seen>) -> bool {
        let u = &self.p.units[unit];
        if !is_own(u, s) {
            return true;
        }
        seen.insert(Seen::Variable(unit, s))
            && self
                .reads(unit, s)
                .iter()
                .any(|e| self.gets_away(unit, *e, seen))
    }

    fn gets_away(&self, unit: usize, e: ExprId, seen: &mut HashSet<Seen>) -> bool {
        let u = &self.p.units[unit];
        let mut e = e;
        loop {
            let up = match self.parent(unit, e) {
                None => return false,
                Some(Parent::Variable(s)) => return self.leaks(unit, s, seen),
                Some(Parent::Return(_)) => return true,
                Some(Parent::Expr(up)) => up,
            };
            let pointer = pointed(u, up).is_some();
            match &u.expr(up).kind {
                ExprKind::Deref(_) | ExprKind::Index { .. } | ExprKind::Member { .. } => {
                    match self.parent(unit, up).map(|p| self.address_of(u, p)) {
                        Some(Some(address)) => e = address,
                        _ if matches!(u.ty(u.expr(up).ty.ty), Type::Array { .. }) => e = up,
                        _ => return false,
                    }
                }
                ExprKind::Assign { lhs, .. } if *lhs == e => return false,
                ExprKind::Assign { lhs, .. } => match u.expr(*lhs).kind {
                    ExprKind::Ident(s) if self.leaks(unit, s, seen) => return true,
                    ExprKind::Ident(_) => e = up,
                    _ => return true,
                },
                ExprKind::Binary { .. } | ExprKind::Unary { .. } if !pointer => return false,
                ExprKind::Cast { .. } if !pointer => return true,
                ExprKind::Binary { .. }
                | ExprKind::Unary { .. }
                | ExprKind::Cast { .. }
                | ExprKind::Cond { .. }
                | ExprKind::Comma(_) => e = up,
                ExprKind::Call { callee, args } => {
                    let Some(i) = args.iter().position(|a| *a == e) else {
                        return true;
                    };
                    if let Some((_, Callee::External(name))) = self.p.direct(unit, *callee) {
                        if retains(&name) {
                            return true;
                        }
                        // It may return what it is given.
                        e = up;
                        continue;
                    }
                    let targets = self.graph.groups.called(unit, up);
                    let none = targets.is_empty();
                    let keeps = targets.iter().any(|f| {
                        let param = self.p.func(*f).params.get(i).copied();
                        param.is_none_or(|s| self.leaks(self.p.fns[f.index()].0, s, seen))
                    });
                    return none || keeps;
                }
                _ => return true,
            }
        }
    }

    fn address_of(&self, u: &Unit, parent: Parent) -> Option<ExprId> {
        match parent {
            Parent::Expr(e) if matches!(u.expr(e).kind, ExprKind::AddrOf(_)) => Some(e),
            _ => None,
        }
    }
}

/// A local that nobody has the address of.
fn is_own(u: &Unit, s: SymId) -> bool {
    let taken = |x: &Expr| match x.kind {
        ExprKind::AddrOf(of) => matches!(u.expr(of).kind, ExprKind::Ident(v) if v == s),
        _ => false,
    };
    is_local(u.sym(s)) && !u.exprs.iter().any(taken)
}
