//! Where numbers go, whatever the order: from each place that is read to those that are written with it.

use super::arrays::Arrays;
use super::graph::Graph;
use super::kinds::{
    copies_addresses, cursors, has_sizeof, holds_addresses, is_address, is_depth, is_number,
    pointee,
};
use super::lvalues::{parts, places};
use super::offset::is_constant;
use super::place::NumberPlace;
use super::punned::Punned;
use pc3_program::callgraph::CallGraph;
use pc3_program::groups::GroupId;
use pc3_program::parents::{parents, Parent, Parents};
use pc3_program::program::{Callee, FnId, Program};
use pc3_program::walk::strip_casts;
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

/// What arguments of calls that may reach several functions are given to.
pub type Ends = HashMap<(GroupId, usize), Vec<NumberPlace>>;

/// An address becomes a number.
pub struct AddressSource {
    pub unit: usize,
    pub of: ExprId,
    pub to: Vec<NumberPlace>,
    /// As far as its type tells, what the pointer holds is a number anyway.
    pub mark: bool,
}

/// An expression that was asked for, and where it goes.
pub struct Wanted {
    pub unit: usize,
    pub of: ExprId,
    pub to: Vec<NumberPlace>,
}

/// What a number is, as far as that decides what becomes of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Is {
    Number,
    /// Of interest only as long as it is one.
    Address,
    /// Made of a `sizeof`: what is divided by one is a count.
    Size,
}

pub struct NumberFlows {
    pub sources: Vec<AddressSource>,
    pub graph: Graph,
    pub ends: Ends,
    pub wanted: Vec<Wanted>,
}

pub struct NumberFlow<'a> {
    p: &'a Program<'a>,
    graph: &'a CallGraph,
    /// Places of which the author says so.
    known: &'a HashSet<NumberPlace>,
    arrays: &'a Arrays,
    /// Places that hold addresses, as far as known.
    addresses: HashSet<NumberPlace>,
    wanted: &'a dyn Fn(&Unit, ExprId) -> Option<Is>,
    /// Groups whose results have their edges.
    returned: HashSet<GroupId>,
    found: NumberFlows,
}

/// One unit.
pub(super) struct Cx<'a> {
    pub(super) unit: usize,
    pub(super) u: &'a Unit,
    pub(super) parents: Parents,
    pub(super) known: &'a HashSet<NumberPlace>,
    pub(super) arrays: &'a Arrays,
    /// What parts of initialisers are elements of.
    pub(super) parts: HashMap<ExprId, NumberPlace>,
    /// Pointers to characters by which memory of another kind is filled.
    pub(super) cursors: HashSet<SymId>,
    pub(super) punned: Punned,
}

impl<'a> NumberFlow<'a> {
    pub fn new(
        p: &'a Program<'a>,
        graph: &'a CallGraph,
        (known, arrays): (&'a HashSet<NumberPlace>, &'a Arrays),
        addresses: HashSet<NumberPlace>,
        wanted: &'a dyn Fn(&Unit, ExprId) -> Option<Is>,
    ) -> NumberFlow<'a> {
        let found = NumberFlows {
            sources: Vec::new(),
            graph: Graph::default(),
            ends: HashMap::new(),
            wanted: Vec::new(),
        };
        NumberFlow {
            p,
            graph,
            known,
            arrays,
            addresses,
            wanted,
            returned: HashSet::new(),
            found,
        }
    }

    pub fn follow(mut self) -> NumberFlows {
        for (unit, u) in self.p.units.iter().enumerate() {
            let cx = Cx {
                unit,
                u,
                parents: parents(u),
                known: self.known,
                arrays: self.arrays,
                parts: parts(unit, u, self.arrays),
                cursors: cursors(u),
                punned: Punned::new(u),
            };
            (0..u.exprs.len()).for_each(|k| self.expr(&cx, ExprId(k as u32)));
        }
        for (from, to) in self.arrays.copies() {
            self.edges(&from, &[to]);
        }
        self.found
    }

    fn expr(&mut self, cx: &Cx, e: ExprId) {
        let u = cx.u;
        let x = u.expr(e);
        if let Some(is) = (self.wanted)(u, e) {
            let (unit, to) = (cx.unit, self.up_from(cx, e, is));
            // Sizes get further than this follows.
            if !to.is_empty() || is == Is::Size {
                self.found.wanted.push(Wanted { unit, of: e, to });
            }
        }
        match &x.kind {
            ExprKind::Cast { arg, .. } => {
                let from = u.expr(*arg).ty.ty;
                let made = is_address(u, from) && !is_constant(u, *arg) && !is_depth(u, *arg);
                if is_number(u, x.ty.ty) && made {
                    let to = self.up(cx, e);
                    self.source(cx, e, to, is_mark(cx, e, *arg));
                } else if let (Some(a), Some(b)) = (pointee(u, from), pointee(u, x.ty.ty)) {
                    self.looked_at_as(cx, e, *arg, a, b);
                }
            }
            ExprKind::Member { .. } | ExprKind::Index { .. } => self.punned(cx, e),
            ExprKind::AddrOf(a) if is_number(u, u.expr(*a).ty.ty) => {
                // What pointers point to.
                let mut places = places(cx, *a);
                places.retain(|x| !cx.known.contains(x));
                for m in NumberPlace::within(cx.unit, u, u.expr(*a).ty.ty) {
                    self.edges(&places, std::slice::from_ref(&m));
                    self.edges(std::slice::from_ref(&m), &places);
                }
            }
            ExprKind::Call { callee, args } => {
                if let (Some((_, Callee::External(name))), [to, from, ..]) =
                    (self.p.direct(cx.unit, *callee), args.as_slice())
                {
                    if name.trim_start_matches("__builtin_").starts_with("mem") {
                        self.copied(cx, e, *to, *from);
                    }
                }
            }
            _ => {}
        }
        if is_number(u, x.ty.ty) {
            let from = match &x.kind {
                ExprKind::Assign { lhs, .. } => places(cx, *lhs),
                ExprKind::Call { .. } => self.results(cx, e),
                _ => places(cx, e),
            };
            if !from.is_empty() {
                // What a tagged integer is divided or shifted for is the number in it.
                let is = match from.iter().all(|x| cx.known.contains(x)) {
                    true => Is::Address,
                    false => Is::Number,
                };
                let to = self.up_from(cx, e, is);
                self.edges(&from, &to);
            }
        }
    }

    /// Another member of a union than the one written.
    fn punned(&mut self, cx: &Cx, e: ExprId) {
        let u = cx.u;
        if cx.punned.is_address_as_number(u, e) {
            let to = self.up(cx, e);
            self.source(cx, e, to, false);
        } else if cx.punned.is_number_as_pointer(u, e) {
            if let ExprKind::Member { base, .. } = u.expr(e).kind {
                let numbers = NumberPlace::within(cx.unit, u, u.expr(base).ty.ty);
                self.edges(&numbers, &[NumberPlace::Pointer]);
            }
        }
    }

    fn source(&mut self, cx: &Cx, e: ExprId, to: Vec<NumberPlace>, mark: bool) {
        if !to.is_empty() && !cx.u.lines.is_system(cx.u.expr(e).span.start) {
            self.found.sources.push(AddressSource {
                unit: cx.unit,
                of: e,
                to,
                mark,
            });
        }
    }

    fn edges(&mut self, from: &[NumberPlace], to: &[NumberPlace]) {
        self.found.graph.edges(from, to);
    }

    /// Where the value of a call comes from.
    fn results(&mut self, cx: &Cx, call: ExprId) -> Vec<NumberPlace> {
        let groups = &self.graph.groups;
        let Some(group) = groups.of_call(cx.unit, call) else {
            return Vec::new();
        };
        let all = groups.functions(group);
        if let [] | [_] = all {
            return all.iter().copied().map(NumberPlace::Result).collect();
        }
        let together = NumberPlace::Returned(group);
        if self.returned.insert(group) {
            let all: Vec<NumberPlace> = all.iter().copied().map(NumberPlace::Result).collect();
            self.edges(&all, std::slice::from_ref(&together));
        }
        vec![together]
    }

    /// Where the `i`th argument of a call goes.
    fn arguments(&mut self, cx: &Cx, call: ExprId, i: usize) -> Vec<NumberPlace> {
        let (p, groups) = (self.p, &self.graph.groups);
        let Some(group) = groups.of_call(cx.unit, call) else {
            return Vec::new();
        };
        let param = |f: &FnId| {
            let s = *p.func(*f).params.get(i)?;
            let (unit, u) = (p.fns[f.index()].0, p.unit(*f));
            Some(typed(u, u.sym(s).ty.ty, || {
                vec![NumberPlace::Variable(unit, s)]
            }))
        };
        let all = groups.functions(group);
        let params = || all.iter().filter_map(param).flatten();
        if let [] | [_] = all {
            return params().collect();
        }
        let together = NumberPlace::Handed(group, i);
        if !self.found.ends.contains_key(&(group, i)) {
            let params: Vec<NumberPlace> = params().collect();
            self.edges(std::slice::from_ref(&together), &params);
            self.found.ends.insert((group, i), params);
        }
        match self.found.ends[&(group, i)].is_empty() {
            true => Vec::new(),
            false => vec![together],
        }
    }

    /// A pointer to `from` becomes one to `to`: one of them is an address, the other a number as wide.
    fn looked_at_as(&mut self, cx: &Cx, e: ExprId, arg: ExprId, from: TypeId, to: TypeId) {
        let word = |t: TypeId| match cx.u.ty(t) {
            Type::Int(k) => cx.u.target.bits(*k) == cx.u.target.bits(IntKind::Long),
            _ => false,
        };
        let memory = if word(to) && holds_addresses(cx.u, from) {
            NumberPlace::within(cx.unit, cx.u, to)
        } else if word(from) && matches!(cx.u.ty(to), Type::Pointer(_)) {
            match &cx.u.expr(arg).kind {
                ExprKind::AddrOf(x) => places(cx, *x),
                _ => NumberPlace::within(cx.unit, cx.u, from),
            }
        } else {
            return;
        };
        self.edges(&memory, &[NumberPlace::Pointer]);
        self.source(cx, e, memory, false);
    }

    /// `memcpy` and the like between addresses and numbers.
    fn copied(&mut self, cx: &Cx, call: ExprId, to: ExprId, from: ExprId) {
        let side = |e: ExprId| -> Option<(bool, Vec<NumberPlace>)> {
            let e = strip_casts(cx.u, e);
            let ty = pointee(cx.u, cx.u.expr(e).ty.ty)?;
            let places = match &cx.u.expr(e).kind {
                ExprKind::AddrOf(x) if is_number(cx.u, cx.u.expr(*x).ty.ty) => places(cx, *x),
                _ => NumberPlace::within(cx.unit, cx.u, ty),
            };
            Some((copies_addresses(cx.u, ty), places))
        };
        let (Some((a, into)), Some((b, out_of))) = (side(to), side(from)) else {
            return;
        };
        let cursor = |e: ExprId| match cx.u.expr(strip_casts(cx.u, e)).kind {
            ExprKind::Ident(s) => cx.cursors.contains(&s),
            _ => false,
        };
        match (a, b) {
            (true, _) if cursor(from) => {}
            (_, true) if cursor(to) => {}
            (false, true) => self.source(cx, call, into, false),
            (true, false) => self.edges(&out_of, &[NumberPlace::Pointer]),
            (false, false) => self.edges(&out_of, &into),
            (true, true) => {}
        }
    }

    /// Where the number that is the value of `e` is put.
    fn up(&mut self, cx: &Cx, e: ExprId) -> Vec<NumberPlace> {
        self.up_from(cx, e, Is::Number)
    }

    fn up_from(&mut self, cx: &Cx, e: ExprId, is: Is) -> Vec<NumberPlace> {
        let u = cx.u;
        let mut e = e;
        loop {
            let up = match cx.parents.get(&e) {
                None => return Vec::new(),
                Some(Parent::Variable(s)) => {
                    let mut all = object(cx, *s);
                    all.extend(cx.parts.get(&e).cloned());
                    return all;
                }
                Some(Parent::Return(f)) => {
                    let ret = u.func(*f).ret.ty;
                    return typed(u, ret, || vec![NumberPlace::Result(self.p.id(cx.unit, *f))]);
                }
                Some(Parent::Expr(up)) => *up,
            };
            match &u.expr(up).kind {
                ExprKind::Assign { op, lhs, rhs } if *rhs == e => {
                    let ty = u.expr(*lhs).ty.ty;
                    if op.is_some() && !is_number(u, ty) {
                        return Vec::new();
                    }
                    return typed(u, ty, || places(cx, *lhs));
                }
                ExprKind::Cast { .. } if is_number(u, u.expr(up).ty.ty) => e = up,
                ExprKind::Cast { .. } if is_address(u, u.expr(up).ty.ty) => {
                    return vec![NumberPlace::Pointer]
                }
                ExprKind::Binary { op, lhs, rhs } => {
                    let other = if *lhs == e { *rhs } else { *lhs };
                    let small = match u.expr(other).kind {
                        ExprKind::Int(n) => (0..4096).contains(&n),
                        _ => false,
                    };
                    match op {
                        // Differences and alignments mean the same everywhere.
                        BinOp::Sub if self.is_an_address(cx, other) => return Vec::new(),
                        BinOp::And if small => return Vec::new(),
                        BinOp::Rem if small && !is_modulus(u, other) => return Vec::new(),
                        BinOp::Mul | BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr
                            if is == Is::Address =>
                        {
                            return Vec::new()
                        }
                        // How many objects there are.
                        BinOp::Div | BinOp::Rem if *rhs == e && is == Is::Size => {
                            return Vec::new()
                        }
                        BinOp::Div if *lhs == e && has_sizeof(u, *rhs) => return Vec::new(),
                        BinOp::Lt
                        | BinOp::Gt
                        | BinOp::Le
                        | BinOp::Ge
                        | BinOp::Eq
                        | BinOp::Ne
                        | BinOp::LogAnd
                        | BinOp::LogOr => return Vec::new(),
                        _ if !is_number(u, u.expr(up).ty.ty) => return Vec::new(),
                        _ => e = up,
                    }
                }
                ExprKind::Unary { op, .. } if *op != UnOp::Not => e = up,
                ExprKind::Cond { cond, then, .. } if *cond != e || then.is_none() => e = up,
                ExprKind::Comma(list) if list.last() == Some(&e) => e = up,
                ExprKind::Generic { .. } | ExprKind::StmtExpr(_) => e = up,
                ExprKind::CompoundLit { ty, .. } => {
                    let mut all = NumberPlace::within(cx.unit, u, ty.ty);
                    all.extend(cx.parts.get(&e).cloned());
                    return all;
                }
                ExprKind::Call { callee, args } if *callee != e => {
                    let Some(i) = args.iter().position(|a| *a == e) else {
                        return Vec::new();
                    };
                    return self.arguments(cx, up, i);
                }
                _ => return Vec::new(),
            }
        }
    }

    /// Is the number an address, too?
    fn is_an_address(&self, cx: &Cx, e: ExprId) -> bool {
        match &cx.u.expr(e).kind {
            ExprKind::Cast { arg, .. } => {
                (is_address(cx.u, cx.u.expr(*arg).ty.ty)
                    && !is_constant(cx.u, *arg)
                    && !is_depth(cx.u, *arg))
                    || self.is_an_address(cx, *arg)
            }
            ExprKind::Binary { lhs, rhs, .. } => {
                self.is_an_address(cx, *lhs) || self.is_an_address(cx, *rhs)
            }
            _ => places(cx, e).iter().any(|x| self.addresses.contains(x)),
        }
    }
}

/// A constant that nothing is aligned to: what is left is no offset, but the place in a table.
fn is_modulus(u: &Unit, e: ExprId) -> bool {
    matches!(u.expr(e).kind, ExprKind::Int(n) if n > 2 && n & (n - 1) != 0)
}

/// `(int)(long)p`, `int i = (long)p`: a pointer is wider, so the program has put a number into it.
fn is_mark(cx: &Cx, cast: ExprId, pointer: ExprId) -> bool {
    let u = cx.u;
    let narrow = |t: TypeId| {
        let small = [IntKind::Int, IntKind::Short, IntKind::SChar, IntKind::Char];
        matches!(u.ty(t), Type::Int(k) if small.contains(k))
    };
    let narrowed = narrow(u.expr(cast).ty.ty)
        || match cx.parents.get(&cast) {
            Some(Parent::Variable(s)) => narrow(u.sym(*s).ty.ty),
            Some(Parent::Return(f)) => narrow(u.func(*f).ret.ty),
            Some(Parent::Expr(up)) => match u.expr(*up).kind {
                ExprKind::Cast { .. } => narrow(u.expr(*up).ty.ty),
                ExprKind::Assign { op: None, lhs, .. } => narrow(u.expr(lhs).ty.ty),
                _ => false,
            },
            None => false,
        };
    let pointer = strip_casts(u, pointer);
    narrowed
        && matches!(u.ty(u.expr(pointer).ty.ty), Type::Pointer(_))
        && !matches!(u.expr(pointer).kind, ExprKind::AddrOf(_))
}

/// What a number of which a `ty` is made goes into.
fn typed(u: &Unit, ty: TypeId, number: impl FnOnce() -> Vec<NumberPlace>) -> Vec<NumberPlace> {
    match u.ty(ty) {
        Type::Int(_) => number(),
        Type::Pointer(_) => vec![NumberPlace::Pointer],
        _ => Vec::new(),
    }
}

/// The variable that an initialiser belongs to.
fn object(cx: &Cx, s: SymId) -> Vec<NumberPlace> {
    match cx.u.ty(cx.u.sym(s).ty.ty) {
        Type::Int(_) => vec![NumberPlace::variable(cx.unit, cx.u, s)],
        Type::Pointer(_) => vec![NumberPlace::Pointer],
        _ => NumberPlace::within(cx.unit, cx.u, cx.u.sym(s).ty.ty),
    }
}
