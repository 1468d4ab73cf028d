//! Tags: integers from which the program itself knows what a union beside them holds.
//!
//! ```c
//! v->as.number = x;      // `number` and 3 belong together,
//! v->kind = 3;           // wherever it is stored
//!
//! v->as.number += 1;     // the tag is looked at: if it says otherwise, that is remembered
//! v->kind = 0;           // nothing belongs to 0: what was there is left over
//! ```
//! Such a union needs no notes: what an annotation would say is concluded (`typemetric::choice`). It is so if, in the
//! whole program, each store to it is followed by its tag's (or comes behind that) before a location, a call or a jump could
//! come; or can be checked; no two members share a value; a tag that belongs to a member is never stored alone; nobody has
//! the address of union or tag, and no pointer to the struct becomes one to something else.

mod exposed;
mod own;
mod places;
mod related;
mod relation;
mod runs;
#[cfg(test)]
mod tests;
pub mod unnamed;

use crate::member_paths::key;
use crate::tracking::TrackedUnions;
use pc3_portability::lints::{Dependence, OrderDependence};
use pc3_program::program::Program;
use pc3_program::walk::{all_decls, visit, Node};
use pc3_syntax::tree::*;
use pc3_typemetric::choice::Choice;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Those of a unit, by their names in all units.
pub type Unions = HashMap<RecordId, String>;
/// A struct, by its name in all units, and the field that is a union.
pub type Home = (String, usize);

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TagValue {
    /// One of these.
    Numbers(Vec<i128>),
    /// This bit is set.
    Bit(u64),
    /// What the field of the union's owner has that the value was copied from.
    Copied(usize),
    Unknown,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Written {
    Member(usize),
    Whole,
}

/// Where a store can be checked.
#[derive(Clone, Debug)]
pub struct Site {
    pub unit: usize,
    pub store: ExprId,
    /// What the tag is a member of.
    pub owner: places::Owner,
}

#[derive(Debug)]
pub struct Store {
    pub union: String,
    pub home: Option<Home>,
    pub written: Written,
    pub zero: bool,
    /// Of a copy: what has the one that is copied.
    pub copied: Option<Home>,
    /// Pointers of the owner that are stored behind it.
    pub behind: Vec<usize>,
    /// What other fields of the owner are given.
    pub beside: Vec<(usize, TagValue)>,
    pub site: Option<Site>,
    pub line: String,
}

#[derive(Debug)]
pub struct TagStore {
    pub record: String,
    pub field: usize,
    pub value: TagValue,
    /// The owner's unions that are stored with it.
    pub with: Vec<usize>,
    pub line: String,
}

/// What the program does with unions and what is beside them.
#[derive(Default)]
pub struct Facts {
    pub stores: Vec<Store>,
    pub tags: Vec<TagStore>,
    /// Unions of which nothing can be concluded, and why.
    pub refused: BTreeMap<String, String>,
    /// Unions of which the address of a part is taken, and where.
    pub taken: BTreeMap<String, Vec<own::AddressTaken>>,
    /// Unions to whose structs pointers without a type are kept, and where.
    pub kept: BTreeMap<String, String>,
    /// The types of numbers and pointers that such pointers are used for.
    pub untyped: HashSet<String>,
    pub related: related::Related,
    /// Fields whose address is taken.
    pub addressed: HashSet<(String, usize)>,
}

impl Facts {
    pub fn refuse(&mut self, union: &str, why: String) {
        self.refused.entry(union.into()).or_insert(why);
    }
}

/// What is printed behind a store.
#[derive(Clone)]
pub struct Check {
    pub base: ExprId,
    pub arrow: bool,
    pub tag: String,
    /// Values and bits of which the tag has one.
    pub numbers: Vec<i128>,
    pub bits: u64,
    /// Of a pointer: what it leads to, or must not.
    pub leads: Option<(String, bool)>,
}

#[derive(Default)]
pub struct Tags {
    /// Per unit.
    pub choices: Vec<HashMap<(RecordId, usize), Choice>>,
    pub checks: Vec<HashMap<ExprId, Check>>,
    /// Of all unions that were looked at, for people: what is concluded, or why nothing is.
    pub told: Vec<String>,
}

impl Tags {
    /// What a restart is to know: that a tag has said otherwise.
    pub fn orders(&self, p: &Program) -> Vec<OrderDependence> {
        let mut all = Vec::new();
        for (unit, checks) in self.checks.iter().enumerate() {
            let mut list: Vec<&ExprId> = checks.keys().collect();
            list.sort();
            let order =
                |e: &&ExprId| OrderDependence::of(unit, &p.units[unit], **e, Dependence::Tags);
            all.extend(list.iter().map(order));
        }
        all
    }
}

/// Concludes what it can of the unions that would be noted.
pub fn infer(p: &Program, noted: &TrackedUnions) -> Tags {
    let mut tags = Tags {
        choices: vec![HashMap::new(); p.units.len()],
        checks: p.units.iter().map(|_| HashMap::new()).collect(),
        told: Vec::new(),
    };
    let unions: Vec<Unions> = p
        .units
        .iter()
        .enumerate()
        .map(|(i, u)| noted.of(i).iter().map(|r| (*r, key(u, *r))).collect())
        .collect();
    if unions.iter().all(|m| m.is_empty()) {
        return tags;
    }
    let mut facts = Facts::default();
    for (i, u) in p.units.iter().enumerate() {
        gather(p, i, u, &unions[i], &mut facts);
    }
    exposed::find(p, &unions, &mut facts);
    facts.related = related::Related::find(p);
    relation::conclude(p, &unions, &facts, &mut tags);
    tags
}

pub fn is_integer(u: &Unit, t: TypeId) -> bool {
    matches!(u.ty(t), Type::Int(_) | Type::Bool | Type::Enum(_))
}

/// Structs with such unions as fields.
fn homes(u: &Unit, unions: &Unions) -> HashSet<RecordId> {
    let has = |d: &Record| {
        let mut fields = d.fields.iter().flatten();
        fields.any(|f| places::whole(u, unions, f.ty.ty).is_some())
    };
    let all = u.records.iter().enumerate();
    all.filter(|(_, d)| has(d))
        .map(|(i, _)| RecordId(i as u32))
        .collect()
}

fn gather(p: &Program, unit: usize, u: &Unit, unions: &Unions, facts: &mut Facts) {
    if unions.is_empty() {
        return;
    }
    let mut addressed = HashSet::new();
    for x in &u.exprs {
        if let ExprKind::AddrOf(a) = x.kind {
            let mut at = a;
            loop {
                match &u.expr(at).kind {
                    ExprKind::Member { base, arrow, .. } if !arrow => at = *base,
                    ExprKind::Index { base, .. } => at = *base,
                    ExprKind::Ident(s) => {
                        addressed.insert(*s);
                        break;
                    }
                    _ => break,
                }
            }
        }
    }
    let homes = homes(u, unions);
    let mut runs = runs::Runs {
        u,
        unit,
        unions,
        addressed: &addressed,
        homes: &homes,
        facts,
        seen: HashSet::new(),
    };
    for f in 0..u.functions.len() as u32 {
        runs.function(FuncId(f));
    }
    let seen = std::mem::take(&mut runs.seen);
    for f in &u.functions {
        visit(u, Node::Stmt(f.body), &mut |n| {
            if let Node::Expr(e) = n {
                if !seen.contains(&e) {
                    alone(u, unions, &homes, e, facts);
                }
            }
            true
        });
    }
    initialisers(p, u, unions, facts);
}

/// A store in the middle of an expression.
fn alone(u: &Unit, unions: &Unions, homes: &HashSet<RecordId>, e: ExprId, facts: &mut Facts) {
    let lhs = match &u.expr(e).kind {
        ExprKind::Assign { lhs, .. } => *lhs,
        ExprKind::Unary {
            op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
            arg,
        } => *arg,
        _ => return,
    };
    let at = u.lines.position(u.expr(e).span.start);
    let line = format!("{}:{}", at.file, at.line);
    let whole = places::whole(u, unions, u.expr(lhs).ty.ty).cloned();
    let hits = places::hits(u, unions, lhs).into_iter();
    for union in hits.map(|h| h.union).chain(whole) {
        facts.refuse(
            &union,
            format!("it is stored to in an expression at {line}"),
        );
    }
    if let Some(o) = places::owner(u, lhs).filter(|o| homes.contains(&o.record)) {
        let (record, field) = o.home(u);
        facts.tags.push(TagStore {
            record,
            field,
            value: TagValue::Unknown,
            with: Vec::new(),
            line,
        });
    }
}

/// What initialisers give to unions and what is beside them.
fn initialisers(p: &Program, u: &Unit, unions: &Unions, facts: &mut Facts) {
    let _ = p;
    let mut all: Vec<(QualType, Init)> = Vec::new();
    all_decls(u, &mut |d| {
        for v in &d.vars {
            if let Some(init @ Init::List { .. }) = &v.init {
                all.push((u.sym(v.sym).ty, init.clone()));
            }
        }
    });
    for x in &u.exprs {
        if let ExprKind::CompoundLit { ty, init } = &x.kind {
            all.push((*ty, init.clone()));
        }
    }
    for (q, init) in all {
        if !places_in(u, unions, q.ty) {
            continue;
        }
        let leaves = pc3_program::initialiser::leaves(u, q, &init);
        let list: Vec<(Vec<u64>, TypeId, ExprId)> = leaves
            .into_iter()
            .map(|l| (l.path, l.ty.ty, l.expr))
            .collect();
        relation::initialised(u, unions, q.ty, &list, facts);
    }
}

/// Is there such a union in the type?
pub(crate) fn places_in(u: &Unit, unions: &Unions, t: TypeId) -> bool {
    match u.ty(t) {
        Type::Array { elem, .. } => places_in(u, unions, elem.ty),
        Type::Record(r) => {
            unions.contains_key(r)
                || u.records[r.index()]
                    .fields
                    .iter()
                    .flatten()
                    .any(|f| places_in(u, unions, f.ty.ty))
        }
        _ => false,
    }
}
