//! What `memset` needs to know of an object with unions: where these are, if it is cleared as a whole.

use crate::rewrite::unit::UnitCx;
use pc3_syntax::tree::*;
use pc3_unions::tracking::{contains, is_held, leaf, levels};

/// As many places has `pc3_noted_memset`.
const MOST: usize = 4;

/// What goes behind the arguments of `memset` and its like, of an object whose unions all have their notes beside the memory.
pub(super) fn arguments(cx: &UnitCx, name: &str, object: TypeId) -> Option<String> {
    let levels = levels(cx.u, cx.forms, object)?;
    let tables = if is_held(cx.u, cx.forms, object) {
        " | pc3_tables"
    } else {
        ""
    };
    let first = format!(", {levels}{tables}");
    if name != "memset" {
        return Some(first);
    }
    let mut list = Vec::new();
    let start = match cx.u.ty(object) {
        Type::Record(r) => leaf(cx.u, &cx.u.records[r.index()]),
        _ => None,
    };
    let known = start.is_some_and(|at| places(cx, object, at, "", &mut list).is_some());
    let of = cx.names.type_name(QualType::plain(object));
    let whole = if known {
        format!("sizeof({of})")
    } else {
        "0".into()
    };
    list.resize(MOST, None);
    let text = |p: Option<(String, usize)>| match p.filter(|_| known) {
        Some((at, level)) => {
            format!("{level}u << pc3_place_level | __builtin_offsetof({of}, {at})")
        }
        None => "pc3_no_place".into(),
    };
    let all: Vec<String> = list.into_iter().map(text).collect();
    Some(format!("{first}, {whole}, {}", all.join(", ")))
}

/// The noted unions in a struct: how they are named, or what lies at their start, and how deep others lie in them.
fn places(
    cx: &UnitCx,
    t: TypeId,
    at: String,
    way: &str,
    out: &mut Vec<Option<(String, usize)>>,
) -> Option<()> {
    let Type::Record(r) = cx.u.ty(t) else {
        return None;
    };
    if let Some(form) = cx.forms.get(r) {
        out.push(Some((at, form.level?)));
    }
    for f in cx.u.records[r.index()].fields.iter().flatten() {
        if !contains(cx.u, cx.noted, f.ty.ty) {
            continue;
        }
        let Type::Record(inner) = cx.u.ty(f.ty.ty) else {
            return None;
        };
        let at = match &f.name {
            Some(n) => format!("{way}{n}"),
            None => format!("{way}{}", leaf(cx.u, &cx.u.records[inner.index()])?),
        };
        let way = match &f.name {
            Some(n) => format!("{way}{n}."),
            None => way.to_string(),
        };
        places(cx, f.ty.ty, at, &way, out)?;
    }
    (out.len() <= MOST).then_some(())
}
