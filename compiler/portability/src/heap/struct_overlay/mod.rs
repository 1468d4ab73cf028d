//! Memory that is written as another struct than the one it was made as: graph reducers that overwrite an application with
//! its value, variants that a cast chooses, links of free items over what they held.
//!
//! What shows it is a pointer to one struct that becomes a pointer to another one, by a cast or as a pointer to anything
//! (`travels`), where neither begins as the other does, and the program stores in a member that is not what the first has
//! there. A restart elsewhere then asks of each value of the first whether it is the same as the other.

mod leaves;
mod stores;
#[cfg(test)]
mod tests;
mod void_pointer_flow;

use super::flow::{PointerFlow, Use};
pub use leaves::begins;
use leaves::{differs, Leaves};
use pc3_program::program::Program;
use pc3_syntax::tree::*;
use std::collections::{BTreeMap, HashMap, HashSet};
use stores::{stores, Stored};
pub use void_pointer_flow::VoidPointerFlow;

/// Memory of one type that the program also has as another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Also {
    /// Each in a unit that has it whole.
    pub of: Struct,
    pub other: Struct,
    /// Where that is seen first: unit and offset.
    pub at: (usize, u32),
}

/// A struct, as a unit has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Struct {
    pub unit: usize,
    pub ty: TypeId,
}

/// All structs that have come up: by a name that all units share, with what is asked of them often.
struct AllStructs<'a> {
    units: &'a [Unit],
    by_type: HashMap<(usize, TypeId), usize>,
    by_key: HashMap<String, Vec<usize>>,
    list: Vec<One>,
    /// What of the second differs from the first.
    compared: HashMap<(usize, usize), Option<usize>>,
}

struct One {
    key: String,
    whole: Struct,
    leaves: Leaves,
}

/// Each pair once. `made`: the structs of allocations whose results become pointers to others.
pub fn find(
    p: &Program,
    flows: &[PointerFlow],
    mut travels: VoidPointerFlow,
    made: &[Vec<(QualType, QualType, ExprId)>],
) -> Vec<Also> {
    let mut stored = Stored::new();
    for (unit, u) in p.units.iter().enumerate() {
        stores(unit, u, &mut stored);
    }
    let mut known = AllStructs {
        units: p.units,
        by_type: HashMap::new(),
        by_key: HashMap::new(),
        list: Vec::new(),
        compared: HashMap::new(),
    };
    let mut pairs: Vec<(usize, usize, (usize, u32))> = Vec::new();
    for (unit, flow) in flows.iter().enumerate() {
        for (e, to, at) in becomes(flow) {
            let Some(other) = known.index(unit, to) else {
                continue;
            };
            let mut from = Vec::new();
            travels.sources(flow, e, &mut from);
            for s in from {
                match s {
                    void_pointer_flow::PointerSource::Struct(of) => {
                        pairs.extend(known.index(unit, of).map(|of| (of, other, (unit, at))));
                    }
                    void_pointer_flow::PointerSource::Behind => {}
                    void_pointer_flow::PointerSource::Node(n) => travels.take(n, other, (unit, at)),
                }
            }
        }
        for (of, to, call) in &made[unit] {
            let at = (unit, flow.u.expr(*call).span.start);
            let both = known.index(unit, of.ty).zip(known.index(unit, to.ty));
            pairs.extend(both.map(|(of, other)| (of, other, at)));
        }
    }
    travels.puts(&mut known);
    pairs.extend(travels.pairs(&mut known));
    let mut found = BTreeMap::new();
    for (of, other, at) in pairs {
        if !found.contains_key(&(of, other)) && known.is_another(of, other, &stored) {
            found.insert((of, other), at);
        }
    }
    let all = found.into_iter();
    all.map(|((of, other), at)| Also {
        of: known.seen(of, at.0),
        other: known.seen(other, at.0),
        at,
    })
    .collect()
}

/// Expressions that become pointers to structs, the struct, and where.
fn becomes(flow: &PointerFlow) -> Vec<(ExprId, TypeId, u32)> {
    let u = flow.u;
    let mut out = Vec::new();
    // `(struct header *)p - 1`
    let stepped = u.exprs.iter().filter_map(|x| match x.kind {
        ExprKind::Binary {
            op: BinOp::Add | BinOp::Sub,
            lhs,
            rhs,
        } => u.view().eval(rhs).filter(|n| *n != 0).map(|_| lhs),
        _ => None,
    });
    let stepped: HashSet<ExprId> = stepped.collect();
    for (e, x) in &flow.uses {
        let to = match x {
            Use::Cast(_, whole) if stepped.contains(whole) => None,
            Use::Cast(to, _) | Use::Return(to) | Use::Part(to, _) => Some(*to),
            Use::Assign(lhs, _) => Some(u.expr(*lhs).ty),
            Use::Init(s) => Some(u.sym(*s).ty),
            Use::Arg(call, i) => parameter(u, *call, *i),
            Use::Same(_) => None,
        };
        let start = u.expr(*e).span.start;
        let to = to.and_then(|to| behind(u, to));
        if let Some(to) = to.filter(|_| !u.lines.is_system(start)) {
            out.push((*e, to, start));
        }
    }
    out.sort_by_key(|(e, ..)| *e);
    out
}

/// The type of what a function is given, by its own.
fn parameter(u: &Unit, call: ExprId, i: usize) -> Option<QualType> {
    let ExprKind::Call { callee, .. } = u.expr(call).kind else {
        return None;
    };
    let mut t = u.expr(callee).ty.ty;
    if let Type::Pointer(q) = u.ty(t) {
        t = q.ty;
    }
    match u.ty(t) {
        Type::Function { params, .. } => params.get(i).copied(),
        _ => None,
    }
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

/// `p[1]`: what follows a struct in memory that was made for both.
fn is_behind(u: &Unit, e: ExprId) -> bool {
    let ExprKind::Index { base, index } = u.expr(e).kind else {
        return false;
    };
    let pointer = matches!(u.ty(u.expr(base).ty.ty), Type::Pointer(_));
    pointer && u.view().eval(index).is_some_and(|n| n != 0)
}

impl AllStructs<'_> {
    fn index(&mut self, unit: usize, ty: TypeId) -> Option<usize> {
        if let Some(k) = self.by_type.get(&(unit, ty)) {
            return Some(*k);
        }
        let u = &self.units[unit];
        record(u, ty)?;
        let (key, leaves) = (key(unit, u, ty), leaves::leaves(u, ty));
        let named = self.by_key.entry(key.clone()).or_default();
        // Units may have structs of their own by one name.
        let same = named.iter().find(|k| self.list[**k].leaves == leaves);
        let k = same.copied().unwrap_or(self.list.len());
        if k == self.list.len() {
            named.push(k);
            let whole = Struct { unit, ty };
            self.list.push(One { key, whole, leaves });
        }
        self.by_type.insert((unit, ty), k);
        Some(k)
    }

    /// The struct as this unit has it, or one that has it.
    fn seen(&self, k: usize, unit: usize) -> Struct {
        let all = self
            .by_type
            .iter()
            .filter(|(at, of)| at.0 == unit && **of == k);
        let first = all.map(|(at, _)| at.1).min_by_key(|t| t.0);
        first.map_or(self.list[k].whole, |ty| Struct { unit, ty })
    }

    fn differs(&mut self, a: usize, b: usize) -> Option<usize> {
        let list = &self.list;
        let compare = || differs(&list[a].leaves, &list[b].leaves);
        *self.compared.entry((a, b)).or_insert_with(compare)
    }

    /// Does one begin as the other does?
    fn akin(&mut self, a: usize, b: usize) -> bool {
        a == b || self.differs(a, b).is_none()
    }

    fn is_another(&mut self, a: usize, b: usize, stored: &Stored) -> bool {
        if a == b {
            return false;
        }
        let Some(first) = self.differs(a, b) else {
            return false;
        };
        let other = &self.list[b];
        let record = record(&self.units[other.whole.unit], other.whole.ty);
        let (Some(known), Some(record)) = (stored.get(&other.key), record) else {
            return false;
        };
        let members = record.fields.iter().flatten().skip(first);
        let mut names = members.map(|f| f.name.as_deref());
        known.contains("*") || names.any(|n| n.is_none_or(|n| known.contains(n)))
    }
}

/// A struct's name, or what stands for it in its unit.
fn key(unit: usize, u: &Unit, t: TypeId) -> String {
    match u.ty(t) {
        Type::Record(r) => u.records[r.index()]
            .c_name()
            .unwrap_or_else(|| format!("{unit}#{}", r.0)),
        _ => String::new(),
    }
}
