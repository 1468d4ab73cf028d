//! What an lvalue leads through, and whether it can be evaluated again behind a store.

use super::Hit;
use crate::rewrite::clones::printer::Printer;
use crate::rewrite::collected::Row;
use pc3_program::linear::Linear;
use pc3_program::program::is_local;
use pc3_program::walk::written_lengths;
use pc3_syntax::tree::*;
use pc3_unions::member_paths::member_steps;
use pc3_unions::tracking::{leaf, position};

impl Printer<'_, '_> {
    pub(super) fn is_array(&self, e: ExprId) -> bool {
        matches!(self.u().ty(self.u().expr(e).ty.ty), Type::Array { .. })
    }

    /// The variable that an lvalue is part of.
    pub(super) fn root(&self, e: ExprId) -> Option<SymId> {
        match &self.u().expr(e).kind {
            ExprKind::Ident(s) => Some(*s),
            ExprKind::Member {
                base, arrow: false, ..
            } => self.root(*base),
            ExprKind::Index { base, .. } if self.is_array(*base) => self.root(*base),
            _ => None,
        }
    }

    /// Can a checkpoint see the object?
    pub(super) fn matters(&self, e: ExprId) -> bool {
        self.root(e).is_none_or(|s| self.matters_of(s))
    }

    pub(super) fn matters_of(&self, s: SymId) -> bool {
        let sym = self.u().sym(s);
        if !is_local(sym) || self.plan.shadow_set.contains(&s) {
            return true;
        }
        sym.storage != Storage::Register && self.in_function().whole.contains(&s)
    }

    /// The unions of which an lvalue is in a member, from the inside out.
    pub(super) fn hits(&self, e: ExprId) -> Vec<Hit> {
        let u = self.u();
        let mut out = Vec::new();
        let mut at = e;
        loop {
            match &u.expr(at).kind {
                ExprKind::Member { base, arrow, name } => {
                    let (q, steps) = member_steps(u, *base, *arrow, name);
                    let (node, base, arrow) = (at, *base, *arrow);
                    for (i, (r, k, t)) in steps.iter().enumerate().rev() {
                        let d = &u.records[r.index()];
                        if self.cx.noted.contains(r) {
                            out.push(Hit {
                                node,
                                base,
                                arrow,
                                record: q.ty,
                                union: *r,
                                leaf: if i == 0 { None } else { leaf(u, d) },
                                row: match i {
                                    0 => Row::Of(*t),
                                    _ => Row::In(steps[0].2, *r),
                                },
                                member: position(d, *k),
                            });
                        }
                    }
                    if arrow {
                        return out;
                    }
                    at = base;
                }
                ExprKind::Index { base, .. } if self.is_array(*base) => at = *base,
                _ => return out,
            }
        }
    }

    /// Evaluating it again is the same and has no effects, also when unions are written.
    pub(super) fn is_repeatable(&self, e: ExprId, lin: Option<&Linear>) -> bool {
        if lin.is_some_and(|l| l.subst.contains_key(&e))
            || self.in_function().stand_in.contains_key(&e)
        {
            return true;
        }
        let u = self.u();
        let lengths = |e| {
            written_lengths(u, e)
                .into_iter()
                .all(|l| self.is_repeatable(l, lin))
        };
        match &u.expr(e).kind {
            ExprKind::Ident(_) | ExprKind::Int(_) | ExprKind::SizeofExpr(_) => true,
            ExprKind::SizeofType(_) => lengths(e),
            ExprKind::Member { base, arrow, .. } => {
                let through = *arrow || self.place(*base, lin);
                (through && self.is_repeatable(*base, lin))
                    && (self.hits(e).is_empty() || self.is_array(e))
            }
            ExprKind::Deref(a) => self.is_repeatable(*a, lin),
            ExprKind::Cast { arg, .. } => lengths(e) && self.is_repeatable(*arg, lin),
            ExprKind::AddrOf(a) => self.place(*a, lin),
            ExprKind::Index { base, index } => {
                self.is_repeatable(*base, lin) && self.is_repeatable(*index, lin)
            }
            ExprKind::Unary {
                op: UnOp::Plus | UnOp::Minus | UnOp::BitNot | UnOp::Not,
                arg,
            } => self.is_repeatable(*arg, lin),
            ExprKind::Binary { lhs, rhs, .. } => {
                self.is_repeatable(*lhs, lin) && self.is_repeatable(*rhs, lin)
            }
            _ => false,
        }
    }

    /// So for the place of an lvalue.
    pub(super) fn place(&self, e: ExprId, lin: Option<&Linear>) -> bool {
        if self.in_function().stand_in.contains_key(&e) {
            return true;
        }
        match &self.u().expr(e).kind {
            ExprKind::Ident(_) => true,
            ExprKind::Member { base, arrow, .. } => match arrow {
                true => self.is_repeatable(*base, lin),
                false => self.place(*base, lin),
            },
            ExprKind::Deref(a) => self.is_repeatable(*a, lin),
            ExprKind::Index { base, index } => {
                let base = match self.is_array(*base) {
                    true => self.place(*base, lin),
                    false => self.is_repeatable(*base, lin),
                };
                base && self.is_repeatable(*index, lin)
            }
            _ => false,
        }
    }

    /// The part of an lvalue that must be evaluated once: true if it is a pointer.
    pub(super) fn once(&self, e: ExprId, lin: Option<&Linear>) -> Option<(ExprId, bool)> {
        match &self.u().expr(e).kind {
            ExprKind::Member {
                base, arrow: false, ..
            } => self.once(*base, lin),
            ExprKind::Member {
                base, arrow: true, ..
            } if !self.is_array(*base) => {
                (!self.is_repeatable(*base, lin)).then_some((*base, true))
            }
            ExprKind::Index { base, index }
                if self.is_array(*base) && self.is_repeatable(*index, lin) =>
            {
                self.once(*base, lin)
            }
            _ => (!self.place(e, lin)).then_some((e, false)),
        }
    }

    pub(super) fn is_lvalue(&self, e: ExprId) -> bool {
        match &self.u().expr(e).kind {
            ExprKind::Ident(s) => {
                !matches!(self.u().sym(*s).storage, Storage::Register)
                    || self.plan.shadow_set.contains(s)
            }
            ExprKind::Member { base, arrow, .. } => *arrow || self.is_lvalue(*base),
            ExprKind::Index { base, .. } => !self.is_array(*base) || self.is_lvalue(*base),
            ExprKind::Deref(_) => true,
            _ => false,
        }
    }
}
