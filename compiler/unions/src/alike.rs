//! What lies in types, scalar by scalar, as far as a change of ABI tells scalars apart.

use crate::member_paths::key;
use pc3_syntax::tree::*;
use std::collections::HashSet;

/// What lies in a type, as far as a change of ABI tells scalars apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scalar {
    Pointer,
    /// Integers and floating point of so many bytes.
    Bytes(u8),
    Long,
    LongDouble,
    Bits(u32),
    /// Like nothing else.
    Other(TypeId),
}

/// Members are compared up to this many scalars.
const MOST: usize = 1 << 12;

/// Each member is the beginning of the longest.
pub fn alike(u: &Unit, d: &Record) -> bool {
    longest(u, d).is_some()
}

fn longest(u: &Unit, d: &Record) -> Option<Vec<Scalar>> {
    longest_of(u, d.fields.iter().flatten())
}

/// Are all members but these alike?
pub(crate) fn alike_without(u: &Unit, r: RecordId, unnamed: &HashSet<(RecordId, usize)>) -> bool {
    let fields = u.records[r.index()].fields.iter().flatten().enumerate();
    let used = fields.filter(|(k, _)| !unnamed.contains(&(r, *k)));
    longest_of(u, used.map(|(_, f)| f)).is_some()
}

fn longest_of<'a>(u: &Unit, fields: impl Iterator<Item = &'a Field>) -> Option<Vec<Scalar>> {
    let mut list: Vec<Vec<Scalar>> = Vec::new();
    for f in fields {
        let mut out = Vec::new();
        field(u, f, &mut out)?;
        list.push(out);
    }
    let longest = list.iter().max_by_key(|l| l.len())?.clone();
    list.iter()
        .all(|l| longest.starts_with(l))
        .then_some(longest)
}

fn field(u: &Unit, f: &Field, out: &mut Vec<Scalar>) -> Option<()> {
    if f.bit_width.is_some() {
        out.push(Scalar::Bits(f.width?));
        return Some(());
    }
    flatten_named(u, f.ty.ty, f.named, out)
}

fn flatten(u: &Unit, t: TypeId, out: &mut Vec<Scalar>) -> Option<()> {
    flatten_named(u, t, None, out)
}

fn flatten_named(
    u: &Unit,
    t: TypeId,
    named: Option<NamedInt>,
    out: &mut Vec<Scalar>,
) -> Option<()> {
    let scalar = match u.ty(t) {
        Type::Pointer(_) => Scalar::Pointer,
        Type::Int(_) if named == Some(NamedInt::Word) => Scalar::Long,
        Type::Int(_) if named == Some(NamedInt::Eight) => Scalar::Bytes(8),
        Type::Bool => Scalar::Bytes(1),
        Type::Int(k) => match k {
            IntKind::Char | IntKind::SChar | IntKind::UChar => Scalar::Bytes(1),
            IntKind::Short | IntKind::UShort => Scalar::Bytes(2),
            IntKind::Int | IntKind::UInt => Scalar::Bytes(4),
            IntKind::LongLong | IntKind::ULongLong => Scalar::Bytes(8),
            IntKind::Long | IntKind::ULong => Scalar::Long,
            IntKind::Int128 | IntKind::UInt128 | IntKind::Bits { .. } => Scalar::Other(t),
        },
        Type::Enum(_) | Type::Float(FloatKind::Float) => Scalar::Bytes(4),
        Type::Float(FloatKind::Double) => Scalar::Bytes(8),
        Type::Float(FloatKind::LongDouble) => Scalar::LongDouble,
        Type::Array {
            elem,
            len: ArrayLen::Const(n),
        } => {
            let mut one = Vec::new();
            flatten_named(u, elem.ty, named, &mut one)?;
            if one.len().saturating_mul(*n as usize) > MOST {
                return None;
            }
            (0..*n).for_each(|_| out.extend(&one));
            return Some(());
        }
        Type::Record(r) if u.records[r.index()].is_union => {
            match longest(u, &u.records[r.index()]) {
                Some(list) => out.extend(list),
                None => out.push(Scalar::Other(t)),
            }
            return Some(());
        }
        Type::Record(r) => {
            for f in u.records[r.index()].fields.iter().flatten() {
                field(u, f, out)?;
            }
            return (out.len() <= MOST).then_some(());
        }
        _ => Scalar::Other(t),
    };
    out.push(scalar);
    Some(())
}

/// Does one of them begin as the other one is, scalar by scalar?
pub(crate) fn begins_alike(u: &Unit, a: TypeId, b: TypeId) -> bool {
    let list = |t: TypeId| {
        let mut out = Vec::new();
        let known = matches!(u.ty(t), Type::Record(r) if u.records[r.index()].fields.is_some());
        (known && flatten(u, t, &mut out).is_some()).then_some(out)
    };
    match (list(a), list(b)) {
        (Some(a), Some(b)) => a.starts_with(&b) || b.starts_with(&a),
        _ => false,
    }
}

/// What lies in a struct up to a field, and the field; None: it cannot be told.
pub fn beginning(u: &Unit, r: RecordId, k: usize) -> Option<Beginning> {
    let mut out = Vec::new();
    let fields = u.records[r.index()].fields.iter().flatten().take(k + 1);
    for f in fields {
        field(u, f, &mut out)?;
    }
    // Unions are known by their names in other units.
    let named = |s: &Scalar| match s {
        Scalar::Other(t) => match u.ty(*t) {
            Type::Record(r) => (*s, Some(key(u, *r))),
            _ => (*s, None),
        },
        s => (*s, None),
    };
    let list = out.iter().map(named);
    let plain = list.map(|(s, name)| match name {
        Some(_) => (Scalar::LongDouble, name),
        None => (s, None),
    });
    Some(Beginning(plain.collect()))
}

#[derive(PartialEq, Eq)]
pub struct Beginning(Vec<(Scalar, Option<String>)>);

/// Are its members scalars, the numbers among them all of one size? Then a value tells what to do with it, where nobody
/// reads it as a certain member.
pub fn left_over(u: &Unit, r: RecordId) -> bool {
    let mut number = None;
    u.records[r.index()].fields.iter().flatten().all(|f| {
        let mut out = Vec::new();
        match (field(u, f, &mut out), &out[..]) {
            (Some(()), [Scalar::Pointer]) => true,
            (Some(()), [s @ Scalar::Bytes(_)]) => *number.get_or_insert(*s) == *s,
            _ => matches!(u.ty(f.ty.ty), Type::Pointer(_)),
        }
    })
}
