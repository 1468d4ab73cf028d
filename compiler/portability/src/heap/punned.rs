//! Memory that is looked at as something else than its type says.

use super::flow::{element, pointee, PointerFlow, PointerPlace, Punned, Use};
use super::size::innermost;
use super::types::{is_char, same_width};
use pc3_program::program::is_local;
use pc3_syntax::tree::*;
use std::collections::HashSet;

impl PointerFlow<'_> {
    /// Adds the places of this unit whose memory is cast to something else.
    pub fn punned(&self, out: &mut Punned) {
        let u = self.u;
        for (i, x) in u.exprs.iter().enumerate() {
            let ExprKind::Cast { to, arg } = &x.kind else {
                continue;
            };
            // A row of something is looked at as what it consists of.
            let Some(to) = pointee(u, *to).map(|to| innermost(u, to)) else {
                continue;
            };
            let (from, moved) = self.origin(*arg);
            let was = element(u, u.expr(from).ty).map(|was| innermost(u, was));
            let Some(was) = was else {
                continue;
            };
            let scalar = |q: QualType| matches!(u.ty(q.ty), Type::Int(_) | Type::Float(_));
            if is_char(u, to) {
                // Numbers that are also kept as bytes, not just looked at as such.
                let number = scalar(was) && !is_char(u, was);
                if number && !to.is_const && self.is_kept(ExprId(i as u32)) {
                    out.extend(self.place(from));
                }
                continue;
            }
            let other = match u.ty(was.ty) {
                Type::Void => moved,
                _ if is_char(u, was) => true,
                _ => scalar(was) && scalar(to) && !same_width(u, was, to),
            };
            if other {
                out.extend(self.place(from));
            }
        }
    }

    /// Adds the places of this unit from whose memory a function gives away pieces as `void *`: what they become,
    /// their type does not say.
    pub fn dealt(&self, out: &mut Punned) {
        let u = self.u;
        let untyped = |q: QualType| matches!(u.ty(q.ty), Type::Pointer(to) if matches!(u.ty(to.ty), Type::Void));
        let moves: HashSet<PointerPlace> = u
            .exprs
            .iter()
            .filter_map(|x| match &x.kind {
                ExprKind::Assign {
                    op: Some(BinOp::Add | BinOp::Sub),
                    lhs,
                    ..
                } => Some(*lhs),
                ExprKind::Assign { op: None, lhs, rhs } => {
                    let (from, moved) = self.origin(*rhs);
                    let same =
                        moved && self.place(from).is_some() && self.place(from) == self.place(*lhs);
                    same.then_some(*lhs)
                }
                _ => None,
            })
            .filter_map(|lhs| self.place(lhs))
            .collect();
        for e in self.uses.keys() {
            let (from, moved) = self.origin(*e);
            let was = element(u, u.expr(from).ty);
            if !was.is_some_and(|q| is_char(u, q)) || !self.leaves(*e, &untyped) {
                continue;
            }
            if let Some(place) = self.place(from) {
                let local = matches!(u.expr(from).kind, ExprKind::Ident(s) if is_local(u.sym(s)));
                if !local && (moved || moves.contains(&place)) {
                    out.insert(place);
                }
            }
        }
    }

    /// Does the function return it as a pointer to anything?
    fn leaves(&self, e: ExprId, untyped: &dyn Fn(QualType) -> bool) -> bool {
        let u = self.u;
        let returned = |s: SymId| {
            let uses = self.idents.get(&s).into_iter().flatten();
            is_local(u.sym(s))
                && uses
                    .map(|x| self.uses.get(x))
                    .any(|x| matches!(x, Some(Use::Return(q)) if untyped(*q)))
        };
        match self.uses.get(&e) {
            Some(Use::Return(q)) => untyped(*q),
            Some(Use::Cast(_, x) | Use::Same(x)) => self.leaves(*x, untyped),
            Some(Use::Init(s)) => returned(*s),
            Some(Use::Assign(lhs, _)) => {
                matches!(u.expr(*lhs).kind, ExprKind::Ident(s) if returned(s))
            }
            _ => false,
        }
    }

    /// Does the value go to a member or a variable that outlives the function?
    fn is_kept(&self, e: ExprId) -> bool {
        match self.uses.get(&e) {
            Some(Use::Same(x) | Use::Cast(_, x)) => self.is_kept(*x),
            Some(Use::Assign(lhs, _)) => matches!(self.place(*lhs), Some(PointerPlace::Named(_))),
            Some(Use::Part(_, place)) => matches!(place, Some(PointerPlace::Named(_))),
            _ => false,
        }
    }
}
