//! The tables of noted unions: their types, what initialisers give them, and the objects of static storage that begin so.

use super::types::{row, TypeTable};
use crate::emit::global::Global;
use crate::rewrite::collected::{Mark, Row};
use crate::rewrite::runtime_calls::union_tracking::{self};
use crate::rewrite::unit::UnitCx;
use pc3_program::static_objects::static_initialisers;
use pc3_syntax::tree::*;
use pc3_typemetric::descriptor::PC3_UNION_WHOLE;
use pc3_unions::tracking::contains;

pub struct UnionTables {
    pub front: String,
    pub back: String,
    pub statics: Vec<String>,
    pub kinds: Vec<String>,
}

/// Notes of unions: declarations in front, definitions behind, the objects of static storage that begin with some, and
/// the numbers of unions in codes.
pub fn notes(cx: &UnitCx, types: &mut TypeTable, globals: &[Global]) -> UnionTables {
    let (mut front, mut back, mut statics) = (String::new(), String::new(), Vec::new());
    let mut kinds = Vec::new();
    let u = cx.u;
    let mut notes = std::mem::take(&mut *cx.notes.borrow_mut());
    if !cx.noted.is_empty() {
        let mut begins = |name: &str, t: TypeId, list: Vec<Mark>| {
            if list.is_empty() {
                return;
            }
            for (_, row, _) in &list {
                let n = notes.rows.len();
                let name = notes.rows.entry(*row);
                name.or_insert_with(|| format!("pc3_union_{n}"));
            }
            statics.push(format!(
                "{{(void *)&{name}, pc3_marks_{}}}",
                notes.marks.len()
            ));
            notes.marks.push((t, list));
        };
        let mut objects: Vec<(&ExprId, &String)> = cx.objects.iter().collect();
        objects.sort();
        for (e, name) in objects {
            let ExprKind::CompoundLit { ty, init } = &u.expr(*e).kind else {
                continue;
            };
            if !cx.mpi && contains(u, cx.noted, ty.ty) {
                begins(name, ty.ty, union_tracking::marks(u, cx.noted, *ty, init));
            }
        }
        for (s, init) in static_initialisers(u) {
            let Some(g) = globals.iter().find(|g| g.sym == Some(s)) else {
                continue;
            };
            let template = cx.mpi && !cx.private.contains(&s);
            if template || u.sym(s).thread_local || !contains(u, cx.noted, g.ty.ty) {
                continue;
            }
            let list = union_tracking::marks(u, cx.noted, u.sym(s).ty, init);
            begins(&g.c_name, g.ty.ty, list);
        }
    }
    let mut place = |at: Row| {
        let k = match at {
            Row::Of(t) => types.of(t),
            Row::In(outer, r) => types.unnamed(outer, r),
        };
        k.map_or("0".into(), row)
    };
    for (row, name) in &notes.rows {
        let record = match row {
            Row::Of(t) => match u.ty(*t) {
                Type::Record(r) => Some(*r),
                _ => None,
            },
            Row::In(_, r) => Some(*r),
        };
        if let Some(form) = record.and_then(|r| cx.forms.get(&r)) {
            let place = place(*row);
            if place != "0" {
                let whole = if form.whole { PC3_UNION_WHOLE } else { 0 };
                kinds.push(format!("{{{}u, {place}}}", form.number | whole));
            }
        }
        front += &format!("static struct pc3_type *const {name}; ");
        back += &format!("static struct pc3_type *const {name} = {};\n", place(*row));
    }
    for (n, (t, list)) in notes.marks.iter().enumerate() {
        let size = list.len() + 1;
        front += &format!("static const struct pc3_union_mark pc3_marks_{n}[{size}]; ");
        let rows = list
            .iter()
            .map(|(at, row, k)| format!("{{{}, {}, {k}}}, ", place(*row), offset(cx, *t, at)));
        let rows: String = rows.collect();
        back += &format!(
            "static const struct pc3_union_mark pc3_marks_{n}[{size}] = {{ {rows}{{0, 0, 0}} }};\n"
        );
    }
    UnionTables {
        front,
        back,
        statics,
        kinds,
    }
}

/// The offset of a designator in an object of the type.
fn offset(cx: &UnitCx, t: TypeId, designator: &str) -> String {
    let (mut t, mut rest) = (t, designator);
    let mut text = String::new();
    while let Type::Array { elem, .. } = cx.u.ty(t) {
        let Some((index, behind)) = rest.strip_prefix('[').and_then(|r| r.split_once(']')) else {
            break;
        };
        let each = cx.names.type_name(QualType {
            is_const: false,
            ..*elem
        });
        text += &format!("{index} * sizeof({each}) + ");
        (t, rest) = (elem.ty, behind);
    }
    match rest.strip_prefix('.') {
        Some(member) => {
            let c = cx.names.type_name(QualType::plain(t));
            text + &format!("__builtin_offsetof({c}, {member})")
        }
        None => text + "0",
    }
}
