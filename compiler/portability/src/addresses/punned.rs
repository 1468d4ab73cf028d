//! Unions by which an address becomes a number, or a number a pointer: a local one of which one member is written and
//! another read.  One of which both are written is a variant, whose numbers are numbers.

use super::kinds::{is_address, is_number};
use pc3_program::program::is_local;
use pc3_program::walk::{init_exprs, visit_decls, Node};
use pc3_syntax::tree::*;
use std::collections::HashSet;

/// Of one unit.
pub struct Punned {
    /// Pointers are put into them.
    from_pointers: HashSet<SymId>,
    /// Numbers are.
    from_numbers: HashSet<SymId>,
}

impl Punned {
    pub fn new(u: &Unit) -> Punned {
        let mut pointers = HashSet::new();
        let mut numbers = HashSet::new();
        for x in &u.exprs {
            let ExprKind::Assign { lhs, rhs, .. } = x.kind else {
                continue;
            };
            match (u.expr(lhs).kind.clone(), member_of(u, lhs)) {
                // A copy of another: of either.
                (ExprKind::Ident(s), _) => {
                    pointers.insert(s);
                    numbers.insert(s);
                }
                (_, Some(s)) if is_address(u, u.expr(lhs).ty.ty) => _ = pointers.insert(s),
                (_, Some(s)) if !is_zero(u, rhs) => _ = numbers.insert(s),
                _ => {}
            }
        }
        for f in &u.functions {
            visit_decls(u, Node::Stmt(f.body), &mut |d, _| {
                for v in &d.vars {
                    let Some(init) = &v.init else { continue };
                    if matches!(init, Init::Expr(_)) {
                        pointers.insert(v.sym);
                        numbers.insert(v.sym);
                    }
                    init_exprs(init, &mut |e| match is_address(u, u.expr(e).ty.ty) {
                        true => _ = pointers.insert(v.sym),
                        false if !is_zero(u, e) => _ = numbers.insert(v.sym),
                        false => {}
                    });
                }
            });
        }
        Punned {
            from_pointers: pointers.difference(&numbers).copied().collect(),
            from_numbers: numbers.difference(&pointers).copied().collect(),
        }
    }

    /// Is it an address, read as a number?
    pub(crate) fn is_address_as_number(&self, u: &Unit, e: ExprId) -> bool {
        is_number(u, u.expr(e).ty.ty)
            && match member_of(u, e) {
                Some(s) => self.from_pointers.contains(&s),
                None => of_literal(u, e),
            }
    }

    /// Is it a number, read as a pointer?
    pub(crate) fn is_number_as_pointer(&self, u: &Unit, e: ExprId) -> bool {
        is_address(u, u.expr(e).ty.ty)
            && member_of(u, e).is_some_and(|s| self.from_numbers.contains(&s))
    }
}

fn is_zero(u: &Unit, e: ExprId) -> bool {
    matches!(u.expr(e).kind, ExprKind::Int(0))
}

fn is_union(u: &Unit, ty: TypeId) -> bool {
    matches!(u.ty(ty), Type::Record(r) if u.records[r.index()].is_union)
}

/// What an expression is a member of, or an element of one.
fn whole(u: &Unit, e: ExprId) -> Option<ExprId> {
    let mut at = e;
    loop {
        at = match u.expr(at).kind {
            ExprKind::Member {
                base, arrow: false, ..
            } => base,
            ExprKind::Index { base, .. } => base,
            _ => return (at != e).then_some(at),
        };
    }
}

/// The local union whose member it is.
fn member_of(u: &Unit, e: ExprId) -> Option<SymId> {
    let ExprKind::Ident(s) = u.expr(whole(u, e)?).kind else {
        return None;
    };
    let sym = u.sym(s);
    (sym.kind == SymKind::Var && is_local(sym) && is_union(u, sym.ty.ty)).then_some(s)
}

/// `((union word){.p = q}).n`
fn of_literal(u: &Unit, e: ExprId) -> bool {
    let Some(ExprKind::CompoundLit { ty, init, .. }) = whole(u, e).map(|w| &u.expr(w).kind) else {
        return false;
    };
    let mut pointer = false;
    init_exprs(init, &mut |x| pointer |= is_address(u, u.expr(x).ty.ty));
    pointer && is_union(u, ty.ty)
}
