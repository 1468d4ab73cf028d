//! Structs that travel as pointers to anything: through parameters, results, variables and members, in the whole program.
//!
//! Places are not told apart by objects: a member of all lists is one place. So that lists which hold different structs show
//! nothing, a struct that is taken out counts as another one only where it is put in nowhere, or where it is all that is taken out and
//! another one is put in. What functions that allocate are given is nothing that they return.

use super::{is_behind, record, AllStructs};
use crate::heap::flow::{PointerFlow, PointerPlace, Use};
use crate::heap::types::{is_char, library_name};
use pc3_program::callgraph::CallGraph;
use pc3_program::groups::{GroupId, Groups};
use pc3_program::program::{Callee, FnId, Program};
use pc3_program::walk::strip_casts;
use pc3_syntax::tree::*;
use std::collections::{BTreeSet, HashMap, HashSet};

/// What holds a pointer to anything.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Node {
    At(PointerPlace),
    Result(FnId),
    /// Between the calls of a group and its functions: an argument, and what is returned.
    Handed(GroupId, usize),
    Returned(GroupId),
}

/// Where a pointer comes from.
pub enum PointerSource {
    /// It is one to this struct.
    Struct(TypeId),
    /// To what lies behind a head.
    Behind,
    Node(usize),
}

/// What is taken out of a node, and where: unit and offset.
type Take = (usize, (usize, u32));

pub struct VoidPointerFlow<'a> {
    p: &'a Program<'a>,
    flows: &'a [PointerFlow<'a>],
    groups: &'a Groups,
    /// What an argument of a group's calls goes to.
    handed: HashMap<(GroupId, usize), Vec<(Node, Holds)>>,
    /// What these return is new.
    fresh: &'a HashSet<FnId>,
    /// What lies behind heads of structs: units and types.
    behind: Vec<(usize, TypeId)>,
    /// What moves through memory, and may be behind what it was.
    moved: HashSet<PointerPlace>,
    index: HashMap<Node, usize>,
    /// From where to where values go.
    edges: Vec<BTreeSet<usize>>,
    put: Vec<BTreeSet<usize>>,
    taken: Vec<Vec<Take>>,
}

fn is_any(u: &Unit, q: QualType) -> bool {
    matches!(u.ty(q.ty), Type::Pointer(t) if matches!(u.ty(t.ty), Type::Void) || is_char(u, *t))
}

/// What a place of a type holds that matters here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Pointer,
    /// The address of one.
    Address,
}

fn holds(u: &Unit, q: QualType) -> Option<Holds> {
    match u.ty(q.ty) {
        _ if is_any(u, q) => Some(Holds::Pointer),
        Type::Pointer(t) if is_any(u, *t) => Some(Holds::Address),
        _ => None,
    }
}

impl<'a> VoidPointerFlow<'a> {
    pub fn new(
        p: &'a Program<'a>,
        graph: &'a CallGraph,
        flows: &'a [PointerFlow<'a>],
        fresh: &'a HashSet<FnId>,
        behind: Vec<(usize, TypeId)>,
    ) -> VoidPointerFlow<'a> {
        let mut moved = HashSet::new();
        flows.iter().for_each(|f| moves(f, &mut moved));
        VoidPointerFlow {
            p,
            flows,
            groups: &graph.groups,
            handed: HashMap::new(),
            fresh,
            behind,
            moved,
            index: HashMap::new(),
            edges: Vec::new(),
            put: Vec::new(),
            taken: Vec::new(),
        }
    }

    fn node(&mut self, n: Node) -> usize {
        let next = self.index.len();
        let k = *self.index.entry(n).or_insert(next);
        if k == next {
            self.edges.push(BTreeSet::new());
            self.put.push(BTreeSet::new());
            self.taken.push(Vec::new());
        }
        k
    }

    fn at(&mut self, place: PointerPlace) -> Option<usize> {
        (!self.moved.contains(&place)).then(|| self.node(Node::At(place)))
    }

    /// What a value points to by its own type, or where it comes from as a pointer to anything. What lies behind a struct
    /// (`(struct b *)(a + 1)`) is not it.
    pub fn sources(&mut self, flow: &PointerFlow, e: ExprId, out: &mut Vec<PointerSource>) {
        let u = flow.u;
        let e = strip_casts(u, e);
        let (from, moved) = flow.origin(e);
        let of = match &u.expr(e).kind {
            ExprKind::AddrOf(x) if is_behind(u, *x) => return,
            ExprKind::AddrOf(_) => e,
            _ if moved => {
                if super::behind(u, u.expr(from).ty).is_some() && is_any(u, u.expr(e).ty) {
                    out.push(PointerSource::Behind);
                }
                return;
            }
            _ => from,
        };
        let q = u.expr(of).ty;
        let element = match u.ty(q.ty) {
            Type::Pointer(t) | Type::Array { elem: t, .. } => Some(t.ty),
            _ => None,
        };
        if let Some(t) = element.filter(|t| record(u, *t).is_some()) {
            out.push(PointerSource::Struct(t));
            return;
        }
        if !is_any(u, q) {
            return;
        }
        match &u.expr(of).kind {
            ExprKind::Ident(_)
            | ExprKind::Member { .. }
            | ExprKind::Index { .. }
            | ExprKind::Deref(_) => {
                let node = flow.place(of).and_then(|place| self.at(place));
                out.extend(node.map(PointerSource::Node));
            }
            ExprKind::Cond { cond, then, els } => {
                self.sources(flow, then.unwrap_or(*cond), out);
                self.sources(flow, *els, out);
            }
            ExprKind::Comma(list) => {
                if let Some(last) = list.last() {
                    self.sources(flow, *last, out);
                }
            }
            ExprKind::Assign { op: None, rhs, .. } => self.sources(flow, *rhs, out),
            ExprKind::Call { callee, args } => match self.p.direct(flow.unit, *callee) {
                Some((_, Callee::External(_))) => {
                    let name = library_name(u, *callee).unwrap_or("");
                    let first = ["memcpy", "memmove", "memset"].contains(&name);
                    if let Some(a) = args.first().filter(|_| first) {
                        self.sources(flow, *a, out);
                    }
                }
                _ => {
                    let group = self.called(flow.unit, of);
                    out.extend(
                        group
                            .and_then(|g| self.returned(g))
                            .map(PointerSource::Node),
                    );
                }
            },
            _ => {}
        }
    }

    /// A node's value becomes a pointer to a struct.
    pub fn take(&mut self, node: usize, of: usize, at: (usize, u32)) {
        self.taken[node].push((of, at));
    }

    /// Notes what the program puts where.
    pub(super) fn puts(&mut self, known: &mut AllStructs) {
        for flow in self.flows {
            let mut uses: Vec<(&ExprId, &Use)> = flow.uses.iter().collect();
            uses.sort_by_key(|(e, _)| **e);
            for (e, to) in uses {
                for (node, holds) in self.sinks(flow, *e, to) {
                    match holds {
                        Holds::Pointer => self.put(flow, *e, node, known),
                        Holds::Address => self.lend(flow, *e, node, known),
                    }
                }
            }
        }
    }

    /// The nodes that a use of a value puts it into.
    fn sinks(&mut self, flow: &PointerFlow, e: ExprId, to: &Use) -> Vec<(usize, Holds)> {
        let (unit, u) = (flow.unit, flow.u);
        let list: Vec<(Node, Option<Holds>)> = match to {
            Use::Assign(lhs, _) => {
                let place = flow.place(*lhs).into_iter();
                let q = u.expr(*lhs).ty;
                place.map(|x| (Node::At(x), holds(u, q))).collect()
            }
            Use::Init(s) => {
                let place = PointerPlace::variable(unit, u, *s);
                vec![(Node::At(place), holds(u, u.sym(*s).ty))]
            }
            Use::Part(q, place) => {
                let place = place.iter().cloned();
                place.map(|x| (Node::At(x), holds(u, *q))).collect()
            }
            Use::Return(q) => {
                let start = u.expr(e).span.start;
                let around = u.functions.iter().position(|f| f.span.contains(&start));
                let f = around.map(|k| self.p.id(unit, FuncId(k as u32)));
                f.into_iter()
                    .map(|f| (Node::Result(f), holds(u, *q)))
                    .collect()
            }
            Use::Arg(call, i) => {
                let group = self.called(unit, *call);
                return group.map_or(Vec::new(), |g| self.parameters(g, *i));
            }
            Use::Cast(..) | Use::Same(_) => Vec::new(),
        };
        let mut out = Vec::new();
        for (node, holds) in list {
            let Some(holds) = holds else { continue };
            let still = !matches!(&node, Node::At(place) if self.moved.contains(place));
            if still {
                out.push((self.node(node), holds));
            }
        }
        out
    }

    /// The functions of the program that a call may reach.
    fn called(&self, unit: usize, call: ExprId) -> Option<GroupId> {
        let ExprKind::Call { callee, .. } = self.p.units[unit].expr(call).kind else {
            return None;
        };
        match self.p.direct(unit, callee) {
            Some((_, Callee::External(_))) => None,
            _ => self.groups.of_call(unit, call),
        }
    }

    /// The node of what a group's functions return.
    fn returned(&mut self, group: GroupId) -> Option<usize> {
        let functions = self.groups.functions(group);
        match functions {
            [] => None,
            [f] => Some(self.node(Node::Result(*f))),
            _ => {
                let before = self.index.len();
                let node = self.node(Node::Returned(group));
                // It is new.
                if node == before {
                    for f in functions {
                        let from = self.node(Node::Result(*f));
                        self.edges[from].insert(node);
                    }
                }
                Some(node)
            }
        }
    }

    /// The nodes of the parameters that the calls of a group give an argument to. Pointers reach several by one node.
    fn parameters(&mut self, group: GroupId, i: usize) -> Vec<(usize, Holds)> {
        let (p, fresh) = (self.p, self.fresh);
        let functions = self.groups.functions(group);
        let list = self.handed.entry((group, i)).or_insert_with(|| {
            let param = |f: &FnId| {
                let s = *p.func(*f).params.get(i)?;
                let (unit, u) = (p.fns[f.index()].0, p.unit(*f));
                let holds = holds(u, u.sym(s).ty)?;
                Some((Node::At(PointerPlace::variable(unit, u, s)), holds))
            };
            let called = functions.iter().filter(|f| !fresh.contains(f));
            called.filter_map(param).collect()
        });
        let list = list.clone();
        let moved = |n: &Node| matches!(n, Node::At(place) if self.moved.contains(place));
        let list: Vec<(Node, Holds)> = list.into_iter().filter(|x| !moved(&x.0)).collect();
        let pointers = |x: &&(Node, Holds)| matches!(x.1, Holds::Pointer);
        if list.iter().filter(pointers).count() < 2 {
            let nodes = list.into_iter().map(|(n, holds)| (self.node(n), holds));
            return nodes.collect();
        }
        let before = self.index.len();
        let node = self.node(Node::Handed(group, i));
        let mut out = vec![(node, Holds::Pointer)];
        for (n, holds) in list {
            match holds {
                Holds::Pointer if node == before => {
                    let to = self.node(n);
                    self.edges[node].insert(to);
                }
                Holds::Pointer => {}
                Holds::Address => out.push((self.node(n), holds)),
            }
        }
        out
    }

    fn put(&mut self, flow: &PointerFlow, e: ExprId, node: usize, known: &mut AllStructs) {
        let mut from = Vec::new();
        self.sources(flow, e, &mut from);
        for s in from {
            match s {
                PointerSource::Struct(t) => self.put[node].extend(known.index(flow.unit, t)),
                PointerSource::Behind => {
                    for (unit, t) in self.behind.clone() {
                        self.put[node].extend(known.index(unit, t));
                    }
                }
                PointerSource::Node(n) => _ = self.edges[n].insert(node),
            }
        }
    }

    /// The address of a pointer: what is stored through it is in that, and the other way round.
    fn lend(&mut self, flow: &PointerFlow, e: ExprId, node: usize, known: &mut AllStructs) {
        let u = flow.u;
        let e = strip_casts(u, e);
        let of = match u.expr(e).kind {
            ExprKind::AddrOf(x) => x,
            _ => e,
        };
        let q = u.expr(of).ty;
        let start = u.expr(e).span.start;
        if let Some(t) = super::behind(u, q).filter(|_| of != e) {
            if let Some(k) = known.index(flow.unit, t) {
                self.put[node].insert(k);
                self.take(node, k, (flow.unit, start));
            }
        } else if holds(u, q).is_some() {
            if let Some(n) = flow.place(of).and_then(|place| self.at(place)) {
                self.edges[n].insert(node);
                self.edges[node].insert(n);
            }
        }
    }

    /// What is put into a group's node is put into each of its parameters; the other way round, the results of each group's node.
    fn through_groups(&mut self) -> HashMap<usize, Vec<usize>> {
        let mut results = HashMap::new();
        for (n, k) in &self.index {
            match n {
                Node::Handed(..) => {
                    let all = std::mem::take(&mut self.put[*k]);
                    for to in &self.edges[*k] {
                        self.put[*to].extend(&all);
                    }
                }
                Node::Returned(group) => {
                    let functions = self.groups.functions(*group).iter();
                    let nodes = functions.filter_map(|f| self.index.get(&Node::Result(*f)));
                    results.insert(*k, nodes.copied().collect());
                }
                _ => {}
            }
        }
        results
    }

    /// Structs that are put in, what they are taken out as, and where.
    pub(super) fn pairs(&mut self, known: &mut AllStructs) -> Vec<(usize, usize, (usize, u32))> {
        let results = self.through_groups();
        let n = self.edges.len();
        let mut back = vec![BTreeSet::new(); n];
        for (from, list) in self.edges.iter().enumerate() {
            list.iter().for_each(|to| _ = back[*to].insert(from));
        }
        let put = spread(&self.edges, self.put.clone());
        let taken = self.taken.iter().map(|l| l.iter().map(|t| t.0).collect());
        let taken = spread(&back, taken.collect());
        let mut out = Vec::new();
        // One that is taken out where it is put in nowhere.
        for (node, list) in self.taken.iter().enumerate() {
            let itself = [node];
            let from = results.get(&node).map_or(&itself[..], Vec::as_slice);
            let mut strange: HashMap<usize, BTreeSet<usize>> = HashMap::new();
            for (other, at) in list {
                let all = strange.entry(*other).or_insert_with(|| {
                    let mut all = BTreeSet::new();
                    for node in from {
                        if !put[*node].iter().any(|of| known.akin(*of, *other)) {
                            all.extend(&put[*node]);
                        }
                    }
                    all
                });
                out.extend(all.iter().map(|of| (*of, *other, *at)));
            }
        }
        let members = self.index.iter();
        let members =
            members.filter(|(n, _)| matches!(n, Node::At(place) if place.holder().is_some()));
        let members: HashSet<usize> = members.map(|(_, k)| *k).collect();
        // One that is put in where only another one is taken out.
        for (node, list) in self.put.iter().enumerate() {
            let mut all = taken[node].iter();
            let Some(first) = all.next() else { continue };
            if !all.all(|other| known.akin(*first, *other)) {
                continue;
            }
            // A member for both: who takes the one out knows by something else that it is there.
            if members.contains(&node) && list.iter().any(|of| known.akin(*of, *first)) {
                continue;
            }
            for of in list.iter().filter(|of| !taken[node].contains(of)) {
                let reached = spread_from(&self.edges, node);
                let there = reached.iter().flat_map(|k| &self.taken[*k]);
                out.extend(there.map(|(other, at)| (*of, *other, *at)));
            }
        }
        out.sort_unstable_by_key(|(of, other, at)| (*of, *other, *at));
        out
    }
}

/// What reaches each node.
fn spread(edges: &[BTreeSet<usize>], mut sets: Vec<BTreeSet<usize>>) -> Vec<BTreeSet<usize>> {
    let mut todo: Vec<usize> = (0..edges.len()).collect();
    while let Some(k) = todo.pop() {
        for to in &edges[k] {
            let before = sets[*to].len();
            let more: Vec<usize> = sets[k].difference(&sets[*to]).copied().collect();
            sets[*to].extend(more);
            if sets[*to].len() > before {
                todo.push(*to);
            }
        }
    }
    sets
}

fn spread_from(edges: &[BTreeSet<usize>], start: usize) -> BTreeSet<usize> {
    let mut seen = BTreeSet::from([start]);
    let mut todo = vec![start];
    while let Some(k) = todo.pop() {
        todo.extend(edges[k].iter().copied().filter(|to| seen.insert(*to)));
    }
    seen
}

/// Adds the places of pointers that the unit moves on.
fn moves(flow: &PointerFlow, out: &mut HashSet<PointerPlace>) {
    let u = flow.u;
    for x in &u.exprs {
        let lhs = match &x.kind {
            ExprKind::Assign {
                op: Some(_), lhs, ..
            } => *lhs,
            ExprKind::Unary {
                op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                arg,
            } => *arg,
            ExprKind::Assign { op: None, lhs, rhs } => {
                let (from, moved) = flow.origin(*rhs);
                match moved && flow.place(from).is_some() && flow.place(from) == flow.place(*lhs) {
                    true => *lhs,
                    false => continue,
                }
            }
            _ => continue,
        };
        if is_any(u, u.expr(lhs).ty) {
            out.extend(flow.place(lhs));
        }
    }
}
