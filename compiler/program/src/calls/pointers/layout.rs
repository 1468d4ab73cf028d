//! How objects lie in memory, as far as that shows without sizes: one mark for each part.

use crate::signatures::function;
use pc3_syntax::tree::*;
use std::fmt::Write;

/// What a visit of a record sees: each part, behind the marks of those in front of it.
pub fn parts(
    u: &Unit,
    r: RecordId,
    marks: &mut String,
    see: &mut dyn FnMut(&str, RecordId, &Field),
) {
    for f in u.records[r.index()].fields.iter().flatten() {
        see(marks, r, f);
        match (&f.bit_width, u.ty(f.ty.ty)) {
            (Some(width), _) => _ = write!(marks, "b{};", u.slice(width)),
            (None, Type::Record(inner)) if !u.records[inner.index()].is_union => {
                parts(u, *inner, marks, see);
            }
            (None, _) => part(u, f.ty.ty, marks),
        }
    }
}

fn part(u: &Unit, ty: TypeId, marks: &mut String) {
    let _ = match u.ty(ty) {
        Type::Int(k) => write!(marks, "i{};", u.target.bits(*k)),
        Type::Enum(e) => write!(marks, "i{};", u.target.bits(u.enums[e.index()].underlying)),
        Type::Bool => write!(marks, "i8;"),
        Type::Float(k) => write!(marks, "{k:?};"),
        Type::Pointer(_) => match function(u, ty) {
            // What would not be callable as the other is not the other.
            Some(f) => write!(marks, "{};", crate::callgraph::rough(u, f)),
            None => write!(marks, "p;"),
        },
        Type::Array { elem, len } => {
            let _ = write!(marks, "{len:?}[");
            part(u, elem.ty, marks);
            write!(marks, "];")
        }
        Type::Record(r) if !u.records[r.index()].is_union => {
            parts(u, *r, marks, &mut |_, _, _| {});
            Ok(())
        }
        Type::Record(r) => {
            let _ = write!(marks, "u(");
            parts(u, *r, marks, &mut |_, _, _| {});
            write!(marks, ");")
        }
        other => write!(marks, "{other:?};"),
    };
}

/// Do both structs have the same parts, as far as the shorter one goes?
pub(crate) fn is_beginning(a: (&Unit, RecordId), b: (&Unit, RecordId)) -> bool {
    let marks = |(u, r): (&Unit, RecordId)| {
        let mut marks = String::new();
        let d = &u.records[r.index()];
        parts(u, r, &mut marks, &mut |_, _, _| {});
        (!d.is_union && d.fields.is_some()).then_some(marks)
    };
    match (marks(a), marks(b)) {
        (Some(a), Some(b)) => a.starts_with(&b) || b.starts_with(&a),
        // What is not known here is no other struct.
        _ => false,
    }
}
