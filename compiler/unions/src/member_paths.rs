//! The way from a type to a member, and the names that structs and unions have in all units.

use pc3_syntax::tree::*;

/// Units that share a header have the same struct or union.
pub fn key(u: &Unit, r: RecordId) -> String {
    let d = &u.records[r.index()];
    match (&d.tag, &d.typedef_name, &d.def) {
        (Some(t), _, _) if d.is_union => format!("union {t}"),
        (Some(t), _, _) => format!("struct {t}"),
        (None, Some(t), _) => t.clone(),
        (None, None, Some(def)) => {
            let p = u.lines.position(def.start);
            format!("{}:{}:{}", p.file, p.line, p.column)
        }
        (None, None, None) => format!("{} {}", u.name, r.0),
    }
}

/// From a record to a member by name: record, field, and the record's type, through unnamed ones.
pub fn steps(u: &Unit, t: TypeId, name: &str, out: &mut Vec<(RecordId, usize, TypeId)>) -> bool {
    let Type::Record(r) = u.ty(t) else {
        return false;
    };
    for (k, f) in u.records[r.index()].fields.iter().flatten().enumerate() {
        out.push((*r, k, t));
        let found = match &f.name {
            Some(n) => n == name,
            None => steps(u, f.ty.ty, name, out),
        };
        if found {
            return true;
        }
        out.pop();
    }
    false
}

/// The type that `base.name` or `base->name` looks into, and the way to the member there.
pub fn member_steps(
    u: &Unit,
    base: ExprId,
    arrow: bool,
    name: &str,
) -> (QualType, Vec<(RecordId, usize, TypeId)>) {
    let mut q = u.expr(base).ty;
    if let (true, Type::Pointer(to) | Type::Array { elem: to, .. }) = (arrow, u.ty(q.ty)) {
        q = *to;
    }
    let mut list = Vec::new();
    steps(u, q.ty, name, &mut list);
    (q, list)
}
