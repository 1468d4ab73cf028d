//! Where sizes get to: through variables, members and results.  What a function makes of an argument comes back to the
//! call that has it, and to no other.

use super::beyond::Beyond;
use crate::addresses::{holds_size, Graph, NumberPlace, Numbers, PlaceId};
use pc3_program::program::{Callee, FnId, Program};
use pc3_program::walk::{visit, Node};
use pc3_syntax::tree::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Where numbers get to, of one place after the other.
pub struct Reach<'a> {
    p: &'a Program<'a>,
    graph: &'a Graph,
    /// Places that are in no edge of the flow.
    more: Vec<NumberPlace>,
    ids: FxHashMap<NumberPlace, PlaceId>,
    further: FxHashMap<PlaceId, Vec<PlaceId>>,
    /// Numbers are not followed through these.
    but: &'a HashSet<NumberPlace>,
    known: FxHashMap<Vec<PlaceId>, Reached>,
}

pub type Reached = Arc<HashSet<NumberPlace>>;

impl<'a> Reach<'a> {
    pub fn new(
        p: &'a Program<'a>,
        (numbers, but): (&'a Numbers, &'a HashSet<NumberPlace>),
        beyond: &Beyond,
    ) -> Reach<'a> {
        let mut all = Reach {
            p,
            graph: numbers.graph(),
            more: Vec::new(),
            ids: FxHashMap::default(),
            further: FxHashMap::default(),
            but,
            known: FxHashMap::default(),
        };
        for (from, to) in &beyond.places {
            let to = to.iter().map(|x| all.id(x)).collect();
            let from = all.id(from);
            all.further.insert(from, to);
        }
        all
    }

    fn id(&mut self, x: &NumberPlace) -> PlaceId {
        if let Some(id) = self.graph.id(x).or(self.ids.get(x).copied()) {
            return id;
        }
        let id = (self.graph.count() + self.more.len()) as PlaceId;
        self.more.push(x.clone());
        self.ids.insert(x.clone(), id);
        id
    }

    fn place(&self, id: PlaceId) -> &NumberPlace {
        match (id as usize).checked_sub(self.graph.count()) {
            Some(k) => &self.more[k],
            None => self.graph.place(id),
        }
    }

    /// The places that a number in `from` gets to.
    pub fn from(&mut self, from: &[NumberPlace]) -> Reached {
        let mut from: Vec<PlaceId> = from.iter().map(|x| self.id(x)).collect();
        from.sort_unstable();
        from.dedup();
        if let Some(known) = self.known.get(&from) {
            return Arc::clone(known);
        }
        let found = Arc::new(self.follow(&from));
        self.known.insert(from, Arc::clone(&found));
        found
    }

    fn follow(&self, from: &[PlaceId]) -> HashSet<NumberPlace> {
        let param = |id: PlaceId| is_param(self.p, self.place(id));
        let mut todo: Vec<(PlaceId, bool)> = from.iter().map(|x| (*x, param(*x))).collect();
        let mut seen: FxHashSet<(PlaceId, bool)> = todo.iter().copied().collect();
        while let Some((id, argument)) = todo.pop() {
            let x = self.place(id);
            // In memory it is hardly ever known to be the same.
            if matches!(x, NumberPlace::Memory(_) | NumberPlace::Pointer) || self.but.contains(x) {
                continue;
            }
            let in_graph = (id as usize) < self.graph.count();
            let next = in_graph.then(|| self.graph.next(id).iter());
            let further = self.further.get(&id).into_iter().flatten();
            for next in next.into_iter().flatten().chain(further) {
                let argument = match self.place(*next) {
                    NumberPlace::Result(_) if argument => continue,
                    NumberPlace::Variable(..) => argument || param(*next),
                    NumberPlace::Handed(..) => true,
                    _ => false,
                };
                if seen.insert((*next, argument)) {
                    todo.push((*next, argument));
                }
            }
        }
        let ids: FxHashSet<PlaceId> = seen.into_iter().map(|x| x.0).collect();
        let all = ids.into_iter().map(|id| self.place(id));
        all.filter(|x| !x.is_between()).cloned().collect()
    }
}

fn is_param(p: &Program, x: &NumberPlace) -> bool {
    matches!(x, NumberPlace::Variable(unit, s) if p.units[*unit].sym(*s).kind == SymKind::Param)
}

/// Does a function return what it makes of its `i`th argument?
fn flows_back(p: &Program, numbers: &Numbers, f: FnId, i: usize) -> bool {
    let unit = p.fns[f.index()].0;
    let Some(s) = p.func(f).params.get(i) else {
        return false;
    };
    let own = |x: &NumberPlace| match x {
        NumberPlace::Variable(v, s) => {
            *v == unit && p.units[*v].sym(*s).func == Some(p.fns[f.index()].1)
        }
        _ => false,
    };
    let from = [NumberPlace::Variable(unit, *s)];
    let all = numbers.reached(&from, &own);
    all.contains(&&NumberPlace::Result(f))
}

/// Calls that return what they make of a size in an argument.
#[derive(Default)]
pub struct SizeCalls {
    /// Where that goes, by those sizes.
    pub to: HashMap<(usize, ExprId), Vec<NumberPlace>>,
    pub of: HashMap<(usize, ExprId), FnId>,
}

pub fn calls(p: &Program, numbers: &Numbers) -> SizeCalls {
    let mut all = SizeCalls::default();
    for w in numbers.wanted() {
        let u = &p.units[w.unit];
        let ExprKind::Call { callee, args } = &u.expr(w.of).kind else {
            continue;
        };
        let Some((_, Callee::Defined(f))) = p.direct(w.unit, *callee) else {
            continue;
        };
        for (i, a) in args.iter().enumerate() {
            if !holds_size(u, *a) || !flows_back(p, numbers, f, i) {
                continue;
            }
            all.of.insert((w.unit, w.of), f);
            visit(u, Node::Expr(*a), &mut |n| {
                if let Node::Expr(e) = n {
                    if is_size(u, e) {
                        all.to.entry((w.unit, e)).or_default().extend(w.to.clone());
                    }
                }
                true
            });
        }
    }
    all
}

fn is_size(u: &Unit, e: ExprId) -> bool {
    matches!(
        u.expr(e).kind,
        ExprKind::SizeofExpr(_) | ExprKind::SizeofType(_)
    )
}
