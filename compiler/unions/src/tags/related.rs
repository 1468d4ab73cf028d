//! Structs that begin alike, by which one pointer leads to several: a tag can be stored through another struct than the one
//! that has the union.

use super::is_integer;
use super::places::owner;
use crate::alike::beginning;
use crate::member_paths::key;
use pc3_program::program::Program;
use pc3_program::walk::strip_casts;
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

/// Which structs pointers are cast between or unions have at one place, and what is stored to integers of theirs.
#[derive(Default)]
pub struct Related {
    /// Leads to another one of the class, or to itself.
    class: HashMap<String, String>,
    /// What each union has at one place, itself included.
    together: Vec<HashSet<String>>,
    stored: HashSet<(String, usize)>,
    copied: HashSet<String>,
}

impl Related {
    pub fn find(p: &Program) -> Related {
        let mut r = Related::default();
        for u in p.units {
            for x in &u.exprs {
                match &x.kind {
                    ExprKind::Cast { to, arg } => {
                        let from = u.expr(strip_casts(u, *arg)).ty.ty;
                        if let (Some(a), Some(b)) = (pointee(u, to.ty), pointee(u, from)) {
                            r.join(&key(u, a), &key(u, b));
                        }
                    }
                    ExprKind::Assign { lhs, .. } => r.store(u, *lhs),
                    ExprKind::Unary {
                        op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                        arg,
                    } => r.store(u, *arg),
                    _ => {}
                }
            }
            for (i, d) in u.records.iter().enumerate().filter(|(_, d)| d.is_union) {
                let members = d.fields.iter().flatten();
                let members = members.filter_map(|f| match u.ty(f.ty.ty) {
                    Type::Record(member) => Some(key(u, *member)),
                    _ => None,
                });
                let all: HashSet<String> = members.chain([key(u, RecordId(i as u32))]).collect();
                if all.len() > 1 && !r.together.contains(&all) {
                    r.together.push(all);
                }
            }
        }
        r
    }

    fn store(&mut self, u: &Unit, lhs: ExprId) {
        let t = u.expr(lhs).ty.ty;
        if let Type::Record(r) = u.ty(t) {
            self.copied.insert(key(u, *r));
        }
        if let Some(o) = owner(u, lhs).filter(|_| is_integer(u, t)) {
            self.stored.insert(o.home(u));
        }
    }

    fn root(&self, name: &str) -> String {
        let mut at = name.to_string();
        while let Some(next) = self.class.get(&at).filter(|n| **n != at) {
            at = next.clone();
        }
        at
    }

    fn join(&mut self, a: &str, b: &str) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.class.insert(a, b);
        }
    }

    /// Could one object be both?
    fn related(&self, a: &str, b: &str) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        let has = |all: &HashSet<String>, root: &str| all.iter().any(|n| self.root(n) == root);
        a == b || self.together.iter().any(|all| has(all, &a) && has(all, &b))
    }

    /// Another struct through which field `k` of a record may be stored to; `own` knows those that are looked after.
    pub fn other(
        &self,
        p: &Program,
        (u, record, k): (&Unit, RecordId, usize),
        own: &dyn Fn(&str, usize) -> bool,
    ) -> Option<String> {
        let name = key(u, record);
        let place = beginning(u, record, k)?;
        for v in p.units {
            for (i, d) in v.records.iter().enumerate().filter(|(_, d)| !d.is_union) {
                let r = RecordId(i as u32);
                let other = key(v, r);
                if other == name || !self.related(&name, &other) {
                    continue;
                }
                for j in 0..d.fields.as_ref().map_or(0, Vec::len) {
                    let written = self.stored.contains(&(other.clone(), j));
                    let whole = self.copied.contains(&other);
                    if (written || whole)
                        && !own(&other, j)
                        && beginning(v, r, j).is_none_or(|b| b == place)
                    {
                        return Some(other);
                    }
                }
            }
        }
        None
    }
}

fn pointee(u: &Unit, t: TypeId) -> Option<RecordId> {
    match u.ty(t) {
        Type::Pointer(to) => match u.ty(to.ty) {
            Type::Record(r) => Some(*r),
            _ => None,
        },
        _ => None,
    }
}
