//! Names in annotations: members of structs, variables, functions.

use super::{AnnotationSource, Problem};
use crate::program::base_name;
use pc3_syntax::tree::*;

pub(super) struct Thing {
    pub unit: usize,
    pub what: Named,
}

#[derive(Clone, Copy)]
pub(super) enum Named {
    Variable(SymId),
    /// Record and number of the field.
    Member(RecordId, usize),
}

/// `STRUCT.MEMBER`, `VARIABLE`, `VARIABLE.MEMBER`, `FUNCTION.VARIABLE`, each behind `FILE:` where that is needed.
pub(super) fn find(
    units: &[Unit],
    from: &AnnotationSource,
    text: &str,
) -> Result<Vec<Thing>, Problem> {
    let (file, name) = match text.rsplit_once(':') {
        Some((file, name)) => (Some(file.trim()), name.trim()),
        None => (None, text.trim()),
    };
    let keyword = ["struct ", "union "]
        .iter()
        .find_map(|k| name.strip_prefix(k));
    let record_only = keyword.is_some();
    let mut parts = keyword.unwrap_or(name).split('.').map(str::trim);
    let first = parts.next().unwrap_or("");
    let path: Vec<&str> = parts.collect();
    let in_file = |u: &Unit| file.is_none_or(|f| is_file(u, f));
    let mut found = Vec::new();
    let mut owners = false;
    for (unit, u) in units.iter().enumerate().filter(|(_, u)| in_file(u)) {
        for (i, r) in u.records.iter().enumerate() {
            let named = r.tag.as_deref() == Some(first) || r.typedef_name.as_deref() == Some(first);
            if named && r.fields.is_some() && !path.is_empty() {
                owners = true;
                let what = member(u, RecordId(i as u32), &path);
                found.extend(what.map(|what| Thing { unit, what }));
            }
        }
        if record_only {
            continue;
        }
        for (i, s) in u.symbols.iter().enumerate() {
            let id = SymId(i as u32);
            if s.name != first || !matches!(s.kind, SymKind::Var | SymKind::Func) {
                continue;
            }
            owners |= !path.is_empty();
            match (s.kind, path.as_slice()) {
                (SymKind::Var, []) if s.func.is_none() => {
                    found.push(Thing {
                        unit,
                        what: Named::Variable(id),
                    });
                }
                (SymKind::Var, [_, ..]) if s.func.is_none() => {
                    if let Type::Record(r) = u.ty(s.ty.ty) {
                        found.extend(member(u, *r, &path).map(|what| Thing { unit, what }));
                    }
                }
                (SymKind::Func, [local]) => {
                    let f = u.functions.iter().find(|f| f.sym == id);
                    let all = f.iter().flat_map(|f| f.params.iter().chain(&f.locals));
                    for l in all.filter(|l| u.sym(**l).name == *local) {
                        if matches!(u.sym(*l).kind, SymKind::Var | SymKind::Param) {
                            found.push(Thing {
                                unit,
                                what: Named::Variable(*l),
                            });
                        }
                    }
                }
                _ => {}
            }
        }
    }
    // What a unit says of a static name is about its own.
    if let AnnotationSource::Pragma(own, _) = from {
        let local = |t: &Thing| match t.what {
            Named::Variable(s) => !is_shared(units[t.unit].sym(s)),
            Named::Member(..) => false,
        };
        if found.iter().any(|t| t.unit == *own && local(t)) {
            found.retain(|t| t.unit == *own);
        }
    }
    if !found.is_empty() {
        return Ok(found);
    }
    Err(Problem::Absent(match (owners, path.as_slice()) {
        (_, []) => format!("there is no variable `{name}`"),
        (true, _) => format!("`{first}` has no `{}`", path.join(".")),
        (false, _) => format!("there is no struct, variable or function `{first}`"),
    }))
}

fn is_file(u: &Unit, name: &str) -> bool {
    name == base_name(&u.path) || u.path.ends_with(&format!("/{name}")) || name == u.path
}

fn is_shared(s: &Symbol) -> bool {
    s.is_global && s.storage != Storage::Static
}

/// The field at the end of a path, through unnamed members.
fn member(u: &Unit, r: RecordId, path: &[&str]) -> Option<Named> {
    let (first, rest) = path.split_first()?;
    let fields = u.records[r.index()].fields.as_ref()?;
    for (k, f) in fields.iter().enumerate() {
        match (&f.name, u.ty(f.ty.ty)) {
            (Some(n), _) if n == first => {
                return match (rest, u.ty(f.ty.ty)) {
                    ([], _) => Some(Named::Member(r, k)),
                    (_, Type::Record(inner)) => member(u, *inner, rest),
                    _ => None,
                }
            }
            (None, Type::Record(inner)) => {
                if let Some(found) = member(u, *inner, path) {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}

/// A function that some unit defines, `FUNCTION` or `FILE:FUNCTION`; of several, the pragma's own.
pub(super) fn function(
    units: &[Unit],
    from: &AnnotationSource,
    name: &str,
) -> Result<(usize, FuncId), Problem> {
    let all = functions(units, from, name);
    match all.as_slice() {
        [] => Err(Problem::Absent(format!(
            "no source defines a function `{name}`"
        ))),
        [one] => Ok(*one),
        _ => Err(Problem::Wrong(format!(
            "several sources define a function `{name}`"
        ))),
    }
}

pub(super) fn functions(
    units: &[Unit],
    from: &AnnotationSource,
    name: &str,
) -> Vec<(usize, FuncId)> {
    let (file, name) = match name.rsplit_once(':') {
        Some((file, name)) => (Some(file.trim()), name.trim()),
        None => (None, name),
    };
    let mut all: Vec<(usize, FuncId)> = Vec::new();
    let in_file = |u: &Unit| file.is_none_or(|f| is_file(u, f));
    for (unit, u) in units.iter().enumerate().filter(|(_, u)| in_file(u)) {
        let named = |f: &&Function| u.sym(f.sym).name == name;
        let found = u.functions.iter().position(|f| named(&f));
        all.extend(found.map(|k| (unit, FuncId(k as u32))));
    }
    if let AnnotationSource::Pragma(own, _) = from {
        if all.iter().any(|(unit, _)| unit == own) {
            all.retain(|(unit, _)| unit == own);
        }
    }
    all
}
