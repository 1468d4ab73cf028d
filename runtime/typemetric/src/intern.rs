//! Entering types into a table, so that equal types get one id although they refer to each other.
//!
//! Two types are equal if no walk along their references can tell them apart (bisimilarity).  Each
//! type in the table has a hash of its unfolding to a small depth; a new type is compared with the
//! table's types of the same hash by assuming the pair equal and looking for a contradiction.  What
//! is left is reduced to its distinct types and appended.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use crate::types::{Type, TypeError, TypeId, TypeTable};

/// Depth of the unfolding that is hashed.  More only costs time; fewer means more comparisons.
const LEVELS: usize = 4;
type Levels = [u64; LEVELS];

/// Finds the types of a table by what they are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    levels: Vec<Levels>,
    by_hash: FxHashMap<u64, Vec<TypeId>>,
}

impl Index {
    /// The index of complete types.
    pub fn of(types: &[Type]) -> Index {
        let mut levels = vec![[0; LEVELS]; types.len()];
        for level in 0..LEVELS {
            for (i, ty) in types.iter().enumerate() {
                levels[i][level] = hash(ty, |r| {
                    if level == 0 {
                        0
                    } else {
                        levels[r.index()][level - 1]
                    }
                });
            }
        }
        let mut index = Index::default();
        for (i, levels) in levels.into_iter().enumerate() {
            index.push(levels, TypeId(i as u32));
        }
        index
    }
    fn push(&mut self, levels: Levels, id: TypeId) {
        debug_assert_eq!(self.levels.len(), id.index());
        self.levels.push(levels);
        self.by_hash.entry(levels[LEVELS - 1]).or_default().push(id);
    }
}

/// Hash of everything in a type but its references, for which `of` stands.
fn hash(ty: &Type, of: impl Fn(TypeId) -> u64) -> u64 {
    let mut h = FxHasher::default();
    (ty.kind, ty.flags, ty.align, ty.size, ty.count, of(ty.elem)).hash(&mut h);
    if ty.named() {
        ty.name.hash(&mut h);
    }
    for m in &ty.members {
        (&m.name, m.offset, m.bits, of(m.ty)).hash(&mut h);
    }
    h.finish()
}

/// Equal apart from what the references lead to.
fn same_node(a: &Type, b: &Type) -> bool {
    (a.kind, a.flags, a.align, a.size, a.count) == (b.kind, b.flags, b.align, b.size, b.count)
        && (!a.named() || a.name == b.name)
        && a.members.len() == b.members.len()
        && a.members
            .iter()
            .zip(&b.members)
            .all(|(m, n)| m.name == n.name && m.offset == n.offset && m.bits == n.bits)
}

fn references(ty: &Type) -> impl Iterator<Item = TypeId> + '_ {
    std::iter::once(ty.elem).chain(ty.members.iter().map(|m| m.ty))
}

/// A type's class, its own hash, and what its references lead to (in the table, or a class).
type Signature = (u32, u64, Vec<(bool, u32)>);

const LOCAL: u32 = 1 << 31;

/// New types that may refer to each other: declare ids, define them, commit.
///
/// The ids that [`Batch::declare`] gives are placeholders, good for `elem` and `ty` of types of
/// this batch only.
#[derive(Debug, Default)]
pub struct Batch {
    types: Vec<Option<Type>>,
}

impl Batch {
    pub fn new() -> Batch {
        Batch::default()
    }
    pub fn declare(&mut self) -> TypeId {
        self.types.push(None);
        TypeId(LOCAL | (self.types.len() - 1) as u32)
    }
    /// Defines a declared type; its references are declared ids or ids of the table.
    pub fn define(&mut self, id: TypeId, ty: Type) {
        if let Some(slot) = local(id).and_then(|i| self.types.get_mut(i)) {
            *slot = Some(ty);
        }
    }
}

fn local(id: TypeId) -> Option<usize> {
    (id.0 & LOCAL != 0).then_some((id.0 & !LOCAL) as usize)
}

impl TypeTable {
    /// The id of a type whose references are ids of this table.
    pub fn add(&mut self, ty: Type) -> Result<TypeId, TypeError> {
        let mut batch = Batch::new();
        let id = batch.declare();
        batch.define(id, ty);
        Ok(self.commit(batch)?[0])
    }

    /// Enters the types of a batch; the result holds the final id of each, in declaration order.
    pub fn commit(&mut self, batch: Batch) -> Result<Vec<TypeId>, TypeError> {
        let mut types = Vec::with_capacity(batch.types.len());
        for (i, ty) in batch.types.into_iter().enumerate() {
            types.push(ty.ok_or(TypeError::Undefined(i as u32))?);
        }
        for ty in &types {
            let known = |id| local(id).map_or(self.contains(id), |i| i < types.len());
            if !references(ty).all(known) {
                return Err(TypeError::new(ty, "refers to a type that does not exist"));
            }
        }
        self.check_batch(&types)?;
        let mut commit = Commit {
            levels: Vec::new(),
            found: vec![None; types.len()],
            types,
        };
        commit.hash(self);
        for i in 0..commit.types.len() {
            commit.find(self, i);
        }
        commit.append(self);
        // Every type was found or appended.
        Ok(commit
            .found
            .into_iter()
            .map(|id| id.unwrap_or_default())
            .collect())
    }

    /// The invariants of the table for types that are not in it yet.
    fn check_batch(&self, types: &[Type]) -> Result<(), TypeError> {
        let get = |id| match local(id) {
            Some(i) => types.get(i),
            None => self.types.get(id.index()),
        };
        let mut depth: Vec<Option<u16>> = vec![None; types.len()];
        let mut open = vec![false; types.len()];
        for start in 0..types.len() {
            let mut stack = vec![start];
            while let Some(&i) = stack.last() {
                let contained = || {
                    references(&types[i]).filter(|_| types[i].kind != crate::types::Kind::Pointer)
                };
                let todo = contained()
                    .filter_map(local)
                    .find(|&k| depth[k].is_none() && !open[k]);
                if depth[i].is_none() && !open[i] {
                    open[i] = true;
                }
                match todo {
                    Some(k) if depth[i].is_none() => stack.push(k),
                    _ => {
                        stack.pop();
                        if depth[i].is_none() {
                            // What is still open here contains this type: `check_with` refuses it.
                            let of = |id| match local(id) {
                                Some(k) => depth[k],
                                None => self.depth.get(id.index()).copied(),
                            };
                            depth[i] = Some(self.check_with(&types[i], get, of)?);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

struct Commit {
    types: Vec<Type>,
    levels: Vec<Levels>,
    found: Vec<Option<TypeId>>,
}

impl Commit {
    fn hash(&mut self, table: &TypeTable) {
        self.levels = vec![[0; LEVELS]; self.types.len()];
        for level in 0..LEVELS {
            for i in 0..self.types.len() {
                let h = hash(&self.types[i], |r| match (level, local(r)) {
                    (0, _) => 0,
                    (_, Some(k)) => self.levels[k][level - 1],
                    (_, None) => table.index.levels[r.index()][level - 1],
                });
                self.levels[i][level] = h;
            }
        }
    }

    /// Looks for type `i` in the table; on success everything it leads to is found as well.
    fn find(&mut self, table: &TypeTable, i: usize) {
        if self.found[i].is_some() {
            return;
        }
        let candidates = table
            .index
            .by_hash
            .get(&self.levels[i][LEVELS - 1])
            .map_or(&[][..], Vec::as_slice);
        for &candidate in candidates {
            let mut assumed = Vec::new();
            if self.equal(table, i, candidate, &mut assumed) {
                return;
            }
            for k in assumed {
                self.found[k] = None;
            }
        }
    }

    fn equal(&mut self, table: &TypeTable, i: usize, id: TypeId, assumed: &mut Vec<usize>) -> bool {
        let mut open = vec![(TypeId(LOCAL | i as u32), id)];
        while let Some((ours, theirs)) = open.pop() {
            let Some(k) = local(ours) else {
                if ours == theirs {
                    continue;
                }
                return false;
            };
            match self.found[k] {
                Some(known) if known == theirs => continue,
                Some(_) => return false,
                None => {}
            }
            let (a, b) = (&self.types[k], table.get(theirs));
            if !same_node(a, b) {
                return false;
            }
            open.extend(references(a).zip(references(b)));
            self.found[k] = Some(theirs);
            assumed.push(k);
        }
        true
    }

    /// Appends what was not found, each distinct type once.
    fn append(&mut self, table: &mut TypeTable) {
        let new: Vec<usize> = (0..self.types.len())
            .filter(|&i| self.found[i].is_none())
            .collect();
        if new.is_empty() {
            return;
        }
        // Refine by what references lead to until no class splits any more.
        let mut class = vec![0u32; self.types.len()];
        let mut classes = 0;
        loop {
            let mut numbers: FxHashMap<Signature, Vec<(usize, u32)>> = FxHashMap::default();
            let mut next = class.clone();
            let mut count = 0;
            for &i in &new {
                let refs = references(&self.types[i])
                    .map(|r| match local(r) {
                        None => (true, r.0),
                        Some(k) => self.found[k].map_or((false, class[k]), |id| (true, id.0)),
                    })
                    .collect();
                let same = numbers
                    .entry((class[i], self.levels[i][0], refs))
                    .or_default();
                let known = same
                    .iter()
                    .find(|(k, _)| same_node(&self.types[*k], &self.types[i]));
                next[i] = match known {
                    Some(&(_, number)) => number,
                    None => {
                        same.push((i, count));
                        count += 1;
                        count - 1
                    }
                };
            }
            class = next;
            if count == classes {
                break;
            }
            classes = count;
        }
        let base = table.types.len() as u32;
        for &i in &new {
            self.found[i] = Some(TypeId(base + class[i]));
        }
        let mut done = 0;
        for &i in &new {
            if class[i] == done {
                done += 1;
                let mut ty = self.types[i].clone();
                let resolve = |id| local(id).map_or(id, |k| self.found[k].unwrap_or_default());
                ty.elem = resolve(ty.elem);
                for m in &mut ty.members {
                    m.ty = resolve(m.ty);
                }
                table
                    .index
                    .push(self.levels[i], TypeId(table.types.len() as u32));
                table.types.push(ty);
            }
        }
        table.measure_depths(base as usize);
    }
}

impl TypeTable {
    /// Computes the containment depth of the types from `first` on; they have been checked.
    pub(crate) fn measure_depths(&mut self, first: usize) {
        fn depth(table: &TypeTable, i: usize, known: &mut [Option<u16>], first: usize) -> u16 {
            if i < first {
                return table.depth[i];
            }
            if let Some(d) = known[i - first] {
                return d;
            }
            let t = &table.types[i];
            let elem = (t.kind == crate::types::Kind::Array).then_some(t.elem);
            let parts = elem.into_iter().chain(t.members.iter().map(|m| m.ty));
            let d = parts
                .map(|id| depth(table, id.index(), known, first) + 1)
                .max()
                .unwrap_or(0);
            known[i - first] = Some(d);
            d
        }
        let mut known = vec![None; self.types.len() - first];
        for i in first..self.types.len() {
            let d = depth(self, i, &mut known, first);
            self.depth.push(d);
        }
    }
}
