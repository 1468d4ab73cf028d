//! Unions in saved state: a checkpoint does not know which member is in use, so some keep it on its ABI.

use super::unit::UnitCx;
use crate::analysis::program::base_name;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::emit::locks;
use crate::emit::tables::Global;
use crate::emit::types::record_name;
use crate::tree::*;
use std::collections::HashSet;

/// Warns once of each union that blocks a change of ABI, where it is first saved.
pub fn check(cx: &UnitCx, globals: &[Global], out: &mut Diagnostics) {
    if !cx.has_points {
        return;
    }
    let u = cx.u;
    let mut seen = HashSet::new();
    let mut look = |ty: TypeId, at: &Span, what: &str| {
        if let Some(r) = blocking(cx, ty).filter(|r| seen.insert(*r)) {
            out.push(warning(cx, r, at, what));
        }
    };
    let unsaid = |s: &SymId| !cx.said.chosen.contains_key(s) && !cx.said.unsaved.contains(s);
    for g in globals.iter().filter(|g| !g.is_constant()) {
        if let Some(s) = g.sym.filter(unsaid) {
            let at = u.sym(s).decls.first().cloned().unwrap_or(0..0);
            look(g.ty.ty, &at, &format!("global `{}`", u.sym(s).name));
        }
    }
    for f in 0..u.functions.len() as u32 {
        let plan = cx.plan(FuncId(f));
        for e in &plan.literals {
            let x = u.expr(*e);
            look(x.ty.ty, &x.span, "this compound literal");
        }
        let live = plan.live.iter().flat_map(|l| &l.vars);
        for s in live.chain(&plan.shadow).filter(|s| unsaid(s)) {
            let at = u.sym(*s).decls.first().cloned().unwrap_or(0..0);
            look(u.sym(*s).ty.ty, &at, &format!("`{}`", u.sym(*s).name));
        }
    }
    for site in &cx.heap.sites[cx.unit] {
        if let Some(q) = site.elem {
            look(q.ty, &u.expr(site.call).span, "the object allocated here");
        }
    }
}

/// Of units that share a header, the first that tells of a union is enough.
pub fn once(out: &mut Diagnostics) {
    let mut seen = HashSet::new();
    out.list.retain(|d| {
        // `x` holds `union u` (file:line), and ...
        let union = d.message.split_once(" holds ").map(|(_, u)| u.to_string());
        d.code != Code::UnionBlocks || union.is_none_or(|u| seen.insert(u))
    });
}

fn warning(cx: &UnitCx, r: RecordId, at: &Span, what: &str) -> Diagnostic {
    let u = cx.u;
    let d = &u.records[r.index()];
    let name = match record_name(d) {
        Some(name) => format!("`{name}`"),
        None => "a union".into(),
    };
    let place = d.def.as_ref().map_or(String::new(), |def| {
        let p = u.lines.position(def.start);
        format!(" ({}:{})", base_name(&p.file), p.line)
    });
    Diagnostic::advice(
        u,
        at,
        Code::UnionBlocks,
        format!("{what} holds {name}{place}, and a checkpoint does not know which member is in use: where its value depends on that it cannot change architecture"),
        "say which: `#pragma pc3 union STRUCT.MEMBER by TAG: MEMBER = VALUE, ...`, or use a struct",
    )
}

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

/// The first union in a type that only converts if it is known which member is in use.
pub fn blocking(cx: &UnitCx, t: TypeId) -> Option<RecordId> {
    let u = cx.u;
    match u.ty(t) {
        Type::Array { elem, .. } => blocking(cx, elem.ty),
        Type::Record(r) => {
            let d = &u.records[r.index()];
            if record_name(d).is_some_and(|name| locks::known(u, d, &name)) {
                return None;
            }
            if d.is_union && !alike(u, d) {
                return Some(*r);
            }
            let fields = d.fields.iter().flatten().enumerate();
            let mut unsaid = fields.filter(|(k, _)| !cx.said.choices.contains_key(&(*r, *k)));
            unsaid.find_map(|(_, f)| blocking(cx, f.ty.ty))
        }
        _ => None,
    }
}

/// Each member is the beginning of the longest.
fn alike(u: &Unit, d: &Record) -> bool {
    longest(u, d).is_some()
}

fn longest(u: &Unit, d: &Record) -> Option<Vec<Scalar>> {
    let mut list: Vec<Vec<Scalar>> = Vec::new();
    for f in d.fields.iter().flatten() {
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
    flatten(u, f.ty.ty, out)
}

fn flatten(u: &Unit, t: TypeId, out: &mut Vec<Scalar>) -> Option<()> {
    let scalar = match u.ty(t) {
        Type::Pointer(_) => Scalar::Pointer,
        Type::Bool => Scalar::Bytes(1),
        Type::Int(k) => match k {
            IntKind::Char | IntKind::SChar | IntKind::UChar => Scalar::Bytes(1),
            IntKind::Short | IntKind::UShort => Scalar::Bytes(2),
            IntKind::Int | IntKind::UInt => Scalar::Bytes(4),
            IntKind::LongLong | IntKind::ULongLong => Scalar::Bytes(8),
            IntKind::Long | IntKind::ULong => Scalar::Long,
            IntKind::Int128 | IntKind::UInt128 => Scalar::Other(t),
        },
        Type::Enum(_) | Type::Float(FloatKind::Float) => Scalar::Bytes(4),
        Type::Float(FloatKind::Double) => Scalar::Bytes(8),
        Type::Float(FloatKind::LongDouble) => Scalar::LongDouble,
        Type::Array {
            elem,
            len: ArrayLen::Const(n),
        } => {
            let mut one = Vec::new();
            flatten(u, elem.ty, &mut one)?;
            if one.len().saturating_mul(*n as usize) > MOST {
                return None;
            }
            (0..*n).for_each(|_| out.extend(&one));
            return Some(());
        }
        Type::Record(r) if u.records[r.index()].is_union => {
            out.extend(longest(u, &u.records[r.index()])?);
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
