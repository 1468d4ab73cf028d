//! Values that initialisers put into the parts of an object.

use super::flow::PointerPlace;
use pc3_program::initialiser::{leaves, parts};
use pc3_syntax::tree::*;

/// An expression of an initialiser, the type of what it initialises, and that place.
pub struct StoredPart {
    pub expr: ExprId,
    pub ty: QualType,
    pub place: Option<PointerPlace>,
}

/// What a braced initialiser of an object of type `q` at `place` stores where.
pub fn stored(
    unit: usize,
    u: &Unit,
    q: QualType,
    place: Option<&PointerPlace>,
    init: &Init,
) -> Vec<StoredPart> {
    if matches!(init, Init::Expr(_)) {
        return Vec::new();
    }
    let part = |path: &[u64]| {
        let mut place = place.cloned();
        let mut owner = None;
        let mut q = q;
        for &i in path {
            match u.ty(q.ty) {
                Type::Array { elem, .. } => q = *elem,
                Type::Record(r) => {
                    let field = parts(&u.records[r.index()]).nth(i as usize)?;
                    // Members of an unnamed member are the outer struct's.
                    let of = owner.take().unwrap_or(*r);
                    match &field.name {
                        Some(name) => place = Some(PointerPlace::member(unit, u, of, name)),
                        None => owner = Some(of),
                    }
                    q = field.ty;
                }
                _ => return None,
            }
        }
        place
    };
    let list = leaves(u, q, init).into_iter();
    list.map(|l| StoredPart {
        expr: l.expr,
        ty: l.ty,
        place: part(&l.path),
    })
    .collect()
}
