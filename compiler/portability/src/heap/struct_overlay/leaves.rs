//! What a struct consists of, to be compared with another one.

use super::record;
use crate::heap::types::is_char;
use pc3_program::initialiser::parts;
use pc3_syntax::tree::*;

/// Each with the number of the outermost member that it is in.
pub type Leaves = Vec<(usize, Leaf)>;

/// What tells a struct's members apart, in order: the same in all units.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Leaf {
    Number(u8),
    Float(FloatKind),
    Pointer,
    Bits(u32),
    /// One of these.
    Either(Vec<Leaves>),
    /// There may be room here, or behind an array as long as it gets.
    End,
    Open,
    /// By its name.
    Other(String),
}

/// More elements of an array than that are alike anyway; and so many leaves are enough.
const MOST: u64 = 256;
const ENOUGH: usize = 4096;

pub fn leaves(u: &Unit, t: TypeId) -> Leaves {
    let mut list = Leaves::new();
    collect(u, t, None, &mut list);
    list
}

fn collect(u: &Unit, t: TypeId, member: Option<usize>, out: &mut Leaves) {
    let at = member.unwrap_or(0);
    if out.len() > ENOUGH {
        return;
    }
    let leaf = match u.ty(t) {
        Type::Bool => Leaf::Number(0),
        Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar) => Leaf::Number(1),
        Type::Int(IntKind::Short | IntKind::UShort) => Leaf::Number(2),
        Type::Int(IntKind::Int | IntKind::UInt) => Leaf::Number(3),
        Type::Int(IntKind::Long | IntKind::ULong) => Leaf::Number(4),
        Type::Int(IntKind::LongLong | IntKind::ULongLong) => Leaf::Number(5),
        Type::Enum(_) => Leaf::Number(3),
        Type::Float(k) => Leaf::Float(*k),
        Type::Pointer(_) => Leaf::Pointer,
        Type::Array { elem, len } => {
            let n = match len {
                ArrayLen::Const(n) if *n > 1 => *n,
                ArrayLen::Target(_) => return out.push((at, other(u, t))),
                _ => return out.push((at, Leaf::Open)),
            };
            for _ in 0..n.min(MOST) {
                collect(u, elem.ty, Some(at), out);
            }
            return;
        }
        Type::Record(r) => {
            let d = &u.records[r.index()];
            if d.is_union {
                let members = parts(d).map(|f| inner(u, f.ty.ty)).collect();
                return out.push((at, Leaf::Either(members)));
            }
            let first = out.len();
            for (i, f) in d.fields.iter().flatten().enumerate() {
                let at = member.unwrap_or(i);
                match f.width {
                    Some(n) => out.push((at, Leaf::Bits(n))),
                    None if f.bit_width.is_some() => out.push((at, Leaf::Bits(0))),
                    None => collect(u, f.ty.ty, Some(at), out),
                }
            }
            let mixed = out[first..].windows(2).any(|w| w[0].1 != w[1].1);
            if member.is_some() && mixed {
                out.push((at, Leaf::End));
            }
            return;
        }
        _ => other(u, t),
    };
    out.push((at, leaf));
}

fn other(u: &Unit, t: TypeId) -> Leaf {
    Leaf::Other(u.type_name(QualType::plain(t)))
}

/// Of a part: nothing is known of what stands behind it.
fn inner(u: &Unit, t: TypeId) -> Leaves {
    let mut list = Leaves::new();
    collect(u, t, Some(0), &mut list);
    while matches!(list.last(), Some((_, Leaf::End))) {
        list.pop();
    }
    list
}

/// Where the second differs from the first, as the number of its member: None if one begins as the other.
pub fn differs(a: &[(usize, Leaf)], b: &[(usize, Leaf)]) -> Option<usize> {
    for (i, ((_, x), (at, y))) in a.iter().zip(b).enumerate() {
        match (x, y) {
            (Leaf::Open, _) | (_, Leaf::Open) => return None,
            (Leaf::Either(list), _) if x != y => {
                let fits = list.iter().any(|l| differs(l, &b[i..]).is_none());
                return (!fits).then_some(*at);
            }
            (_, Leaf::Either(list)) if x != y => {
                let fits = list.iter().any(|l| differs(l, &a[i..]).is_none());
                return (!fits).then_some(*at);
            }
            _ if x != y => return Some(*at),
            _ => {}
        }
    }
    None
}

/// May a pointer to a number or a pointer be one to what a struct begins with? Of other types it is not asked.
pub fn begins(u: &Unit, of: QualType, wanted: QualType) -> bool {
    let scalar = matches!(
        u.ty(wanted.ty),
        Type::Int(_) | Type::Float(_) | Type::Pointer(_)
    );
    if !scalar || is_char(u, wanted) || record(u, of.ty).is_none() {
        return true;
    }
    differs(&inner(u, wanted.ty), &leaves(u, of.ty)).is_none()
}
