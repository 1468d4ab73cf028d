//! The plans of a restart, and which type here stands for a saved type that no variable leads to
//! (heap objects, arrays on the stack).
//!
//! Types correspond by name.  The compiler gives memory a type whose name means the same in every
//! build: types whose spelling depends on the ABI stand in a struct that is named after the place
//! that allocates.  A name that several types share must not matter.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use pc3_typemetric::plan::{Mismatch, Plan};
use pc3_typemetric::types::{counterparts, Kind, TypeId, TypeTable};

/// Plans by pair of types; they are few, objects many.
pub struct Plans<'a> {
    pub source: &'a TypeTable,
    pub target: &'a TypeTable,
    known: HashMap<(TypeId, TypeId), Arc<Plan>>,
    partner: HashMap<TypeId, TypeId>,
    /// Of memory of no type in a program that hands it out in pieces: all but these are zeros.
    blocks: Option<Arc<Plan>>,
}

impl<'a> Plans<'a> {
    pub fn new(source: &'a TypeTable, target: &'a TypeTable) -> Plans<'a> {
        Plans {
            source,
            target,
            known: HashMap::new(),
            partner: HashMap::new(),
            blocks: None,
        }
    }

    /// Memory of no type has pieces, of which types are known: the rest of it is only room.
    pub(crate) fn in_pieces(&mut self, character: TypeId) {
        if self.blocks.is_none() && !self.source.abi().same_layout(self.target.abi()) {
            let mut all = self.source.iter();
            let found = all.find(|(_, t)| t.kind == Kind::Char);
            self.blocks = found.and_then(|(from, _)| self.get(from, character).ok());
        }
    }

    /// Is memory of no type taken for blocks of pieces?
    pub fn has_blocks(&self) -> bool {
        self.blocks.is_some()
    }

    pub fn get(&mut self, from: TypeId, to: TypeId) -> Result<Arc<Plan>, Vec<Mismatch>> {
        if let Some(plan) = self.known.get(&(from, to)) {
            return Ok(plan.clone());
        }
        let plan = Arc::new(Plan::compile(self.source, from, self.target, to)?);
        self.known.insert((from, to), plan.clone());
        Ok(plan)
    }

    /// The plan of an object known only by its saved type, and the type here.
    pub fn find(&mut self, from: TypeId) -> Result<(TypeId, Arc<Plan>), Vec<Mismatch>> {
        if let (TypeId::UNKNOWN, Some(plan)) = (from, &self.blocks) {
            return Ok((from, plan.clone()));
        }
        let to = self.partner(from)?;
        Ok((to, self.get(from, to)?))
    }

    /// The type here of objects that have been found.
    pub(crate) fn partner_of(&self, from: TypeId) -> Option<TypeId> {
        self.partner.get(&from).copied()
    }

    pub fn partner(&mut self, from: TypeId) -> Result<TypeId, Vec<Mismatch>> {
        if let Some(to) = self.partner.get(&from) {
            return Ok(*to);
        }
        let to = partner(self.source, from, self.target)?;
        self.partner.insert(from, to);
        Ok(to)
    }
}

impl Plans<'_> {
    /// What each union of the checkpoint is here, as far as values of its type have been converted.
    pub fn unions(&self) -> HashMap<TypeId, TypeId> {
        let mut seen = HashSet::new();
        let mut out = HashMap::new();
        let mut todo: Vec<(TypeId, TypeId)> = self.known.keys().copied().collect();
        while let Some((from, to)) = todo.pop() {
            if !seen.insert((from, to)) {
                continue;
            }
            let (a, b) = (self.source.get(from), self.target.get(to));
            match (a.kind, b.kind) {
                (Kind::Array, Kind::Array) => todo.push((a.elem, b.elem)),
                (Kind::Struct, Kind::Struct) | (Kind::Union, Kind::Union) => {
                    if a.kind == Kind::Union {
                        out.insert(from, to);
                    }
                    for (i, k) in counterparts(a, b).into_iter().flatten() {
                        todo.push((a.members[i].ty, b.members[k].ty));
                    }
                }
                _ => {}
            }
        }
        out
    }
}

/// The partner of `from`, or why there is none.
fn partner(source: &TypeTable, from: TypeId, target: &TypeTable) -> Result<TypeId, Vec<Mismatch>> {
    if from == TypeId::UNKNOWN {
        return Ok(from);
    }
    let refuse = |reason| {
        vec![Mismatch {
            path: String::new(),
            source_type: source.describe(from),
            target_type: String::new(),
            reason,
        }]
    };
    let mut why = None;
    let mut found: Option<TypeId> = None;
    for (id, _) in target
        .iter()
        .skip(1)
        .filter(|(id, _)| alike(source, from, target, *id, 4))
    {
        if let Err(list) = Plan::compile(source, from, target, id) {
            why = why.or(Some(list));
        } else if found.is_some_and(|first| !same_layout(target, first, id)) {
            let name = source.describe(from);
            return Err(refuse(format!(
                "this program has several types {name}, and it is not known which this is"
            )));
        } else {
            found = found.or(Some(id));
        }
    }
    let none = || {
        refuse(format!(
            "this program has no type {}",
            source.describe(from)
        ))
    };
    // One of that name with other members says more.
    let changed = || {
        let (from_kind, from_name) = (source.get(from).kind, &source.get(from).name);
        let mut all = target.iter().skip(1);
        let (id, _) = all
            .find(|(_, t)| !from_name.is_empty() && (t.kind, &t.name) == (from_kind, from_name))?;
        Plan::compile(source, from, target, id).err()
    };
    found.ok_or_else(|| why.or_else(changed).unwrap_or_else(none))
}

/// Two types here that differ only in what their pointers lead to.
fn same_layout(types: &TypeTable, a: TypeId, b: TypeId) -> bool {
    Plan::compile(types, a, types, b).is_ok_and(|plan| plan.same_layout())
}

fn alike(source: &TypeTable, a: TypeId, target: &TypeTable, b: TypeId, depth: u32) -> bool {
    let (s, t) = (source.get(a), target.get(b));
    if s.kind != t.kind || s.flags != t.flags || s.name != t.name {
        return false;
    }
    match s.kind {
        Kind::Pointer if depth == 0 => true,
        Kind::Pointer => alike(source, s.elem, target, t.elem, depth - 1),
        Kind::Array => s.count == t.count && alike(source, s.elem, target, t.elem, depth),
        Kind::Struct | Kind::Union => counterparts(s, t).is_some(),
        _ => true,
    }
}
