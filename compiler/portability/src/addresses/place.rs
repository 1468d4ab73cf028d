//! What can hold a number: a variable, a result, a member of a kind of struct, memory behind pointers.

use super::kinds::pointee;
use pc3_program::groups::GroupId;
use pc3_program::initialiser;
use pc3_program::program::{is_local, FnId, Program};
use pc3_syntax::tree::*;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum NumberPlace {
    /// Of one unit: automatic, static, or a parameter.
    Variable(usize, SymId),
    /// Of external linkage.
    Global(String),
    Result(FnId),
    /// Struct and member.
    Member(String, String),
    /// Elements of arrays, and what pointers to this type point to.
    Memory(IntKind),
    /// Those of them to which this variable or member leads, and others that are known (`Arrays`).
    Elements(Box<NumberPlace>),
    /// A pointer is made of it.
    Pointer,
    /// On the way to the parameters of all functions that calls of a group may reach, and back from their results.
    Handed(GroupId, usize),
    Returned(GroupId),
}

impl NumberPlace {
    pub fn variable(unit: usize, u: &Unit, s: SymId) -> NumberPlace {
        let sym = u.sym(s);
        if sym.is_global && sym.storage != Storage::Static {
            NumberPlace::Global(sym.name.clone())
        } else {
            NumberPlace::Variable(unit, s)
        }
    }

    /// The numbers in an object of this type.
    pub fn within(unit: usize, u: &Unit, ty: TypeId) -> Vec<NumberPlace> {
        let mut list = Vec::new();
        collect(unit, u, ty, &mut list);
        list
    }

    pub fn member(unit: usize, u: &Unit, r: RecordId, name: &str) -> NumberPlace {
        let record = &u.records[r.index()];
        let of = match record.tag.as_ref().or(record.typedef_name.as_ref()) {
            Some(name) => name.clone(),
            None => format!("{unit}:{}", r.0),
        };
        NumberPlace::Member(of, name.to_owned())
    }

    /// Only on the way between calls and functions?
    pub(crate) fn is_between(&self) -> bool {
        matches!(self, NumberPlace::Handed(..) | NumberPlace::Returned(_))
    }

    /// As annotations name it.
    pub fn name(&self, p: &Program) -> Option<String> {
        match self {
            NumberPlace::Variable(unit, s) => {
                let u = &p.units[*unit];
                let sym = u.sym(*s);
                let function = sym.func.map(|f| &u.sym(u.func(f).sym).name);
                Some(function.map_or(sym.name.clone(), |f| format!("{f}.{}", sym.name)))
            }
            NumberPlace::Global(name) => Some(name.clone()),
            NumberPlace::Member(of, name) if of.contains(':') => {
                let around = p
                    .records(of)
                    .find_map(|(_, (unit, r))| around(&p.units[unit], r));
                Some(around.map_or(name.clone(), |of| format!("{of}.{name}")))
            }
            NumberPlace::Member(of, name) => Some(format!("{of}.{name}")),
            NumberPlace::Elements(of) => of.name(p),
            NumberPlace::Result(_) | NumberPlace::Memory(_) | NumberPlace::Pointer => None,
            NumberPlace::Handed(..) | NumberPlace::Returned(_) => None,
        }
    }

    /// Is it part of a checkpoint?
    pub fn kept(&self, p: &Program, saved: &dyn Fn(usize, FuncId, SymId) -> bool) -> bool {
        match self {
            NumberPlace::Variable(unit, s) => {
                let sym = p.units[*unit].sym(*s);
                match sym.func {
                    Some(f) if is_local(sym) => saved(*unit, f, *s),
                    // A constant is made anew.
                    _ => !sym.ty.is_const,
                }
            }
            NumberPlace::Global(name) => {
                let mut symbols = p.globals(name).map(|(_, s)| s);
                !symbols.any(|s| s.defined && s.ty.is_const)
            }
            NumberPlace::Member(..) | NumberPlace::Memory(_) => true,
            // In memory that is known, `Arrays` says it.
            NumberPlace::Elements(_) | NumberPlace::Result(_) | NumberPlace::Pointer => false,
            NumberPlace::Handed(..) | NumberPlace::Returned(_) => false,
        }
    }
}

fn collect(unit: usize, u: &Unit, ty: TypeId, list: &mut Vec<NumberPlace>) {
    match u.ty(ty) {
        Type::Int(k) => list.push(NumberPlace::Memory(*k)),
        Type::Array { elem, .. } => collect(unit, u, elem.ty, list),
        Type::Record(r) => {
            for f in u.records[r.index()].fields.iter().flatten() {
                match (&f.name, u.ty(f.ty.ty)) {
                    (Some(name), Type::Int(_)) => list.push(NumberPlace::member(unit, u, *r, name)),
                    _ => collect(unit, u, f.ty.ty, list),
                }
            }
        }
        _ => {}
    }
}

/// What an unnamed struct that is a member of others is called by way of these: `stats.bytes`.
fn around(u: &Unit, of: RecordId) -> Option<String> {
    let inner = |f: &&Field| matches!(u.ty(f.ty.ty), Type::Record(r) if *r == of);
    let mut all = u.records.iter().enumerate();
    all.find_map(|(k, d)| {
        let f = d.fields.iter().flatten().find(inner)?;
        let outer = match d.tag.as_ref().or(d.typedef_name.as_ref()) {
            Some(name) => name.clone(),
            None => around(u, RecordId(k as u32))?,
        };
        Some(match &f.name {
            Some(name) => format!("{outer}.{name}"),
            None => outer,
        })
    })
}

/// The member in which a part of an object lies.
pub fn part(unit: usize, u: &Unit, ty: QualType, path: &[u64]) -> Option<NumberPlace> {
    let (mut at, mut place) = (ty.ty, None);
    for step in path {
        match u.ty(at) {
            Type::Array { elem, .. } => at = elem.ty,
            Type::Record(r) => {
                let f = initialiser::parts(&u.records[r.index()]).nth(*step as usize)?;
                place = f.name.as_ref().map(|n| NumberPlace::member(unit, u, *r, n));
                at = f.ty.ty;
            }
            _ => break,
        }
    }
    place
}

/// A variable or a member.
pub fn named(unit: usize, u: &Unit, e: ExprId) -> Option<NumberPlace> {
    match &u.expr(e).kind {
        ExprKind::Ident(s) if matches!(u.sym(*s).kind, SymKind::Var | SymKind::Param) => {
            Some(NumberPlace::variable(unit, u, *s))
        }
        ExprKind::Member { base, arrow, name } => {
            let ty = u.expr(*base).ty.ty;
            let record = if *arrow { pointee(u, ty)? } else { ty };
            match u.ty(record) {
                Type::Record(r) => Some(owner(unit, u, *r, name)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The member as its innermost, possibly anonymous, struct knows it.
fn owner(unit: usize, u: &Unit, r: RecordId, name: &str) -> NumberPlace {
    let fields = u.records[r.index()].fields.iter().flatten();
    for f in fields {
        match (&f.name, u.ty(f.ty.ty)) {
            (Some(n), _) if n == name => break,
            (None, Type::Record(inner)) => {
                let mut names = u.records[inner.index()].fields.iter().flatten();
                if names.any(|f| f.name.as_deref() == Some(name) || f.name.is_none()) {
                    return owner(unit, u, *inner, name);
                }
            }
            _ => {}
        }
    }
    NumberPlace::member(unit, u, r, name)
}
