//! Types as all units spell them, and what kind they are.

use crate::walk::strip_casts;
use pc3_syntax::tree::*;

/// The function type of a function or of a pointer to one.
pub fn function(u: &Unit, ty: TypeId) -> Option<TypeId> {
    match u.ty(ty) {
        Type::Function { .. } => Some(ty),
        Type::Pointer(q) if matches!(u.ty(q.ty), Type::Function { .. }) => Some(q.ty),
        _ => None,
    }
}

pub fn pointee(u: &Unit, ty: TypeId) -> Option<TypeId> {
    match u.ty(ty) {
        Type::Pointer(q) => Some(q.ty),
        Type::Array { elem, .. } => Some(elem.ty),
        _ => None,
    }
}

/// Can it hold an address?
pub fn is_word(u: &Unit, ty: TypeId) -> bool {
    !matches!(
        u.ty(ty),
        Type::Void | Type::Bool | Type::Float(_) | Type::Complex(_) | Type::Record(_)
    )
}

/// Something in it other than a pointer to a function could hold one.
pub fn has_words(u: &Unit, ty: TypeId) -> bool {
    match u.ty(ty) {
        Type::Record(r) => {
            let mut fields = u.records[r.index()].fields.iter().flatten();
            fields.any(|f| has_words(u, f.ty.ty))
        }
        Type::Array { elem, .. } => has_words(u, elem.ty),
        _ => function(u, ty).is_none() && is_word(u, ty),
    }
}

/// Null and other numbers that are no function.
pub fn constant(u: &Unit, e: ExprId) -> bool {
    match &u.expr(strip_casts(u, e)).kind {
        ExprKind::Int(_) => true,
        ExprKind::Unary { arg, .. } => constant(u, *arg),
        ExprKind::Ident(s) => u.sym(*s).kind == SymKind::EnumConst,
        _ => false,
    }
}

/// The type as all units spell it: without qualifiers, structs by their names.
pub fn spelled(unit: usize, u: &Unit, ty: TypeId) -> String {
    let spell = |q: &QualType| spelled(unit, u, q.ty);
    match u.ty(ty) {
        Type::Void => "void".into(),
        Type::Bool => "bool".into(),
        Type::Int(k) => format!("{k:?}"),
        Type::Enum(e) => format!("{:?}", u.enums[e.index()].underlying),
        Type::Float(k) => format!("{k:?}"),
        Type::Complex(k) => format!("complex {k:?}"),
        Type::ComplexInt(k) => format!("complex {k:?}"),
        Type::Pointer(q) => spell(q) + "*",
        Type::Array { elem, .. } => spell(elem) + "[]",
        Type::Function {
            ret,
            params,
            variadic,
            prototype,
        } => {
            let list: Vec<String> = params.iter().map(spell).collect();
            let list = match (prototype, variadic) {
                (false, _) => "?".into(),
                (true, false) => list.join(","),
                (true, true) => list.join(",") + "...",
            };
            format!("{} ({list})", spell(ret))
        }
        Type::Record(r) => format!("record {}", super::record_key(unit, u, *r)),
        Type::VaList => "va_list".into(),
        Type::Vector { elem, bytes } => format!("vector {bytes} {}", spell(elem)),
        Type::Unsupported(s) => s.spelled(u).to_string(),
    }
}
