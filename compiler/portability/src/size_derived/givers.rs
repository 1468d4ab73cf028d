//! All that gives places their values.

use super::beyond::Beyond;
use crate::addresses::{named, part, NumberPlace, Numbers};
use pc3_program::callgraph::CallGraph;
use pc3_program::initialiser;
use pc3_program::program::{Callee, FnId, Program};
use pc3_program::tables::makes_number;
use pc3_program::walk::{all_decls, strip_casts, visit, Node};
use pc3_syntax::tree::*;
use std::collections::HashMap;

/// What gives a place a value.
#[derive(Clone)]
pub enum Gives {
    Value(usize, ExprId),
    /// It was counted up to the value of the first, if the second one was false.
    Counted(usize, ExprId, ExprId),
    /// By an operator, from what it was.
    Changed(usize, BinOp, ExprId),
    /// One more, or one less.
    Stepped,
    /// What is in this place.
    From(NumberPlace),
    /// Its address is taken, by this expression of a unit.
    Lent(usize, ExprId),
    /// Nobody knows, if sizes are in it at all: a library writes it, or calls the function.
    Shared,
    Anything,
    /// 0.
    Nothing,
}

pub type Given = HashMap<NumberPlace, Vec<Gives>>;

/// All that puts a value into the wanted places.
pub(crate) fn givers_of(
    p: &Program,
    graph: &CallGraph,
    (numbers, beyond): (&Numbers, &Beyond),
    wanted: impl Iterator<Item = NumberPlace>,
) -> Given {
    let mut collector = Collector {
        p,
        numbers,
        beyond,
        all: wanted.map(|x| (x, Vec::new())).collect(),
    };
    collector.summaries();
    for (unit, u) in p.units.iter().enumerate() {
        for k in 0..u.exprs.len() {
            collector.expression(unit, u, ExprId(k as u32));
        }
        all_decls(u, &mut |d: &DeclGroup| collector.declaration(unit, u, d));
        for (k, f) in u.functions.iter().enumerate() {
            collector.body(unit, u, p.id(unit, FuncId(k as u32)), f.body);
        }
    }
    for f in graph.address_taken.iter().chain(&main(p)) {
        // Libraries call them, too.
        let unit = p.fns[f.index()].0;
        for s in &p.func(*f).params {
            collector.put(Some(NumberPlace::Variable(unit, *s)), Gives::Shared);
        }
    }
    collector.unknown();
    collector.all
}

struct Collector<'a> {
    p: &'a Program<'a>,
    numbers: &'a Numbers,
    beyond: &'a Beyond,
    all: Given,
}

impl Collector<'_> {
    fn put(&mut self, place: Option<NumberPlace>, g: Gives) {
        if let Some(list) = place.and_then(|x| self.all.get_mut(&x)) {
            list.push(g);
        }
    }

    /// What other analyses know of arrays and of memory.
    fn summaries(&mut self) {
        for x in self.numbers.arrays.written() {
            self.put(Some(x), Gives::Shared);
        }
        for (from, to) in self.numbers.arrays.copies() {
            for from in from {
                self.put(Some(to.clone()), Gives::From(from));
            }
        }
        for (place, unit, e) in &self.beyond.puts {
            self.put(Some(place.clone()), Gives::Value(*unit, *e));
        }
        for (place, unit, e, by) in &self.beyond.counted {
            self.put(Some(place.clone()), Gives::Counted(*unit, *e, *by));
        }
    }

    fn expression(&mut self, unit: usize, u: &Unit, e: ExprId) {
        match &u.expr(e).kind {
            ExprKind::Assign { op, lhs, rhs } => {
                let g = match op {
                    None => Gives::Value(unit, *rhs),
                    Some(op) => Gives::Changed(unit, *op, *rhs),
                };
                for place in self.numbers.lvalue(unit, u, *lhs) {
                    self.put(Some(place), g.clone());
                }
            }
            ExprKind::Unary {
                op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                arg,
            } => {
                for place in self.numbers.lvalue(unit, u, *arg) {
                    self.put(Some(place), Gives::Stepped);
                }
            }
            ExprKind::AddrOf(_) if self.beyond.lent.contains(&(unit, e)) => {}
            ExprKind::AddrOf(arg) => self.put(named(unit, u, *arg), Gives::Lent(unit, e)),
            ExprKind::Call { callee, args } => self.call(unit, u, *callee, args),
            ExprKind::CompoundLit { ty, init } => self.parts((unit, u), *ty, None, init),
            _ => {}
        }
    }

    /// Parameters of functions that pointers lead to may be given anything.
    fn call(&mut self, unit: usize, u: &Unit, callee: ExprId, args: &[ExprId]) {
        let to = self.p.direct(unit, callee);
        if let (Some((_, Callee::External(name))), Some(a)) = (&to, args.get(1)) {
            let all = match makes_number(name) {
                true => self.numbers.elements(unit, u, strip_casts(u, *a)),
                false => Vec::new(),
            };
            for place in all {
                self.put(Some(place), Gives::Lent(unit, *a));
            }
        }
        if let Some((_, Callee::Defined(f))) = to {
            let of = self.p.fns[f.index()].0;
            for (s, a) in self.p.func(f).params.iter().zip(args) {
                self.put(Some(NumberPlace::Variable(of, *s)), Gives::Value(unit, *a));
            }
        }
    }

    fn declaration(&mut self, unit: usize, u: &Unit, d: &DeclGroup) {
        for v in &d.vars {
            let of = NumberPlace::variable(unit, u, v.sym);
            match &v.init {
                Some(Init::Expr(e)) => self.put(Some(of), Gives::Value(unit, *e)),
                Some(init) => self.parts((unit, u), u.sym(v.sym).ty, Some(of), init),
                None => {}
            }
        }
    }

    /// What the parts of an initialiser go into.
    fn parts(
        &mut self,
        (unit, u): (usize, &Unit),
        of: QualType,
        of_variable: Option<NumberPlace>,
        init: &Init,
    ) {
        for leaf in initialiser::leaves(u, of, init) {
            let place = part(unit, u, of, &leaf.path).or_else(|| of_variable.clone());
            let elements = place.as_ref().and_then(|x| self.numbers.arrays.own(x));
            self.put(elements.or(place), Gives::Value(unit, leaf.expr));
        }
    }

    /// What a function returns, and what assembler in it writes.
    fn body(&mut self, unit: usize, u: &Unit, f: FnId, body: StmtId) {
        visit(u, Node::Stmt(body), &mut |n| {
            if let Node::Stmt(s) = n {
                match &u.stmt(s).kind {
                    StmtKind::Return(Some(e)) => {
                        self.put(Some(NumberPlace::Result(f)), Gives::Value(unit, *e))
                    }
                    StmtKind::Asm(list) => {
                        for e in list {
                            self.put(named(unit, u, *e), Gives::Anything);
                        }
                    }
                    _ => {}
                }
            }
            true
        });
    }

    /// What the program's text does not say.
    fn unknown(&mut self) {
        for (place, list) in &mut self.all {
            let elsewhere = match place {
                NumberPlace::Global(name) => !self.p.globals(name).any(|(_, s)| s.defined),
                _ => false,
            };
            if elsewhere {
                list.push(Gives::Shared);
            }
            if !matches!(place, NumberPlace::Result(_)) && list.is_empty() {
                list.push(Gives::Anything);
            }
            // As long as nothing else is.
            if matches!(place, NumberPlace::Elements(_)) {
                list.push(Gives::Nothing);
            }
        }
    }
}

fn main(p: &Program) -> Vec<FnId> {
    p.ids().filter(|f| p.name(*f) == "main").collect()
}
