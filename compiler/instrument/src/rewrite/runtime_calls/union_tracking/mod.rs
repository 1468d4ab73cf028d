//! Notes of which member of a union is written (`pc3_unions::tracking` says of which), behind what writes it:
//!
//! ```c
//! v->u.d = x;                // user
//! __extension__({ v->u.d = x; pc3_note(...); });              // pc3_union_set(...) where a note is no constant
//!
//! *sp++ = w;
//! __extension__({ struct value *pc3_p7 = &(*sp++); (*pc3_p7) = w; pc3_union_copied(pc3_p7, &(w), pc3_union_9); });
//! ```
//! What is stored into is evaluated once; where it can be evaluated again without effects it is. A pointer to a member that is
//! kept counts as a writer for good, one that a function has while it runs until it returns.
//!
//! * `stores`: which stores are noted; `copies`, `values`: values that are copied, returned, initialised.
//! * `merged`: stores of which a later one's note is enough.
//! * `places`: what an lvalue leads through; `notes`: the text of a note; `marks`: pointers to members.

mod copies;
mod marks;
mod merged;
mod notes;
mod places;
mod stores;
mod values;

use crate::rewrite::clones::edits::Edits;
use crate::rewrite::clones::printer::{InFunction, Printer};
use crate::rewrite::collected::Row;
pub use marks::marks;
use pc3_program::linear::Linear;
use pc3_program::walk::{visit, Node};
use pc3_syntax::tree::*;
use pc3_unions::tracking::contains;
use std::cell::RefMut;
use std::collections::HashSet;

/// A member of a noted union, on the way of an lvalue.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The expression that names it.
    node: ExprId,
    /// What that is a member of, and by a pointer?
    base: ExprId,
    arrow: bool,
    /// The base's type.
    record: TypeId,
    union: RecordId,
    /// A name in the union, if that has none itself.
    leaf: Option<String>,
    row: Row,
    member: usize,
}

impl Printer<'_, '_> {
    pub fn notes(&self) -> bool {
        !self.cx.noted.is_empty()
    }

    pub(super) fn has_union(&self, t: TypeId) -> bool {
        contains(self.u(), self.cx.noted, t)
    }

    pub(super) fn is_record(&self, t: TypeId) -> bool {
        matches!(self.u().ty(t), Type::Record(_))
    }

    /// What stands for `e`, or takes it along.
    pub fn replaced(&self, e: ExprId, lin: Option<&Linear>, out: &mut Edits) -> bool {
        if !self.notes() {
            return false;
        }
        let span = &self.u().expr(e).span;
        let stand_in = self.in_function().stand_in.get(&e).cloned();
        if let Some(text) = stand_in {
            out.replace(span, text);
            return true;
        }
        if self.in_function().given.remove(&e) {
            if let Some(text) = self.passed_value(e, lin) {
                out.replace(span, text);
                return true;
            }
        }
        false
    }

    /// Expressions that write unions, or give away pointers into them.
    pub fn noted(&self, e: ExprId, lin: Option<&Linear>, out: &mut Edits) -> bool {
        if !self.notes() {
            return false;
        }
        let x = self.u().expr(e);
        match &x.kind {
            ExprKind::Assign { lhs, rhs, .. } => {
                self.hold_decayed(*rhs);
                self.store(e, *lhs, Some(*rhs), lin, out)
            }
            ExprKind::Unary {
                op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                arg,
            } => self.store(e, *arg, None, lin, out),
            ExprKind::Member { .. } => self.held_member(e, lin, out),
            ExprKind::AddrOf(a) => {
                self.hold(*a);
                false
            }
            ExprKind::Cast { arg, .. } => {
                if !self.in_function().given.contains(arg) {
                    self.hold_decayed(*arg);
                }
                false
            }
            ExprKind::Binary {
                op: BinOp::Add | BinOp::Sub,
                lhs,
                rhs,
            } if matches!(self.u().ty(x.ty.ty), Type::Pointer(_)) => {
                self.hold_decayed(*lhs);
                self.hold_decayed(*rhs);
                false
            }
            ExprKind::CompoundLit { ty, init } => {
                let marks = self.marks(*ty, init);
                if !self.has_union(ty.ty) {
                    return false;
                }
                let mut inner = Edits::default();
                if !self.compound_literal(e, lin, &mut inner) {
                    self.children(e, lin, &mut inner);
                }
                let text = inner.apply(self.cx, &x.span);
                let to = self.cx.names.pointer_to(*ty, "");
                let marks = self.mark_list(ty.ty, marks);
                out.replace(
                    &x.span,
                    format!("(*({to})pc3_union_made((const void *)&{text}, sizeof({text_type}), {marks}))", text_type = self.cx.names.type_name(*ty)),
                );
                true
            }
            _ => false,
        }
    }

    pub(super) fn in_function(&self) -> RefMut<'_, InFunction> {
        let mut s = self.noting.borrow_mut();
        if !s.ready {
            s.ready = true;
            self.look(&mut s);
        }
        s
    }

    pub(super) fn look(&self, s: &mut InFunction) {
        let u = self.u();
        if self.f.index() >= u.functions.len() {
            return;
        }
        let mut consumed = HashSet::new();
        let mut chains = Vec::new();
        let drop = |s: &mut InFunction, e: ExprId| {
            let mut todo = vec![e];
            while let Some(e) = todo.pop() {
                s.unused.insert(e);
                match &u.expr(e).kind {
                    ExprKind::Comma(list) => todo.extend(list.last()),
                    ExprKind::Cast { to, arg } if matches!(u.ty(to.ty), Type::Void) => {
                        todo.push(*arg)
                    }
                    _ => {}
                }
            }
        };
        visit(u, Node::Stmt(u.func(self.f).body), &mut |n| {
            match n {
                Node::Stmt(st) => match &u.stmt(st).kind {
                    StmtKind::Block(list) => s.later.extend(self.noted_later(list)),
                    StmtKind::Expr(Some(e)) if !self.values.contains(&st) => drop(s, *e),
                    StmtKind::For { init, step, .. } => {
                        step.iter().for_each(|e| drop(s, *e));
                        if let ForInit::Expr(e) = init {
                            drop(s, *e);
                        }
                    }
                    _ => {}
                },
                Node::Expr(e) => match &u.expr(e).kind {
                    ExprKind::Comma(list) => {
                        let n = list.len().saturating_sub(1);
                        list[..n].iter().for_each(|e| drop(s, *e));
                    }
                    ExprKind::Member {
                        base, arrow: false, ..
                    } => {
                        consumed.insert(*base);
                        chains.push(e);
                    }
                    ExprKind::Index { base, .. } if self.is_array(*base) => {
                        consumed.insert(*base);
                        chains.push(e);
                    }
                    ExprKind::Ident(_) => chains.push(e),
                    _ => {}
                },
            }
            true
        });
        for e in chains {
            if !consumed.contains(&e) && self.has_union(u.expr(e).ty.ty) {
                s.whole.extend(self.root(e));
            }
        }
    }
}

fn plain(ty: TypeId) -> QualType {
    QualType::plain(ty)
}
