//! Whether code has run: an expression whose value is computed there, which generated code marks.

use crate::addresses::{parents, Parent, Parents};
use pc3_program::walk::{visit, Node};
use pc3_syntax::tree::*;
use std::collections::HashSet;

/// One unit.
pub struct Witness<'a> {
    u: &'a Unit,
    parents: Parents,
    /// What functions compute, rather than only name.
    evaluated: HashSet<ExprId>,
}

impl<'a> Witness<'a> {
    pub fn new(u: &'a Unit) -> Witness<'a> {
        let mut evaluated = HashSet::new();
        for f in &u.functions {
            visit(u, Node::Stmt(f.body), &mut |n| {
                if let Node::Expr(e) = n {
                    evaluated.insert(e);
                }
                true
            });
        }
        Witness {
            u,
            parents: parents(u),
            evaluated,
        }
    }

    /// A value that is computed whenever `e` is, and before; None: `e` is no code.
    pub fn of(&self, e: ExprId) -> Option<ExprId> {
        let u = self.u;
        if !self.evaluated.contains(&e) || self.is_static(e) || u.view().eval(e).is_some() {
            return None;
        }
        let mut e = e;
        while self.is_place(e) {
            match u.expr(e).kind {
                ExprKind::Index { index, .. } => return Some(index),
                ExprKind::Deref(p)
                | ExprKind::Member {
                    base: p,
                    arrow: true,
                    ..
                } if !is_array(u, p) => return Some(p),
                ExprKind::Member { base, .. } | ExprKind::Deref(base) => e = base,
                // An array that becomes a pointer.
                _ => match self.parents.get(&e) {
                    Some(Parent::Expr(up)) if is_array(u, e) && self.decays_in(*up) => e = *up,
                    _ => return None,
                },
            }
        }
        Some(e)
    }

    /// The same of a constant, too: of what it is a part of.
    pub fn around(&self, e: ExprId) -> Option<ExprId> {
        let mut e = e;
        loop {
            if let Some(found) = self.of(e) {
                return Some(found);
            }
            match self.parents.get(&e) {
                Some(Parent::Expr(up)) => e = *up,
                _ => return None,
            }
        }
    }

    /// Is it for nothing but its operand's address?
    fn decays_in(&self, up: ExprId) -> bool {
        matches!(
            self.u.expr(up).kind,
            ExprKind::Call { .. } | ExprKind::Cast { .. } | ExprKind::Binary { .. }
        )
    }

    /// Is it computed when the program begins?
    fn is_static(&self, e: ExprId) -> bool {
        let mut e = e;
        loop {
            match self.parents.get(&e) {
                Some(Parent::Expr(up)) => e = *up,
                Some(Parent::Variable(s)) => {
                    let sym = self.u.sym(*s);
                    return sym.is_global || sym.storage == Storage::Static;
                }
                _ => return false,
            }
        }
    }

    /// Is it used as an object, rather than for its value?
    fn is_place(&self, e: ExprId) -> bool {
        let u = self.u;
        let Some(Parent::Expr(up)) = self.parents.get(&e) else {
            return is_array(u, e);
        };
        match u.expr(*up).kind {
            ExprKind::Assign { lhs, .. } => lhs == e || is_array(u, e),
            ExprKind::AddrOf(_) | ExprKind::Member { arrow: false, .. } => true,
            ExprKind::Unary {
                op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                ..
            } => true,
            _ => is_array(u, e),
        }
    }
}

fn is_array(u: &Unit, e: ExprId) -> bool {
    matches!(
        u.ty(u.expr(e).ty.ty),
        Type::Array { .. } | Type::Function { .. }
    )
}
