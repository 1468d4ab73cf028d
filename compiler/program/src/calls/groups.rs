//! Functions that calls may reach, kept once for all calls that may reach the same ones.
//!
//! With N functions that are called through pointers of one type and N such calls there are N² pairs of the two: analyses
//! go from calls to groups and from groups to functions instead, which are 2N.

use crate::program::FnId;
use pc3_syntax::tree::ExprId;
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct GroupId(u32);
impl GroupId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Default)]
pub struct Groups {
    functions: Vec<Vec<FnId>>,
    index: FxHashMap<Vec<FnId>, GroupId>,
    /// By calls, of a unit.
    calls: FxHashMap<(usize, ExprId), GroupId>,
    /// Calls of each, in the order of the program.
    sites: Vec<Vec<(usize, ExprId)>>,
    /// Those that each function is in.
    of: FxHashMap<FnId, Vec<GroupId>>,
}

impl Groups {
    /// Each function stands in the list once.
    pub fn group(&mut self, functions: Vec<FnId>) -> GroupId {
        if let Some(id) = self.index.get(&functions) {
            return *id;
        }
        let id = GroupId(self.functions.len() as u32);
        for f in &functions {
            self.of.entry(*f).or_default().push(id);
        }
        self.index.insert(functions.clone(), id);
        self.functions.push(functions);
        self.sites.push(Vec::new());
        id
    }

    pub fn call(&mut self, unit: usize, call: ExprId, to: GroupId) {
        self.calls.insert((unit, call), to);
        self.sites[to.index()].push((unit, call));
    }

    pub fn count(&self) -> usize {
        self.functions.len()
    }
    pub fn ids(&self) -> impl Iterator<Item = GroupId> {
        (0..self.functions.len() as u32).map(GroupId)
    }
    pub fn functions(&self, id: GroupId) -> &[FnId] {
        &self.functions[id.index()]
    }
    /// The group of a call of defined functions.
    pub fn of_call(&self, unit: usize, call: ExprId) -> Option<GroupId> {
        self.calls.get(&(unit, call)).copied()
    }
    /// What a call may reach.
    pub fn called(&self, unit: usize, call: ExprId) -> &[FnId] {
        self.of_call(unit, call).map_or(&[], |g| self.functions(g))
    }
    /// Calls by unit.
    pub fn sites(&self, id: GroupId) -> &[(usize, ExprId)] {
        &self.sites[id.index()]
    }
    pub fn of(&self, f: FnId) -> &[GroupId] {
        self.of.get(&f).map_or(&[], Vec::as_slice)
    }
}
