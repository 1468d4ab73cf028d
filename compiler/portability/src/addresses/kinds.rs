//! What types and expressions are, as far as addresses in numbers go.

use pc3_program::walk::{strip_casts, visit, Node};
use pc3_syntax::tree::*;
use std::collections::HashSet;

pub(crate) fn has_sizeof(u: &Unit, e: ExprId) -> bool {
    match u.expr(e).kind {
        ExprKind::SizeofExpr(_) | ExprKind::SizeofType(_) => true,
        ExprKind::Cast { arg, .. } => has_sizeof(u, arg),
        ExprKind::Binary { lhs, rhs, .. } => has_sizeof(u, lhs) || has_sizeof(u, rhs),
        _ => false,
    }
}

/// Is a size in it?
pub(crate) fn holds_size(u: &Unit, e: ExprId) -> bool {
    has_size(u, Node::Expr(e))
}

pub(crate) fn has_size(u: &Unit, n: Node) -> bool {
    let mut found = false;
    visit(u, n, &mut |n| {
        if let Node::Expr(e) = n {
            found |= has_sizeof(u, e);
        }
        !found
    });
    found
}

pub fn is_number(u: &Unit, ty: TypeId) -> bool {
    matches!(u.ty(ty), Type::Int(_))
}

/// Is it where the stack is?  As a number it only says how deep that is (`pc3_depth` in pc3_rt.h).
pub fn is_depth(u: &Unit, e: ExprId) -> bool {
    let ExprKind::Call { callee, .. } = u.expr(strip_casts(u, e)).kind else {
        return false;
    };
    matches!(u.expr(callee).kind, ExprKind::Ident(s) if u.sym(s).name == "__builtin_frame_address")
}

pub fn is_address(u: &Unit, ty: TypeId) -> bool {
    matches!(
        u.ty(ty),
        Type::Pointer(_) | Type::Array { .. } | Type::Function { .. }
    )
}

pub fn pointee(u: &Unit, ty: TypeId) -> Option<TypeId> {
    match u.ty(ty) {
        Type::Pointer(q) => Some(q.ty),
        Type::Array { elem, .. } => Some(elem.ty),
        _ => None,
    }
}

pub(crate) fn holds_addresses(u: &Unit, ty: TypeId) -> bool {
    match u.ty(ty) {
        Type::Pointer(_) => true,
        Type::Array { elem, .. } => holds_addresses(u, elem.ty),
        Type::Record(r) => {
            let fields = u.records[r.index()].fields.iter().flatten();
            fields.into_iter().any(|f| holds_addresses(u, f.ty.ty))
        }
        _ => false,
    }
}

/// Of a union only what no member tells: the bytes of one that may be a number are copied as that.
pub(crate) fn copies_addresses(u: &Unit, ty: TypeId) -> bool {
    match u.ty(ty) {
        Type::Record(r) if u.records[r.index()].is_union => {
            let mut members = u.records[r.index()].fields.iter().flatten();
            holds_addresses(u, ty) && !members.any(|f| is_number(u, f.ty.ty))
        }
        _ => holds_addresses(u, ty),
    }
}

/// Variables that point to characters, and also, cast, to what holds addresses.
pub(crate) fn cursors(u: &Unit) -> HashSet<SymId> {
    let mut all = HashSet::new();
    for x in &u.exprs {
        let ExprKind::Cast { arg, .. } = x.kind else {
            continue;
        };
        if let ExprKind::Ident(s) = u.expr(strip_casts(u, arg)).kind {
            let characters = pointee(u, u.sym(s).ty.ty).is_some_and(|t| is_character(u, t));
            let other = pointee(u, x.ty.ty).is_some_and(|t| holds_addresses(u, t));
            if characters && other && matches!(u.ty(u.sym(s).ty.ty), Type::Pointer(_)) {
                all.insert(s);
            }
        }
    }
    all
}

pub(crate) fn is_character(u: &Unit, ty: TypeId) -> bool {
    matches!(
        u.ty(ty),
        Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar)
    )
}

/// Is a function's parameter a pointer to what is constant?
pub(crate) fn reads_only(u: &Unit, callee: ExprId, argument: usize) -> bool {
    let mut ty = u.expr(callee).ty.ty;
    if let Type::Pointer(q) = u.ty(ty) {
        ty = q.ty;
    }
    let Type::Function { params, .. } = u.ty(ty) else {
        return false;
    };
    params.get(argument).is_some_and(|q| match u.ty(q.ty) {
        Type::Pointer(to) | Type::Array { elem: to, .. } => to.is_const,
        _ => false,
    })
}
