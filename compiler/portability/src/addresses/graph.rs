//! From which places to which numbers go, by the places' numbers: large programs have many of both, and are asked often.

use super::place::NumberPlace;
use rustc_hash::{FxHashMap, FxHashSet};

pub type PlaceId = u32;

#[derive(Default)]
pub struct Graph {
    index: FxHashMap<NumberPlace, PlaceId>,
    places: Vec<NumberPlace>,
    next: Vec<FxHashSet<PlaceId>>,
}

impl Graph {
    pub fn add(&mut self, x: &NumberPlace) -> PlaceId {
        if let Some(id) = self.index.get(x) {
            return *id;
        }
        let id = self.places.len() as PlaceId;
        self.places.push(x.clone());
        self.next.push(FxHashSet::default());
        self.index.insert(x.clone(), id);
        id
    }

    pub fn edges(&mut self, from: &[NumberPlace], to: &[NumberPlace]) {
        let to: Vec<PlaceId> = to.iter().map(|x| self.add(x)).collect();
        for x in from {
            let id = self.add(x);
            self.next[id as usize].extend(&to);
        }
    }

    pub fn id(&self, x: &NumberPlace) -> Option<PlaceId> {
        self.index.get(x).copied()
    }
    pub fn place(&self, id: PlaceId) -> &NumberPlace {
        &self.places[id as usize]
    }
    pub fn next(&self, id: PlaceId) -> &FxHashSet<PlaceId> {
        &self.next[id as usize]
    }
    pub fn count(&self) -> usize {
        self.places.len()
    }

    /// Where the values in `from` get to, on and on through the places that `through` allows, `from` included.
    pub fn reached<'s>(
        &'s self,
        from: impl Iterator<Item = &'s NumberPlace>,
        through: &dyn Fn(&NumberPlace) -> bool,
    ) -> Vec<&'s NumberPlace> {
        let (mut found, mut apart) = (FxHashSet::default(), FxHashSet::default());
        let mut todo: Vec<PlaceId> = Vec::new();
        for x in from {
            match self.id(x) {
                Some(id) if found.insert(id) => todo.push(id),
                Some(_) => {}
                None => _ = apart.insert(x),
            }
        }
        while let Some(id) = todo.pop() {
            let x = self.place(id);
            if x.is_between() || through(x) {
                let new = self.next(id).iter().copied();
                todo.extend(new.filter(|n| found.insert(*n)));
            }
        }
        let found = found.into_iter().map(|id| self.place(id));
        let found = found.chain(apart).filter(|x| !x.is_between());
        found.collect()
    }

    /// Which places lead to some that are wanted, these included.
    pub fn leading(&self, wanted: &dyn Fn(&NumberPlace) -> bool) -> Vec<bool> {
        let mut back: Vec<Vec<PlaceId>> = vec![Vec::new(); self.count()];
        for (from, list) in self.next.iter().enumerate() {
            let from = from as PlaceId;
            list.iter().for_each(|to| back[*to as usize].push(from));
        }
        let mut leads: Vec<bool> = self.places.iter().map(wanted).collect();
        let ids = (0..self.count() as PlaceId).filter(|id| leads[*id as usize]);
        let mut todo: Vec<PlaceId> = ids.collect();
        while let Some(id) = todo.pop() {
            for from in &back[id as usize] {
                if !std::mem::replace(&mut leads[*from as usize], true) {
                    todo.push(*from);
                }
            }
        }
        leads
    }
}
