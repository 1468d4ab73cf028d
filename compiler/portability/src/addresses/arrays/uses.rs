//! What becomes of addresses of integers, and where pointers to integers get theirs.

use super::{based, elements, holder, is_array, Arrays, Holder, Union};
use crate::addresses::{named, part, reads_only, NumberPlace};
use pc3_program::callgraph::CallGraph;
use pc3_program::groups::{GroupId, Groups};
use pc3_program::initialiser;
use pc3_program::parents::{parents, Parent, Parents};
use pc3_program::program::{is_local, Callee, FnId, Program};
use pc3_program::tables::makes_number;
use pc3_program::untouched;
use pc3_program::walk::{strip_casts, visit, Node};
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// What has been said once for all calls of a group.
#[derive(Default)]
struct Linked {
    results: HashSet<GroupId>,
    params: HashSet<(GroupId, usize)>,
    known: HashMap<(GroupId, usize), Rc<Vec<NumberPlace>>>,
}

struct Finder<'a> {
    p: &'a Program<'a>,
    unit: usize,
    u: &'a Unit,
    parents: Parents,
    groups: &'a Groups,
    linked: &'a mut Linked,
    all: &'a mut Union,
}

pub fn find(p: &Program, graph: &CallGraph) -> Arrays {
    let (mut all, mut linked) = (Union::default(), Linked::default());
    for (unit, u) in p.units.iter().enumerate() {
        let mut finder = Finder {
            p,
            unit,
            u,
            parents: parents(u),
            groups: &graph.groups,
            linked: &mut linked,
            all: &mut all,
        };
        finder.declared();
        (0..u.exprs.len()).for_each(|k| finder.expr(ExprId(k as u32)));
        finder.initialised();
        finder.asm();
    }
    for f in graph.address_taken.iter() {
        // Libraries call them, too.
        let unit = p.fns[f.index()].0;
        for s in &p.func(*f).params {
            all.open(&NumberPlace::Variable(unit, *s));
        }
    }
    all.finish()
}

impl<'a> Finder<'a> {
    fn leads(&self, ty: TypeId) -> bool {
        elements(self.u, ty).is_some()
    }

    /// What has or leads to integers here, by its declaration.
    fn declared(&mut self) {
        let u = self.u;
        let untouched = untouched::analyse(u);
        for (k, s) in u.symbols.iter().enumerate() {
            let sym = SymId(k as u32);
            if !matches!(s.kind, SymKind::Var | SymKind::Param) || !self.leads(s.ty.ty) {
                continue;
            }
            let place = NumberPlace::variable(self.unit, u, sym);
            let elsewhere = |name: &str| {
                let mut named = self.p.globals(name).map(|(_, s)| s);
                !named.any(|s| s.defined || s.initialised)
            };
            let open = s.system || matches!(&place, NumberPlace::Global(name) if elsewhere(name));
            let constant = is_const(u, s.ty) || untouched.contains(&sym);
            self.holder(place, (is_array(u, s.ty.ty), constant), Some(sym), open);
        }
        for (k, d) in u.records.iter().enumerate() {
            let system = d.def.as_ref().is_some_and(|s| u.lines.is_system(s.start));
            for f in d.fields.iter().flatten() {
                if let (Some(name), true) = (&f.name, self.leads(f.ty.ty)) {
                    let place = NumberPlace::member(self.unit, u, RecordId(k as u32), name);
                    let array = (is_array(u, f.ty.ty), false);
                    self.holder(place, array, None, system || d.is_union);
                }
            }
        }
        for (k, f) in u.functions.iter().enumerate() {
            if self.leads(f.ret.ty) {
                self.all
                    .node(&NumberPlace::Result(self.p.id(self.unit, FuncId(k as u32))));
            }
        }
    }

    fn holder(
        &mut self,
        place: NumberPlace,
        (array, constant): (bool, bool),
        sym: Option<SymId>,
        open: bool,
    ) {
        let k = self.all.node(&place);
        let unit = self.unit;
        self.all.places[k].get_or_insert(Holder {
            place: place.clone(),
            array,
            constant,
            unit,
            sym,
        });
        if open {
            self.all.open(&place);
        }
    }

    fn expr(&mut self, e: ExprId) {
        let u = self.u;
        let x = u.expr(e);
        match &x.kind {
            ExprKind::Ident(_) | ExprKind::Member { .. } if self.leads(x.ty.ty) => {
                if let Some(place) = named(self.unit, u, e) {
                    self.goes(e, &place);
                }
            }
            ExprKind::Call { args, .. } => {
                if let Some(group) = self.groups.of_call(self.unit, e) {
                    self.call(e, group, args);
                }
            }
            ExprKind::Assign { lhs, .. } | ExprKind::Unary { arg: lhs, .. }
                if matches!(u.ty(x.ty.ty), Type::Int(_)) =>
            {
                let changes = match &x.kind {
                    ExprKind::Unary { op, .. } => matches!(
                        op,
                        UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec
                    ),
                    _ => true,
                };
                if let Some(base) = based(self.unit, u, *lhs).filter(|_| changes) {
                    let k = self.all.node(&base);
                    self.all.stored.insert(k);
                }
            }
            ExprKind::Assign { op: None, lhs, rhs } if self.leads(u.expr(*lhs).ty.ty) => {
                match named(self.unit, u, *lhs) {
                    Some(place) => self.assigned(&place, *rhs),
                    None => self.opens(*rhs),
                }
            }
            _ => {}
        }
    }

    fn call(&mut self, e: ExprId, group: GroupId, args: &[ExprId]) {
        let functions = self.groups.functions(group);
        if self.leads(self.u.expr(e).ty.ty) {
            match functions {
                [f] => self.goes(e, &NumberPlace::Result(*f)),
                _ => {
                    let (result, before) = (NumberPlace::Returned(group), self.all.changes);
                    self.goes(e, &result);
                    if self.all.changes != before && self.linked.results.insert(group) {
                        for f in functions {
                            self.all.give(&NumberPlace::Result(*f), &result);
                        }
                    }
                }
            }
        }
        for (i, a) in args.iter().enumerate() {
            let params = self.params(group, i);
            match params.as_slice() {
                [] => {}
                [param] => self.assigned(param, *a),
                _ => {
                    let (handed, before) = (NumberPlace::Handed(group, i), self.all.changes);
                    self.assigned(&handed, *a);
                    if self.all.changes != before && self.linked.params.insert((group, i)) {
                        params.iter().for_each(|to| self.all.give(&handed, to));
                    }
                }
            }
        }
    }

    /// The parameters that lead to integers, of a group's functions.
    fn params(&mut self, group: GroupId, i: usize) -> Rc<Vec<NumberPlace>> {
        let (p, functions) = (self.p, self.groups.functions(group));
        let known = self.linked.known.entry((group, i));
        let known = known.or_insert_with(|| {
            let param = |f: &FnId| {
                let (unit, u) = (p.fns[f.index()].0, p.unit(*f));
                let s = *p.func(*f).params.get(i)?;
                elements(u, u.sym(s).ty.ty)?;
                Some(NumberPlace::Variable(unit, s))
            };
            Rc::new(functions.iter().filter_map(param).collect())
        });
        Rc::clone(known)
    }

    /// A pointer gets its value.
    fn assigned(&mut self, to: &NumberPlace, e: ExprId) {
        let u = self.u;
        if let Some(from) = holder(self.unit, u, e) {
            return self.all.give(&from, to);
        }
        match &u.expr(e).kind {
            ExprKind::Cast { arg, .. } => self.assigned(to, *arg),
            ExprKind::Generic { chosen, .. } => self.assigned(to, *chosen),
            ExprKind::Int(0) => {}
            ExprKind::Cond { cond, then, els } => {
                self.assigned(to, then.unwrap_or(*cond));
                self.assigned(to, *els);
            }
            ExprKind::Comma(list) if !list.is_empty() => self.assigned(to, list[list.len() - 1]),
            ExprKind::Assign { op: None, lhs, .. } => self.assigned(to, *lhs),
            ExprKind::Call { callee, args } => match self.p.direct(self.unit, *callee) {
                Some((_, Callee::Defined(f))) if self.leads(u.expr(e).ty.ty) => {
                    self.all.give(&NumberPlace::Result(f), to);
                }
                Some((_, Callee::External(name))) if allocates(&name) => {
                    let params = match to {
                        NumberPlace::Handed(group, i) => self.params(*group, *i),
                        _ => Rc::new(vec![to.clone()]),
                    };
                    for to in params.iter() {
                        let k = self.all.node(to);
                        self.all.blocks.push((k, self.unit, e));
                    }
                    if name.contains("realloc") {
                        self.assigned(to, args[0]);
                    }
                }
                _ => self.all.open(to),
            },
            _ => self.all.open(to),
        }
    }

    fn opens(&mut self, e: ExprId) {
        if let Some(from) = holder(self.unit, self.u, e) {
            self.all.open(&from);
        }
    }

    /// Where an address goes that is read from a place.
    fn goes(&mut self, e: ExprId, place: &NumberPlace) {
        let u = self.u;
        // Looked at as something else; chosen among others.
        let (mut strange, mut chosen) = (false, false);
        let kind = elements(u, u.expr(e).ty.ty);
        let mut e = e;
        loop {
            let up = match self.parents.get(&e) {
                None => return,
                Some(Parent::Variable(s)) => {
                    // Initialised: the pointer is given it.
                    if !self.leads(u.sym(*s).ty.ty) || strange {
                        self.all.open(place);
                    }
                    return;
                }
                Some(Parent::Return(f)) => {
                    let ret = u.func(*f).ret.ty;
                    match self.leads(ret) && !strange {
                        true => {
                            let to = NumberPlace::Result(self.p.id(self.unit, *f));
                            self.all.give(place, &to);
                        }
                        false => self.all.open(place),
                    }
                    return;
                }
                Some(Parent::Expr(up)) => *up,
            };
            let x = u.expr(up);
            let number = matches!(u.ty(x.ty.ty), Type::Int(_));
            match &x.kind {
                ExprKind::Index { .. } | ExprKind::Deref(_) => {
                    if strange || chosen {
                        return self.all.open(place);
                    }
                    match is_array(u, x.ty.ty) {
                        true => e = up,
                        false if number => match self.lent(up) {
                            Some(of) => e = of,
                            None => return,
                        },
                        false => return self.all.open(place),
                    }
                }
                // The array as one: for calls.
                ExprKind::AddrOf(_) if is_array(u, u.expr(e).ty.ty) => {
                    strange = true;
                    e = up;
                }
                ExprKind::Binary { op, .. } => match op {
                    BinOp::Add | BinOp::Sub if !number => e = up,
                    _ => return,
                },
                ExprKind::Cast { .. } if !number => {
                    strange |= elements(u, x.ty.ty) != kind;
                    e = up;
                }
                ExprKind::Assign { op, lhs, rhs } => {
                    if *rhs == e {
                        let to = named(self.unit, u, *lhs);
                        if strange || to.is_none() || !self.leads(u.expr(*lhs).ty.ty) {
                            return self.all.open(place);
                        }
                        chosen = true;
                    } else if op.is_none() {
                        chosen = true;
                    }
                    e = up;
                }
                ExprKind::Unary { op: UnOp::Not, .. } => return,
                ExprKind::Unary { .. } => e = up,
                ExprKind::Cond { cond, then, .. } => match *cond == e && then.is_some() {
                    true => return,
                    false => {
                        chosen = true;
                        e = up;
                    }
                },
                ExprKind::Comma(list) => match list.last() == Some(&e) {
                    true => {
                        chosen = true;
                        e = up;
                    }
                    false => return,
                },
                ExprKind::Generic { .. } => e = up,
                ExprKind::Call { callee, args } if *callee != e => {
                    if let Some(i) = args.iter().position(|a| *a == e) {
                        self.passed(up, *callee, args, i, place, strange);
                    }
                    return;
                }
                _ => return self.all.open(place),
            }
        }
    }

    /// `&a[i]`
    fn lent(&self, element: ExprId) -> Option<ExprId> {
        match self.parents.get(&element) {
            Some(Parent::Expr(up)) => {
                matches!(self.u.expr(*up).kind, ExprKind::AddrOf(_)).then_some(*up)
            }
            _ => None,
        }
    }

    fn passed(
        &mut self,
        call: ExprId,
        callee: ExprId,
        args: &[ExprId],
        i: usize,
        place: &NumberPlace,
        strange: bool,
    ) {
        let direct = self.p.direct(self.unit, callee);
        let Some((_, Callee::External(name))) = direct else {
            let group = self.groups.of_call(self.unit, call);
            let all = group.map_or(0, |g| self.groups.functions(g).len());
            let led = group.map_or(0, |g| self.params(g, i).len());
            if strange || all == 0 || led < all {
                self.all.open(place);
            }
            return;
        };
        let name = name.trim_start_matches("__builtin_");
        let u = self.u;
        let zero = |e: ExprId| matches!(u.expr(strip_casts(u, e)).kind, ExprKind::Int(0));
        match name {
            "free" | "realloc" | "reallocarray" => {}
            "memset" if args.get(1).is_some_and(|v| zero(*v)) => {}
            "memcpy" | "memmove" if i == 0 => {
                let k = self.all.node(place);
                match args.get(1).and_then(|a| from(self.unit, u, *a)) {
                    Some(source) => self.all.copy(k, source),
                    None => self.all.write(k),
                }
            }
            _ if reads_only(u, callee, i) => {}
            _ if makes_number(name) => {
                let k = self.all.node(place);
                self.all.stored.insert(k);
            }
            _ => {
                let k = self.all.node(place);
                self.all.write(k);
            }
        }
    }

    /// Variables with an initialiser, and parts of such.
    fn initialised(&mut self) {
        let u = self.u;
        for (s, ty, init) in initialiser::all(u) {
            match (s, init) {
                (Some(s), Init::Expr(e)) if self.leads(ty.ty) && !is_array(u, ty.ty) => {
                    self.assigned(&NumberPlace::variable(self.unit, u, s), *e);
                }
                (_, Init::List { .. }) => self.parts(ty, init),
                _ => {}
            }
        }
    }

    /// Pointers among the parts of an object are not followed.
    fn parts(&mut self, ty: QualType, init: &Init) {
        let u = self.u;
        for leaf in initialiser::leaves(u, ty, init) {
            let pointer = matches!(u.ty(leaf.ty.ty), Type::Pointer(_));
            if pointer && !matches!(u.expr(strip_casts(u, leaf.expr)).kind, ExprKind::Int(0)) {
                self.opens(leaf.expr);
                let place = part(self.unit, u, ty, &leaf.path);
                place.iter().for_each(|x| self.all.open(x));
            }
        }
    }

    fn asm(&mut self) {
        let u = self.u;
        let mut named_there = HashSet::new();
        for s in &u.stmts {
            if let StmtKind::Asm(list) = &s.kind {
                for e in list {
                    visit(u, Node::Expr(*e), &mut |n| {
                        if let Node::Expr(x) = n {
                            named_there.extend(named(self.unit, u, x));
                        }
                        true
                    });
                }
            }
        }
        named_there.iter().for_each(|x| self.all.open(x));
    }
}

fn allocates(name: &str) -> bool {
    let name = name.trim_start_matches("__builtin_");
    matches!(name, "malloc" | "calloc" | "realloc" | "reallocarray")
}

/// The array or block that is copied.
fn from(unit: usize, u: &Unit, e: ExprId) -> Option<NumberPlace> {
    holder(unit, u, strip_casts(u, e))
}

fn is_const(u: &Unit, q: QualType) -> bool {
    match u.ty(q.ty) {
        Type::Array { elem, .. } => q.is_const || is_const(u, *elem),
        _ => q.is_const,
    }
}

impl Holder {
    /// A local variable or parameter: its unit, function and symbol.
    pub fn local(&self, p: &Program) -> Option<(usize, FuncId, SymId)> {
        let s = self.sym?;
        let sym = p.units[self.unit].sym(s);
        Some((self.unit, sym.func.filter(|_| is_local(sym))?, s))
    }
}
