//! Unions in structs, and the lvalues that lead to them.

use super::{Home, Unions};
use crate::expressions::is_array;
use crate::member_paths::{key, member_steps};
use pc3_syntax::tree::*;

/// The object that a union or an integer is a member of.
#[derive(Clone, Debug)]
pub struct Owner {
    pub base: ExprId,
    pub arrow: bool,
    /// From the base's type through unnamed members.
    pub way: Vec<usize>,
    pub record: RecordId,
    pub field: usize,
}

impl Owner {
    pub fn home(&self, u: &Unit) -> Home {
        (key(u, self.record), self.field)
    }
}

/// A member of such a union, on the way of an lvalue.
pub struct Hit {
    pub union: String,
    pub member: usize,
    pub owner: Option<Owner>,
}

/// What an lvalue is a member of, if it names one.
pub fn owner(u: &Unit, e: ExprId) -> Option<Owner> {
    let ExprKind::Member { base, arrow, name } = &u.expr(e).kind else {
        return None;
    };
    let (_, steps) = member_steps(u, *base, *arrow, name);
    let (last, way) = steps.split_last()?;
    Some(owner_at(*base, *arrow, way, last))
}

fn owner_at(
    base: ExprId,
    arrow: bool,
    way: &[(RecordId, usize, TypeId)],
    at: &(RecordId, usize, TypeId),
) -> Owner {
    Owner {
        base,
        arrow,
        way: way.iter().map(|s| s.1).collect(),
        record: at.0,
        field: at.1,
    }
}

/// The unions in members of which an lvalue lies, from the inside out.
pub fn hits(u: &Unit, unions: &Unions, e: ExprId) -> Vec<Hit> {
    let mut out = Vec::new();
    let mut at = e;
    loop {
        match &u.expr(at).kind {
            ExprKind::Member { base, arrow, name } => {
                let (_, steps) = member_steps(u, *base, *arrow, name);
                for (i, (r, k, _)) in steps.iter().enumerate().rev() {
                    let Some(union) = unions.get(r) else { continue };
                    let owner = match i.checked_sub(1) {
                        Some(n) => Some(owner_at(*base, *arrow, &steps[..n], &steps[n])),
                        None if *arrow => None,
                        None => owner(u, *base),
                    };
                    out.push(Hit {
                        union: union.clone(),
                        member: *k,
                        owner,
                    });
                }
                if *arrow {
                    return out;
                }
                at = *base;
            }
            ExprKind::Index { base, .. } if is_array(u, *base) => at = *base,
            _ => return out,
        }
    }
}

/// The union that an lvalue is, as a whole.
pub fn whole<'s>(u: &Unit, unions: &'s Unions, t: TypeId) -> Option<&'s String> {
    match u.ty(t) {
        Type::Record(r) => unions.get(r),
        _ => None,
    }
}

/// The same object?
pub(crate) fn same_owner(u: &Unit, a: &Owner, b: &Owner) -> bool {
    a.record == b.record && a.way == b.way && a.arrow == b.arrow && same(u, a.base, b.base)
}

/// The same expression, by what it names.
pub fn same(u: &Unit, a: ExprId, b: ExprId) -> bool {
    use ExprKind::*;
    match (&u.expr(a).kind, &u.expr(b).kind) {
        (Ident(x), Ident(y)) => x == y,
        (Int(x), Int(y)) => x == y,
        (
            Member { base, arrow, name },
            Member {
                base: other,
                arrow: by,
                name: of,
            },
        ) => name == of && arrow == by && same(u, *base, *other),
        (
            Index { base, index },
            Index {
                base: other,
                index: at,
            },
        ) => same(u, *base, *other) && same(u, *index, *at),
        (AddrOf(x), AddrOf(y)) | (Deref(x), Deref(y)) => same(u, *x, *y),
        (Cast { to, arg }, Cast { to: of, arg: other }) => to.ty == of.ty && same(u, *arg, *other),
        _ => false,
    }
}

/// What a place depends on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depends {
    /// On locals of which nobody has the address.
    Locals,
    /// On memory as well.
    Memory,
    /// On calls and the like.
    More,
}

/// `value`: what the expression's value depends on; else where it is.
pub fn depends(u: &Unit, addressed: &dyn Fn(SymId) -> bool, e: ExprId, value: bool) -> Depends {
    use Depends::*;
    let of = |e: ExprId, value: bool| depends(u, addressed, e, value);
    match &u.expr(e).kind {
        ExprKind::Int(_) | ExprKind::SizeofType(_) => Locals,
        ExprKind::Ident(s) => {
            let sym = u.sym(*s);
            let local = pc3_program::program::is_local(sym) && !addressed(*s);
            match value && !sym.is_constant() && !local && !is_array(u, e) {
                true => Memory,
                false => Locals,
            }
        }
        ExprKind::Member { base, arrow, .. } => {
            let load = if value && !is_array(u, e) {
                Memory
            } else {
                Locals
            };
            of(*base, *arrow).max(match *arrow || !is_named_local(u, addressed, e) {
                true => load,
                false => Locals,
            })
        }
        ExprKind::Index { base, index } => {
            let load = if value { Memory } else { Locals };
            let pointer = !is_array(u, *base);
            of(*base, pointer).max(of(*index, true)).max(load)
        }
        ExprKind::AddrOf(a) => of(*a, false),
        ExprKind::Deref(a) => of(*a, true).max(if value { Memory } else { Locals }),
        ExprKind::Cast { arg, .. } => of(*arg, value),
        ExprKind::Binary { lhs, rhs, .. } => of(*lhs, true).max(of(*rhs, true)),
        _ => More,
    }
}

/// A member of a local variable?
fn is_named_local(u: &Unit, addressed: &dyn Fn(SymId) -> bool, e: ExprId) -> bool {
    match &u.expr(e).kind {
        ExprKind::Ident(s) => pc3_program::program::is_local(u.sym(*s)) && !addressed(*s),
        ExprKind::Member { base, arrow, .. } => !arrow && is_named_local(u, addressed, *base),
        _ => false,
    }
}

/// Does the expression name the variable?
pub fn names(u: &Unit, e: ExprId, s: SymId) -> bool {
    use pc3_program::walk::{visit, Node};
    let mut found = false;
    visit(u, Node::Expr(e), &mut |n| {
        if let Node::Expr(x) = n {
            found |= matches!(u.expr(x).kind, ExprKind::Ident(i) if i == s);
        }
        true
    });
    found
}
