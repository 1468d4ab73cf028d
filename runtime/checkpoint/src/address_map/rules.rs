//! What a pointer to one type may point to in an object of another one.

use pc3_typemetric::types::{Kind, TypeId, TypeTable};

/// Can it be converted by copying its bytes, whatever the ABIs?  What is not known counts as such.
pub fn of_bytes(types: &TypeTable, ty: TypeId) -> bool {
    let t = types.get(ty);
    match t.kind {
        Kind::Array => of_bytes(types, t.elem),
        Kind::Struct | Kind::Union => t.members.iter().all(|m| of_bytes(types, m.ty)),
        _ => t.size <= 1,
    }
}

/// Does a `ty` begin with an element of type `wanted`?
pub fn begins(types: &TypeTable, ty: TypeId, wanted: TypeId) -> bool {
    let t = types.get(ty);
    ty == wanted
        || match t.kind {
            Kind::Array => begins(types, t.elem, wanted),
            Kind::Struct => t
                .members
                .first()
                .is_some_and(|m| m.bits.is_none() && begins(types, m.ty, wanted)),
            Kind::Union => t
                .members
                .iter()
                .any(|m| m.bits.is_none() && begins(types, m.ty, wanted)),
            _ => false,
        }
}

/// Is there a `wanted`, or something that its bytes could be, at an offset of a `ty`?
pub fn stands(types: &TypeTable, ty: TypeId, offset: u64, wanted: TypeId) -> bool {
    let t = types.get(ty);
    if offset == 0 && ty == wanted {
        return true;
    }
    match t.kind {
        Kind::Array => {
            let one = types.size(t.elem);
            one > 0 && stands(types, t.elem, offset % one, wanted)
        }
        Kind::Struct | Kind::Union => {
            let mut members = t.members.iter().filter(|m| m.bits.is_none());
            members.any(|m| {
                offset >= m.offset
                    && offset - m.offset < types.size(m.ty)
                    && stands(types, m.ty, offset - m.offset, wanted)
            })
        }
        // Numbers of one size are spelled in several ways.
        kind => {
            let w = types.get(wanted);
            let number = |k: Kind| k.is_integer() || matches!(k, Kind::Enum | Kind::Bool);
            offset == 0
                && t.size == w.size
                && (kind == w.kind
                    || (number(kind) && number(w.kind))
                    || (kind.is_reference() && w.kind.is_reference()))
        }
    }
}

/// Does a `ty` end with an element of type `wanted`?
pub fn ends(types: &TypeTable, ty: TypeId, wanted: TypeId) -> bool {
    let t = types.get(ty);
    ty == wanted
        || match t.kind {
            Kind::Array => ends(types, t.elem, wanted),
            Kind::Struct => t
                .members
                .last()
                .is_some_and(|m| m.bits.is_none() && ends(types, m.ty, wanted)),
            Kind::Union => t
                .members
                .iter()
                .any(|m| m.bits.is_none() && ends(types, m.ty, wanted)),
            _ => false,
        }
}

/// Does an element of type `wanted` end at an offset of a row of `ty`?
pub fn is_behind(types: &TypeTable, (ty, offset): (TypeId, u64), wanted: TypeId) -> bool {
    let (one, width) = (types.size(ty), types.size(wanted));
    width > 0 && one > 0 && offset >= width && stands(types, ty, (offset - width) % one, wanted)
}
