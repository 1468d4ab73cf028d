//! Memory that is written as another struct than the one it was made as: graph reducers that overwrite an application with
//! its value, variants that a cast chooses, links of free items over what they held.
//!
//! What shows it is a pointer to one struct that becomes a pointer to another one, by a cast or through a `void *`
//! variable, where neither begins as the other does, and the program stores in a member that is not what the first has
//! there. A restart elsewhere then asks of each value of the first whether it is the same as the other.

use super::flow::{Flow, Use};
use super::types::{is_char, library_name};
use crate::analysis::initialiser::parts;
use crate::analysis::program::Program;
use crate::analysis::walk::strip_casts;
use crate::emit::types::record_name;
use crate::tree::*;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Memory of one type that the program also has as another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Also {
    pub of: TypeId,
    pub other: TypeId,
    /// Where that is seen first.
    pub at: u32,
}

/// Members that the program stores in, by the struct's name; `*` is all of it.
type Stored = HashMap<String, HashSet<String>>;

/// Per unit, each pair once. `made`: the structs of allocations whose results become pointers to others.
pub fn find(
    p: &Program,
    flows: &[Flow],
    made: &[Vec<(QualType, QualType, ExprId)>],
) -> Vec<Vec<Also>> {
    let mut stored = Stored::new();
    for (unit, u) in p.units.iter().enumerate() {
        stores(unit, u, &mut stored);
    }
    let one = |(unit, flow): (usize, &Flow)| {
        let u = flow.u;
        let mut pairs: Vec<(TypeId, TypeId, u32)> = Vec::new();
        for (e, to, at) in becomes(flow) {
            let mut from = Vec::new();
            sources(flow, e, &mut from, 4);
            pairs.extend(from.into_iter().map(|of| (of, to, at)));
        }
        for (of, to, call) in &made[unit] {
            pairs.push((of.ty, to.ty, u.expr(*call).span.start));
        }
        let mut found = BTreeMap::new();
        for (of, other, at) in pairs {
            let key = (of, other);
            if !found.contains_key(&key) && is_another(unit, u, of, other, &stored) {
                found.insert(key, at);
            }
        }
        let all = found.into_iter();
        all.map(|((of, other), at)| Also { of, other, at })
            .collect()
    };
    flows.iter().enumerate().map(one).collect()
}

/// Expressions that become pointers to structs, the struct, and where.
fn becomes(flow: &Flow) -> Vec<(ExprId, TypeId, u32)> {
    let u = flow.u;
    let mut out = Vec::new();
    for (e, x) in &flow.uses {
        let to = match x {
            Use::Cast(to, _) | Use::Return(to) | Use::Part(to, _) => *to,
            Use::Assign(lhs, _) => u.expr(*lhs).ty,
            Use::Init(s) => u.sym(*s).ty,
            Use::Arg(..) | Use::Same(_) => continue,
        };
        let start = u.expr(*e).span.start;
        if let Some(to) = behind(u, to).filter(|_| !u.lines.is_system(start)) {
            out.push((*e, to, start));
        }
    }
    out.sort_by_key(|(e, ..)| *e);
    out
}

/// The struct that a pointer leads to.
fn behind(u: &Unit, q: QualType) -> Option<TypeId> {
    let Type::Pointer(to) = u.ty(q.ty) else {
        return None;
    };
    record(u, to.ty).map(|_| to.ty)
}

fn record(u: &Unit, t: TypeId) -> Option<&Record> {
    let Type::Record(r) = u.ty(t) else {
        return None;
    };
    let r = &u.records[r.index()];
    (r.fields.is_some() && !r.is_union && r.scope.is_none()).then_some(r)
}

/// The structs that a value points to by its own type, or what it was before it became a `void *`. What lies behind one
/// (`(struct b *)(a + 1)`) is not it.
fn sources(flow: &Flow, e: ExprId, out: &mut Vec<TypeId>, depth: u32) {
    let u = flow.u;
    let e = strip_casts(u, e);
    let (from, moved) = flow.origin(e);
    let of = match &u.expr(e).kind {
        ExprKind::AddrOf(x) if is_behind(u, *x) => return,
        ExprKind::AddrOf(_) => e,
        _ if moved => return,
        _ => from,
    };
    let q = u.expr(of).ty;
    let row = match u.ty(q.ty) {
        Type::Array { elem, .. } => record(u, elem.ty).map(|_| elem.ty),
        _ => None,
    };
    if let Some(t) = behind(u, q).or(row) {
        out.push(t);
        return;
    }
    let ExprKind::Ident(s) = u.expr(of).kind else {
        return;
    };
    let any = matches!(u.ty(q.ty), Type::Pointer(t) if matches!(u.ty(t.ty), Type::Void) || is_char(u, *t));
    // One that has several values may be now this and now that, by what the program knows.
    if let Some(value) = flow.only_value(s).filter(|_| any && depth > 0) {
        sources(flow, value, out, depth - 1);
    }
}

/// `p[1]`: what follows a struct in memory that was made for both.
fn is_behind(u: &Unit, e: ExprId) -> bool {
    let ExprKind::Index { base, index } = u.expr(e).kind else {
        return false;
    };
    let pointer = matches!(u.ty(u.expr(base).ty.ty), Type::Pointer(_));
    pointer && u.view().eval(index).is_some_and(|n| n != 0)
}

/// What tells a struct's members apart, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Leaf {
    Number(u8),
    Float(FloatKind),
    Pointer,
    Bits(u32),
    /// One of these.
    Either(Vec<TypeId>),
    /// There may be room here, or behind an array as long as it gets.
    End,
    Open,
    Other(TypeId),
}

/// More elements of an array than that are alike anyway; and so many leaves are enough.
const MOST: u64 = 256;
const ENOUGH: usize = 4096;

/// Leaves, each with the number of the outermost member that it is in.
fn leaves(u: &Unit, t: TypeId, member: Option<usize>, out: &mut Vec<(usize, Leaf)>) {
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
                ArrayLen::Target(_) => return out.push((at, Leaf::Other(t))),
                _ => return out.push((at, Leaf::Open)),
            };
            for _ in 0..n.min(MOST) {
                leaves(u, elem.ty, Some(at), out);
            }
            return;
        }
        Type::Record(r) => {
            let d = &u.records[r.index()];
            if d.is_union {
                let members = parts(d).map(|f| f.ty.ty).collect();
                return out.push((at, Leaf::Either(members)));
            }
            let first = out.len();
            for (i, f) in d.fields.iter().flatten().enumerate() {
                let at = member.unwrap_or(i);
                match f.width {
                    Some(n) => out.push((at, Leaf::Bits(n))),
                    None if f.bit_width.is_some() => out.push((at, Leaf::Bits(0))),
                    None => leaves(u, f.ty.ty, Some(at), out),
                }
            }
            let mixed = out[first..].windows(2).any(|w| w[0].1 != w[1].1);
            if member.is_some() && mixed {
                out.push((at, Leaf::End));
            }
            return;
        }
        _ => Leaf::Other(t),
    };
    out.push((at, leaf));
}

/// Where the second differs from the first, as the number of its member: None if one begins as the other.
fn differs(u: &Unit, a: &[(usize, Leaf)], b: &[(usize, Leaf)]) -> Option<usize> {
    for (i, ((_, x), (at, y))) in a.iter().zip(b).enumerate() {
        match (x, y) {
            (Leaf::Open, _) | (_, Leaf::Open) => return None,
            (Leaf::Either(list), _) if x != y => {
                let fits = list.iter().any(|t| fits(u, *t, &b[i..]));
                return (!fits).then_some(*at);
            }
            (_, Leaf::Either(list)) if x != y => {
                let fits = list.iter().any(|t| fits(u, *t, &a[i..]));
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
    let mut list = Vec::new();
    leaves(u, of.ty, None, &mut list);
    fits(u, wanted.ty, &list)
}

fn fits(u: &Unit, t: TypeId, rest: &[(usize, Leaf)]) -> bool {
    let mut list = Vec::new();
    leaves(u, t, Some(0), &mut list);
    // Nothing is known of what stands behind it.
    while matches!(list.last(), Some((_, Leaf::End))) {
        list.pop();
    }
    differs(u, &list, rest).is_none()
}

fn is_another(unit: usize, u: &Unit, a: TypeId, b: TypeId, stored: &Stored) -> bool {
    let (Some(_), Some(other)) = (record(u, a), record(u, b)) else {
        return false;
    };
    let mut lists = [Vec::new(), Vec::new()];
    for (t, list) in [a, b].into_iter().zip(&mut lists) {
        leaves(u, t, None, list);
    }
    if a == b {
        return false;
    }
    let Some(first) = differs(u, &lists[0], &lists[1]) else {
        return false;
    };
    let Some(known) = stored.get(&key(unit, u, b)) else {
        return false;
    };
    let members = other.fields.iter().flatten().skip(first);
    let mut names = members.map(|f| f.name.as_deref());
    known.contains("*") || names.any(|n| n.is_none_or(|n| known.contains(n)))
}

fn key(unit: usize, u: &Unit, t: TypeId) -> String {
    match u.ty(t) {
        Type::Record(r) => {
            record_name(&u.records[r.index()]).unwrap_or_else(|| format!("{unit}#{}", r.0))
        }
        _ => String::new(),
    }
}

/// Adds what the unit stores in, or takes the address of.
fn stores(unit: usize, u: &Unit, out: &mut Stored) {
    for x in &u.exprs {
        match &x.kind {
            ExprKind::Assign { lhs, .. } => place(unit, u, *lhs, out),
            ExprKind::AddrOf(e)
            | ExprKind::Unary {
                op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                arg: e,
            } if !is_struct_of_row(u, *e) => place(unit, u, *e, out),
            ExprKind::Call { callee, args } => {
                let name = library_name(u, *callee).unwrap_or("");
                let to = ["memcpy", "memmove", "fread"].contains(&name);
                let mut to = args.first().copied().filter(|_| to);
                while let Some(e) = to {
                    if let Some(t) = behind(u, u.expr(e).ty) {
                        whole(unit, u, t, out);
                    }
                    to = match u.expr(e).kind {
                        ExprKind::Cast { arg, .. } => Some(arg),
                        _ => None,
                    };
                }
            }
            // An array of it goes somewhere.
            ExprKind::Member { .. } if matches!(u.ty(x.ty.ty), Type::Array { .. }) => {
                member(unit, u, x, out);
            }
            _ => {}
        }
    }
}

/// `&p[i]` is only an address.
fn is_struct_of_row(u: &Unit, e: ExprId) -> bool {
    let row = matches!(u.expr(e).kind, ExprKind::Deref(_) | ExprKind::Index { .. });
    row && record(u, u.expr(e).ty.ty).is_some()
}

fn whole(unit: usize, u: &Unit, t: TypeId, out: &mut Stored) {
    if record(u, t).is_some() {
        let all = out.entry(key(unit, u, t)).or_default();
        all.insert("*".into());
    }
}

fn place(unit: usize, u: &Unit, e: ExprId, out: &mut Stored) {
    let x = u.expr(e);
    match &x.kind {
        ExprKind::Deref(_) => whole(unit, u, x.ty.ty, out),
        ExprKind::Index { base, .. } => {
            whole(unit, u, x.ty.ty, out);
            if matches!(u.ty(u.expr(*base).ty.ty), Type::Array { .. }) {
                place(unit, u, *base, out);
            }
        }
        ExprKind::Member { .. } => member(unit, u, x, out),
        _ => {}
    }
}

fn member(unit: usize, u: &Unit, x: &Expr, out: &mut Stored) {
    let ExprKind::Member { base, arrow, name } = &x.kind else {
        return;
    };
    let q = u.expr(*base).ty;
    let t = match u.ty(q.ty) {
        Type::Pointer(to) if *arrow => to.ty,
        Type::Array { elem, .. } if *arrow => elem.ty,
        _ => q.ty,
    };
    let all = out.entry(key(unit, u, t)).or_default();
    all.insert(name.clone());
    if !arrow {
        place(unit, u, *base, out);
    }
}
