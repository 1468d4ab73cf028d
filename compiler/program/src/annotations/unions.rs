//! Which member of a union is in use: by an integer beside it.

use super::names::{self, Named};
use super::{wrong, AnnotationSource, Annotations, Problem};
use pc3_syntax::tree::*;
use pc3_typemetric::choice::Choice;

/// `value.as by kind: number = 0, text = 1 | 2, none = *`
pub(super) fn read(
    units: &[Unit],
    from: &AnnotationSource,
    rest: &str,
    out: &mut Annotations,
) -> Result<(), Problem> {
    let Some((what, rules)) = rest.split_once(" by ") else {
        return wrong("`by` is missing behind the name of the union");
    };
    let what = what.trim();
    let member = match what.rsplit_once('.') {
        Some((record, member)) => in_struct(units, record.trim(), member.trim(), rules, out)?,
        None => false,
    };
    if member {
        return Ok(());
    }
    let mut done = false;
    for thing in names::find(units, from, what)? {
        let u = &units[thing.unit];
        let Named::Variable(s) = thing.what else {
            continue;
        };
        let Type::Record(r) = u.ty(u.sym(s).ty.ty) else {
            continue;
        };
        let d = &u.records[r.index()];
        let Some(fields) = d.fields.as_ref().filter(|_| d.is_union) else {
            continue;
        };
        let choice = Choice::parse(rules, &|name| constant(u, name)).map_err(Problem::Wrong)?;
        members(&choice, fields)?;
        if choice.is_by_address() {
            return wrong("`self` is for unions in structs");
        }
        let beside = |t: &Symbol| {
            t.name == choice.tag
                && t.func == u.sym(s).func
                && matches!(t.kind, SymKind::Var | SymKind::Param)
                && is_integer(u, t.ty)
        };
        if !u.symbols.iter().any(beside) {
            return wrong(format!(
                "there is no variable `{}` beside it that is an integer",
                choice.tag
            ));
        }
        out.units[thing.unit].chosen.insert(s, choice);
        done = true;
    }
    if done {
        return Ok(());
    }
    wrong(format!("`{what}` is no union"))
}

fn constant(u: &Unit, name: &str) -> Option<i128> {
    let is = |s: &&Symbol| s.kind == SymKind::EnumConst && s.name == name;
    u.symbols.iter().find(is).and_then(|s| s.value)
}

fn is_integer(u: &Unit, q: QualType) -> bool {
    matches!(u.ty(q.ty), Type::Int(_) | Type::Bool | Type::Enum(_))
}

/// The members that the rules name must exist.
fn members(choice: &Choice, fields: &[Field]) -> Result<(), Problem> {
    for name in choice.rules.iter().filter_map(|r| r.member.as_deref()) {
        if !fields.iter().any(|f| f.name.as_deref() == Some(name)) {
            return wrong(format!("the union has no member `{name}`"));
        }
    }
    Ok(())
}

/// False: there is no such struct.
fn in_struct(
    units: &[Unit],
    record: &str,
    member: &str,
    rules: &str,
    out: &mut Annotations,
) -> Result<bool, Problem> {
    let record = record.trim_start_matches("struct ").trim();
    let (mut structs, mut found) = (false, false);
    for (unit, u) in units.iter().enumerate() {
        for (i, r) in u.records.iter().enumerate() {
            let named =
                r.tag.as_deref() == Some(record) || r.typedef_name.as_deref() == Some(record);
            let Some(fields) = r.fields.as_ref().filter(|_| named) else {
                continue;
            };
            structs = true;
            let Some((k, d)) = union_member(u, fields, member) else {
                continue;
            };
            found = true;
            let choice = Choice::parse(rules, &|name| constant(u, name)).map_err(Problem::Wrong)?;
            let (fits, what): (&dyn Fn(QualType) -> bool, _) = match choice.is_by_address() {
                true => (&|q| matches!(u.ty(q.ty), Type::Pointer(_)), "a pointer"),
                false => (&|q| is_integer(u, q), "an integer"),
            };
            let tag = |f: &Field| f.name.as_deref() == Some(&choice.tag) && fits(f.ty);
            if !fields.iter().any(tag) {
                return wrong(format!(
                    "`{record}` has no member `{}` that is {what}",
                    choice.tag
                ));
            }
            members(&choice, d.fields.as_deref().unwrap_or_default())?;
            out.units[unit]
                .choices
                .insert((RecordId(i as u32), k), choice);
        }
    }
    if structs && !found {
        return Err(Problem::Absent(format!(
            "`{record}` has no union `{member}`"
        )));
    }
    Ok(found)
}

/// The field that is a union of this name, or is unnamed and has such a member.
fn union_member<'u>(u: &'u Unit, fields: &[Field], name: &str) -> Option<(usize, &'u Record)> {
    let mut unions = fields
        .iter()
        .enumerate()
        .filter_map(|(k, f)| match u.ty(f.ty.ty) {
            Type::Record(r) if u.records[r.index()].is_union => Some((k, f, &u.records[r.index()])),
            _ => None,
        });
    let found = unions.find(|(_, f, d)| match &f.name {
        Some(n) => n == name,
        None => d
            .fields
            .iter()
            .flatten()
            .any(|m| m.name.as_deref() == Some(name)),
    });
    found.map(|(k, _, d)| (k, d))
}
