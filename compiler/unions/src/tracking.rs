//! Unions whose members are unlike, so that a checkpoint has to know which one is in use, and which of those need notes
//! while the program runs: such that objects of saved types have, and no annotation speaks of.

use crate::alike::alike;
use crate::member_paths::{key, member_steps};
use crate::tags::unnamed::NamedMembers;
use pc3_portability::heap::{self, Heap};
use pc3_program::annotations::{Annotations, InUnit};
use pc3_program::callgraph::CallGraph;
use pc3_program::program::{Callee, Program};
use pc3_program::tables::is_lock;
use pc3_syntax::tree::*;
use pc3_typemetric::choice::Choice;
use std::collections::{HashMap, HashSet};

/// Notes have a bit for each member.
const MEMBERS: usize = 64;

/// The unions in a type that only convert if it is known which member is in use.
pub fn blocking(u: &Unit, said: &InUnit, t: TypeId, found: &mut dyn FnMut(RecordId)) {
    match u.ty(t) {
        Type::Array { elem, .. } => blocking(u, said, elem.ty, found),
        Type::Record(r) => {
            let d = &u.records[r.index()];
            if d.c_name().is_some_and(|name| is_lock(u, d, &name)) {
                return;
            }
            let in_use = |k: usize| !said.unnamed.contains(&(*r, k));
            let mut fields = d.fields.iter().flatten().enumerate();
            if d.is_union && fields.all(|(k, _)| in_use(k)) && !alike(u, d) {
                found(*r);
            }
            let fields = d.fields.iter().flatten().enumerate();
            let fields = fields.filter(|(k, _)| in_use(*k));
            for (_, f) in fields.filter(|(k, _)| !said.choices.contains_key(&(*r, *k))) {
                blocking(u, said, f.ty.ty, found);
            }
        }
        _ => {}
    }
}

/// The unions of each unit that are noted.
#[derive(Default)]
pub struct TrackedUnions {
    /// Why none is.
    pub without: Option<Without>,
    units: Vec<HashSet<RecordId>>,
    /// Those of which the program names no member: there is nothing to note.
    unwritten: Vec<HashSet<RecordId>>,
    /// Unions of objects that may be allocated shorter than their type; None: any may.
    short: Option<HashSet<String>>,
    forms: Vec<HashMap<RecordId, NoteForm>>,
}

/// Why nothing is noted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Without {
    /// `-fno-pc3-track-unions`
    Wished,
    /// Other threads may write unions while notes are made.
    Threads,
}

/// How a union is noted.
#[derive(Clone, Copy, Debug)]
pub struct NoteForm {
    /// Its own in the program, for codes of notes.
    pub number: u32,
    /// How deep other unions lie in it, if notes lie beside the memory: level by level.
    pub level: Option<usize>,
    /// Pointers to its members may be kept.
    pub held: bool,
    /// It is always there as a whole, so that all of it is in its notes.
    pub whole: bool,
}

impl TrackedUnions {
    pub fn without(p: &Program, why: Without) -> TrackedUnions {
        TrackedUnions {
            without: Some(why),
            ..TrackedUnions::none(p)
        }
    }

    fn none(p: &Program) -> TrackedUnions {
        TrackedUnions {
            without: None,
            units: vec![HashSet::new(); p.units.len()],
            unwritten: vec![HashSet::new(); p.units.len()],
            short: None,
            forms: vec![HashMap::new(); p.units.len()],
        }
    }

    /// Those that are told by tags need no notes.
    pub fn leave_out(&mut self, p: &Program, choices: &[HashMap<(RecordId, usize), Choice>]) {
        for (i, u) in p.units.iter().enumerate() {
            for (r, k) in choices[i].keys() {
                let field = u.records[r.index()].fields.as_ref().and_then(|f| f.get(*k));
                if let Some(Type::Record(union)) = field.map(|f| u.ty(f.ty.ty)) {
                    self.units[i].remove(union);
                }
            }
        }
    }

    pub fn of(&self, unit: usize) -> &HashSet<RecordId> {
        &self.units[unit]
    }

    pub fn unwritten(&self, unit: usize) -> &HashSet<RecordId> {
        &self.unwritten[unit]
    }

    pub fn forms(&self, unit: usize) -> &HashMap<RecordId, NoteForm> {
        &self.forms[unit]
    }

    /// Numbers them, and finds those of whose members pointers are kept somewhere in the program.
    pub fn form(&mut self, p: &Program, kept: &[Vec<bool>]) {
        let mut held: HashSet<String> = HashSet::new();
        for (i, u) in p.units.iter().enumerate() {
            let noted = &self.units[i];
            if !noted.is_empty() {
                holds(p, i, noted, kept, &mut |r| _ = held.insert(key(u, r)));
            }
        }
        let mut number = 0;
        for (i, u) in p.units.iter().enumerate() {
            let mut list: Vec<RecordId> = self.units[i].iter().copied().collect();
            list.sort_unstable();
            for r in list {
                let form = NoteForm {
                    number,
                    level: Some(height_of(u, r) - 1).filter(|l| *l < LEVELS && has_words(u, r)),
                    held: held.contains(&key(u, r)),
                    whole: self.short.as_ref().is_some_and(|s| !s.contains(&key(u, r))),
                };
                self.forms[i].insert(r, form);
                number += 1;
            }
        }
    }
}

/// Unions of which a function writes one member of a variable, and reads another that it does not write: what it reads is
/// the order of bytes. A note would take its value elsewhere, where that is another.
fn punned(u: &Unit, found: &mut dyn FnMut(RecordId)) {
    let direct = |e: ExprId| {
        let ExprKind::Member {
            base,
            arrow: false,
            name,
        } = &u.expr(e).kind
        else {
            return None;
        };
        let ExprKind::Ident(s) = u.expr(*base).kind else {
            return None;
        };
        let Type::Record(r) = u.ty(u.sym(s).ty.ty) else {
            return None;
        };
        let fields = u.records[r.index()].fields.iter().flatten();
        let mut named = fields
            .enumerate()
            .filter(|(_, f)| f.name.as_ref() == Some(name));
        let (k, _) = named.next().filter(|_| u.records[r.index()].is_union)?;
        Some((s, *r, k))
    };
    // The member at the start of the way to what is written.
    let whole = |e: ExprId| {
        let mut at = e;
        loop {
            match &u.expr(at).kind {
                _ if direct(at).is_some() => return Some(at),
                ExprKind::Member { base, arrow, .. } if !arrow => at = *base,
                ExprKind::Index { base, .. } => at = *base,
                _ => return None,
            }
        }
    };
    for f in &u.functions {
        let (mut written, mut read) = (HashSet::new(), HashSet::new());
        let mut targets = HashSet::new();
        pc3_program::walk::visit(u, pc3_program::walk::Node::Stmt(f.body), &mut |n| {
            let pc3_program::walk::Node::Expr(e) = n else {
                return true;
            };
            let target = match &u.expr(e).kind {
                ExprKind::Assign { lhs, .. } => whole(*lhs),
                ExprKind::Unary {
                    op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                    arg,
                } => whole(*arg),
                ExprKind::AddrOf(a) => whole(*a),
                _ => None,
            };
            if let Some(t) = target {
                targets.insert(t);
                written.extend(direct(t));
            }
            if let Some(m) = direct(e) {
                // An array that a function is given may be written there.
                if matches!(u.ty(u.expr(e).ty.ty), Type::Array { .. }) {
                    written.insert(m);
                }
                if !targets.contains(&e) {
                    read.insert(m);
                }
            }
            true
        });
        for (s, r, k) in &read {
            let other = written.iter().any(|(x, _, j)| x == s && j != k);
            if other && (!written.contains(&(*s, *r, *k)) || is_array(u, *r, *k)) {
                found(*r);
            }
        }
    }
}

fn is_array(u: &Unit, r: RecordId, k: usize) -> bool {
    let fields = u.records[r.index()].fields.as_ref();
    let field = fields.and_then(|f| f.get(k));
    field.is_some_and(|f| matches!(u.ty(f.ty.ty), Type::Array { .. }))
}

/// As in the runtime's `shapes`.
const LEVELS: usize = 2;

/// How deep unions lie in each other in a type; 0: there are none.
fn height(u: &Unit, t: TypeId) -> usize {
    match u.ty(t) {
        Type::Array { elem, .. } => height(u, elem.ty),
        Type::Record(r) => height_of(u, *r),
        _ => 0,
    }
}

fn height_of(u: &Unit, r: RecordId) -> usize {
    let d = &u.records[r.index()];
    let inner = d.fields.iter().flatten().map(|f| height(u, f.ty.ty));
    usize::from(d.is_union) + inner.max().unwrap_or(0)
}

/// Is its size one of whole words? If some scalar in it is.
fn has_words(u: &Unit, r: RecordId) -> bool {
    let d = &u.records[r.index()];
    let word = |f: &Field| match u.ty(f.ty.ty) {
        Type::Record(r) => has_words(u, *r),
        Type::Array { elem, .. } => match u.ty(elem.ty) {
            Type::Record(r) => has_words(u, *r),
            t => is_word(t),
        },
        t => is_word(t),
    };
    d.fields.iter().flatten().any(word)
}

fn is_word(t: &Type) -> bool {
    match t {
        Type::Pointer(_) | Type::Float(_) | Type::Enum(_) => true,
        Type::Int(k) => !matches!(
            k,
            IntKind::Char | IntKind::SChar | IntKind::UChar | IntKind::Short | IntKind::UShort
        ),
        _ => false,
    }
}

/// How many levels of notes beside the memory the unions in a type have, if all have theirs there.
pub fn levels(u: &Unit, forms: &HashMap<RecordId, NoteForm>, t: TypeId) -> Option<usize> {
    match u.ty(t) {
        Type::Array { elem, .. } => levels(u, forms, elem.ty),
        Type::Record(r) => {
            let own = match forms.get(r) {
                Some(f) => f.level? + 1,
                None => 0,
            };
            let fields = u.records[r.index()].fields.iter().flatten();
            let inner = fields.map(|f| levels(u, forms, f.ty.ty));
            inner.chain([Some(own)]).try_fold(0, |n, l| Some(n.max(l?)))
        }
        _ => Some(0),
    }
}

/// Are pointers to members of unions in the type kept?
pub fn is_held(u: &Unit, forms: &HashMap<RecordId, NoteForm>, t: TypeId) -> bool {
    match u.ty(t) {
        Type::Array { elem, .. } => is_held(u, forms, elem.ty),
        Type::Record(r) => {
            let mut fields = u.records[r.index()].fields.iter().flatten();
            forms.get(r).is_some_and(|f| f.held) || fields.any(|f| is_held(u, forms, f.ty.ty))
        }
        _ => false,
    }
}

/// Unions in whose members a pointer is made that is not gone when the call it is made for returns.
fn holds(
    p: &Program,
    unit: usize,
    noted: &HashSet<RecordId>,
    kept: &[Vec<bool>],
    found: &mut dyn FnMut(RecordId),
) {
    let u = &p.units[unit];
    let is_array = |e: ExprId| matches!(u.ty(u.expr(e).ty.ty), Type::Array { .. });
    let mut passing = HashSet::new();
    for x in &u.exprs {
        match &x.kind {
            ExprKind::Call { callee, args } => {
                let lends = |i: usize| match p.direct(unit, *callee) {
                    Some((_, Callee::External(n))) => !pc3_program::tables::retains(&n),
                    Some((_, Callee::Defined(f))) => kept[f.index()].get(i).is_some_and(|k| !k),
                    None => false,
                };
                let lent = args.iter().enumerate().filter(|(i, _)| lends(*i));
                passing.extend(lent.map(|(_, a)| pc3_program::walk::strip_casts(u, *a)));
            }
            // What an array is part of.
            ExprKind::Index { base, .. } | ExprKind::AddrOf(base) | ExprKind::SizeofExpr(base) => {
                passing.insert(*base);
            }
            _ => {}
        }
    }
    for (i, x) in u.exprs.iter().enumerate() {
        let e = ExprId(i as u32);
        if passing.contains(&e) && !matches!(x.kind, ExprKind::AddrOf(_)) {
            continue;
        }
        let place = match &x.kind {
            ExprKind::AddrOf(a) if !passing.contains(&e) => *a,
            ExprKind::Member { .. } | ExprKind::Index { .. } if is_array(e) => e,
            _ => continue,
        };
        through(u, place, &mut |r| {
            if noted.contains(&r) {
                found(r);
            }
        });
    }
}

/// The records in members of which an lvalue lies.
fn through(u: &Unit, e: ExprId, found: &mut dyn FnMut(RecordId)) {
    let mut at = e;
    loop {
        match &u.expr(at).kind {
            ExprKind::Member { base, arrow, name } => {
                let (_, list) = member_steps(u, *base, *arrow, name);
                list.iter().for_each(|s| found(s.0));
                if *arrow {
                    return;
                }
                at = *base;
            }
            ExprKind::Index { base, .. }
                if matches!(u.ty(u.expr(*base).ty.ty), Type::Array { .. }) =>
            {
                at = *base;
            }
            _ => return,
        }
    }
}

/// Does the type have one of them?
pub fn contains(u: &Unit, noted: &HashSet<RecordId>, t: TypeId) -> bool {
    if noted.is_empty() {
        return false;
    }
    match u.ty(t) {
        Type::Array { elem, .. } => contains(u, noted, elem.ty),
        Type::Record(r) => {
            noted.contains(r)
                || u.records[r.index()]
                    .fields
                    .iter()
                    .flatten()
                    .any(|f| contains(u, noted, f.ty.ty))
        }
        _ => false,
    }
}

pub fn analyse(p: &Program, g: &CallGraph, said: &Annotations, heap: &Heap) -> TrackedUnions {
    let mut noted = TrackedUnions::none(p);
    if !g.reaches.contains(&true) {
        return noted;
    }
    if has_threads(p) {
        noted.without = Some(Without::Threads);
        return noted;
    }
    let mut keys: HashSet<String> = HashSet::new();
    for (i, u) in p.units.iter().enumerate() {
        let said = &said.units[i];
        let mut saved: Vec<TypeId> = Vec::new();
        for (k, s) in u.symbols.iter().enumerate() {
            let id = SymId(k as u32);
            if said.chosen.contains_key(&id) || said.unsaved.contains(&id) || s.system {
                continue;
            }
            let kept = match s.kind {
                SymKind::Var | SymKind::Param => {
                    s.is_global
                        || s.storage == Storage::Static
                        || s.func.is_some_and(|f| g.reaches[p.id(i, f).index()])
                }
                _ => false,
            };
            if kept {
                saved.push(s.ty.ty);
            }
        }
        for f in 0..u.functions.len() as u32 {
            if g.reaches[p.id(i, FuncId(f)).index()] {
                let literals = literals(u, FuncId(f));
                saved.extend(literals.iter().map(|e| u.expr(*e).ty.ty));
            }
        }
        saved.extend(heap.sites[i].iter().filter_map(|s| s.elem).map(|q| q.ty));
        let objects = pc3_program::static_objects::unnamed(u);
        saved.extend(objects.keys().map(|e| u.expr(*e).ty.ty));
        saved.sort_unstable();
        saved.dedup();
        for t in saved {
            blocking(u, said, t, &mut |r| _ = keys.insert(key(u, r)));
        }
    }
    if keys.is_empty() {
        return noted;
    }
    for u in p.units {
        punned(u, &mut |r| _ = keys.remove(&key(u, r)));
    }
    let named = NamedMembers::of(p, said);
    for (i, u) in p.units.iter().enumerate() {
        for (k, d) in u.records.iter().enumerate() {
            let r = RecordId(k as u32);
            let blocks = d.is_union && keys.contains(&key(u, r));
            if blocks && fits(u, d) && !alike(u, d) {
                let list = match named.any(u, r) {
                    true => &mut noted.units[i],
                    false => &mut noted.unwritten[i],
                };
                list.insert(r);
            }
        }
    }
    noted.short = short(p, heap);
    noted
}

/// Unions of objects of which some place that allocates does not say that they are as long as their type; None: some place
/// says nothing at all.
fn short(p: &Program, heap: &Heap) -> Option<HashSet<String>> {
    let mut keys = HashSet::new();
    let all = heap.sites.iter().flatten().filter(|s| !s.in_wrapper);
    for site in all.filter(|s| s.form == heap::SizeForm::Unknown) {
        let u = &p.units[site.unit];
        every(u, site.elem?.ty, &mut |r| _ = keys.insert(key(u, r)));
    }
    heap.pieces.dealers.is_empty().then_some(keys)
}

/// All unions in a type.
fn every(u: &Unit, t: TypeId, found: &mut dyn FnMut(RecordId)) {
    match u.ty(t) {
        Type::Array { elem, .. } => every(u, elem.ty, found),
        Type::Record(r) => {
            let d = &u.records[r.index()];
            if d.is_union {
                found(*r);
            }
            let fields = d.fields.iter().flatten();
            fields.for_each(|f| every(u, f.ty.ty, found));
        }
        _ => {}
    }
}

fn literals(u: &Unit, f: FuncId) -> Vec<ExprId> {
    let mut list = Vec::new();
    pc3_program::walk::visit(u, pc3_program::walk::Node::Stmt(u.func(f).body), &mut |n| {
        if let pc3_program::walk::Node::Expr(e) = n {
            if matches!(u.expr(e).kind, ExprKind::CompoundLit { .. }) {
                list.push(e);
            }
        }
        true
    });
    list
}

/// Each member has a bit, and something whose address is the union's.
fn fits(u: &Unit, d: &Record) -> bool {
    let Some(fields) = d.fields.as_ref().filter(|f| f.len() <= MEMBERS) else {
        return false;
    };
    let known = |f: &Field| !matches!(u.ty(f.ty.ty), Type::Unsupported(_) | Type::Void);
    fields.iter().all(known) && leaf(u, d).is_some()
}

/// A name that stands for something at the start of a union without a name.
pub fn leaf(u: &Unit, d: &Record) -> Option<String> {
    let fields = d.fields.iter().flatten();
    let first = if d.is_union { usize::MAX } else { 1 };
    fields
        .take(first)
        .filter(|f| f.bit_width.is_none())
        .find_map(|f| match (&f.name, u.ty(f.ty.ty)) {
            (Some(n), _) => Some(n.clone()),
            (None, Type::Record(r)) => leaf(u, &u.records[r.index()]),
            _ => None,
        })
}

/// The position of a field among those that the type table has.
pub fn position(d: &Record, k: usize) -> usize {
    listed(d.fields.iter().flatten().take(k)).count()
}

/// The field at such a position.
pub fn field_at(d: &Record, position: usize) -> Option<&Field> {
    listed(d.fields.iter().flatten()).nth(position)
}

fn listed<'a>(fields: impl Iterator<Item = &'a Field>) -> impl Iterator<Item = &'a Field> {
    fields.filter(|f| f.name.is_some() || f.bit_width.is_none())
}

fn has_threads(p: &Program) -> bool {
    p.units.iter().enumerate().any(|(i, u)| {
        let starts = |s: &SymId| {
            matches!(&u.sym(*s).name[..], "pthread_create" | "thrd_create")
                && matches!(p.resolve(i, *s), Callee::External(_))
        };
        !u.openmp.is_empty()
            || u.exprs
                .iter()
                .any(|e| matches!(&e.kind, ExprKind::Ident(s) if starts(s)))
    })
}
