//! One note for stores to a member one behind the other:
//!
//! ```c
//! v->u.text.at = s;          // no note: nothing can look before the next one
//! v->kind = 0;
//! v->u.text.length = n;      // noted
//! ```

use super::Hit;
use crate::rewrite::clones::printer::Printer;
use pc3_program::program::is_local;
use pc3_program::walk::{visit, Node};
use pc3_syntax::tree::*;
use std::collections::HashSet;

/// A store as a statement.
struct Step {
    e: ExprId,
    lhs: ExprId,
    hits: Vec<Hit>,
}

impl Printer<'_, '_> {
    /// Of the statements of a block: stores, and unions that they write, which a later one notes.
    pub(super) fn noted_later(&self, list: &[StmtId]) -> HashSet<(ExprId, RecordId)> {
        let steps: Vec<Option<Step>> = list.iter().map(|s| self.stored(*s)).collect();
        let mut later = HashSet::new();
        for (i, step) in steps.iter().enumerate() {
            let Some(step) = step else { continue };
            let rest = steps[i + 1..].iter().map_while(Option::as_ref);
            let rest: Vec<&Step> = rest.take_while(|s| self.is_plain(s)).collect();
            for h in &step.hits {
                let Some(root) = self.steady(h.base, h.arrow) else {
                    continue;
                };
                let moves = |s: &&&Step| matches!(self.u().expr(s.lhs).kind, ExprKind::Ident(v) if v == root);
                let mut rest = rest.iter().take_while(|s| !moves(s));
                if rest.any(|s| s.hits.iter().any(|other| self.is_same(h, other))) {
                    later.insert((step.e, h.union));
                }
            }
        }
        later
    }

    fn stored(&self, s: StmtId) -> Option<Step> {
        let u = self.u();
        let StmtKind::Expr(Some(e)) = u.stmt(s).kind else {
            return None;
        };
        let lhs = match u.expr(e).kind {
            ExprKind::Assign { lhs, .. } => lhs,
            ExprKind::Unary {
                op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                arg,
            } => arg,
            _ => return None,
        };
        let hits = self.hits(lhs);
        Some(Step { e, lhs, hits })
    }

    /// Nothing else is stored there, called, or copied as a whole.
    fn is_plain(&self, s: &Step) -> bool {
        let u = self.u();
        let mut plain = !self.is_record(u.expr(s.lhs).ty.ty);
        visit(u, Node::Expr(s.e), &mut |n| {
            plain &= match n {
                Node::Stmt(_) => false,
                Node::Expr(e) => match u.expr(e).kind {
                    ExprKind::Call { .. } | ExprKind::StmtExpr(_) | ExprKind::VaArg { .. } => false,
                    ExprKind::Assign { .. }
                    | ExprKind::Unary {
                        op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                        ..
                    } => e == s.e,
                    _ => true,
                },
            };
            plain
        });
        plain
    }

    /// The local that the place of a union is found by, if nothing but an assignment to that makes it another one.
    fn steady(&self, e: ExprId, by_pointer: bool) -> Option<SymId> {
        let u = self.u();
        match u.expr(e).kind {
            ExprKind::Ident(s) => {
                let own = is_local(u.sym(s)) && !self.plan.shadow_set.contains(&s);
                (own || !by_pointer).then_some(s)
            }
            ExprKind::Member { base, arrow, .. } if !by_pointer => self.steady(base, arrow),
            _ => None,
        }
    }

    fn is_same(&self, a: &Hit, b: &Hit) -> bool {
        (a.union, a.member, a.record, a.arrow) == (b.union, b.member, b.record, b.arrow)
            && a.leaf == b.leaf
            && self.is_same_place(a.base, b.base)
    }

    fn is_same_place(&self, a: ExprId, b: ExprId) -> bool {
        let u = self.u();
        match (&u.expr(a).kind, &u.expr(b).kind) {
            (ExprKind::Ident(x), ExprKind::Ident(y)) => x == y,
            (
                ExprKind::Member { base, arrow, name },
                ExprKind::Member {
                    base: other,
                    arrow: by,
                    name: of,
                },
            ) => name == of && arrow == by && self.is_same_place(*base, *other),
            _ => false,
        }
    }
}
