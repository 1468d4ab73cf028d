//! Objects of static storage that an initialiser makes longer than their type: structs with a flexible array at the end.

use pc3_program::initialiser::{leaves, parts};
use pc3_program::static_objects::static_initialisers;
use pc3_syntax::tree::*;
use std::collections::HashMap;

pub struct Tail {
    /// The array.
    member: String,
    contents: Contents,
}

enum Contents {
    /// A literal, as it is written.
    Text(String),
    Elements(u64),
}

impl Tail {
    /// C for the size of the object of this name.
    pub fn size(&self, name: &str) -> String {
        let member = &self.member;
        let bytes = match &self.contents {
            Contents::Text(literal) => format!("sizeof({literal})"),
            Contents::Elements(n) => format!("{n} * sizeof({name}.{member}[0])"),
        };
        let end = format!("__builtin_offsetof(__typeof__({name}), {member}) + {bytes}");
        format!("({end} > sizeof({name}) ? {end} : sizeof({name}))")
    }
}

pub fn find(u: &Unit) -> HashMap<SymId, Tail> {
    let of = |(s, init): (SymId, &Init)| Some((s, tail(u, u.sym(s).ty, init)?));
    static_initialisers(u).into_iter().filter_map(of).collect()
}

fn tail(u: &Unit, q: QualType, init: &Init) -> Option<Tail> {
    let Type::Record(r) = u.ty(q.ty) else {
        return None;
    };
    let record = &u.records[r.index()];
    let last = parts(record).count().checked_sub(1)?;
    let field = parts(record).nth(last).filter(|_| !record.is_union)?;
    let Type::Array {
        len: ArrayLen::Unknown,
        ..
    } = u.ty(field.ty.ty)
    else {
        return None;
    };
    let mut contents = Contents::Elements(0);
    for l in leaves(u, q, init) {
        match (&l.path[..], &mut contents) {
            ([at], _) if *at == last as u64 => {
                contents = Contents::Text(u.slice(&u.expr(l.expr).span).to_owned());
            }
            ([at, i, ..], Contents::Elements(n)) if *at == last as u64 => *n = (*n).max(i + 1),
            _ => {}
        }
    }
    Some(Tail {
        member: field.name.clone()?,
        contents,
    })
}
