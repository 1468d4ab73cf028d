//! All that gives places their values.

use super::beyond::Beyond;
use crate::addresses::{named, part, Numbers, Place};
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
    /// By an operator, from what it was.
    Changed(usize, BinOp, ExprId),
    /// One more, or one less.
    Stepped,
    /// What is in this place.
    From(Place),
    /// Its address is taken, by this expression of a unit.
    Lent(usize, ExprId),
    /// Nobody knows, if sizes are in it at all: a library writes it, or calls the function.
    Shared,
    Anything,
    /// 0.
    Nothing,
}

pub type Given = HashMap<Place, Vec<Gives>>;

/// All that puts a value into the wanted places.
pub fn given(
    p: &Program,
    graph: &CallGraph,
    (numbers, beyond): (&Numbers, &Beyond),
    wanted: impl Iterator<Item = Place>,
) -> Given {
    let mut all: Given = wanted.map(|x| (x, Vec::new())).collect();
    let mut put = |place: Option<Place>, g: Gives| {
        if let Some(list) = place.and_then(|x| all.get_mut(&x)) {
            list.push(g);
        }
    };
    for x in numbers.arrays.written() {
        put(Some(x), Gives::Shared);
    }
    for (from, to) in numbers.arrays.copies() {
        for from in from {
            put(Some(to.clone()), Gives::From(from));
        }
    }
    for (place, unit, e) in &beyond.puts {
        put(Some(place.clone()), Gives::Value(*unit, *e));
    }
    for (unit, u) in p.units.iter().enumerate() {
        for (k, x) in u.exprs.iter().enumerate() {
            let lent = || beyond.lent.contains(&(unit, ExprId(k as u32)));
            match &x.kind {
                ExprKind::Assign { op, lhs, rhs } => {
                    let g = match op {
                        None => Gives::Value(unit, *rhs),
                        Some(op) => Gives::Changed(unit, *op, *rhs),
                    };
                    for place in numbers.lvalue(unit, u, *lhs) {
                        put(Some(place), g.clone());
                    }
                }
                ExprKind::Unary {
                    op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                    arg,
                } => {
                    for place in numbers.lvalue(unit, u, *arg) {
                        put(Some(place), Gives::Stepped);
                    }
                }
                ExprKind::AddrOf(_) if lent() => {}
                ExprKind::AddrOf(arg) => {
                    put(named(unit, u, *arg), Gives::Lent(unit, ExprId(k as u32)))
                }
                ExprKind::Call { callee, args } => {
                    // Those that pointers lead to may be given anything.
                    let to = p.direct(unit, *callee);
                    if let (Some((_, Callee::External(name))), Some(a)) = (&to, args.get(1)) {
                        let all = match makes_number(name) {
                            true => numbers.elements(unit, u, strip_casts(u, *a)),
                            false => Vec::new(),
                        };
                        for place in all {
                            put(Some(place), Gives::Lent(unit, *a));
                        }
                    }
                    if let Some((_, Callee::Defined(f))) = to {
                        let of = p.fns[f.index()].0;
                        for (s, a) in p.func(f).params.iter().zip(args) {
                            put(Some(Place::Variable(of, *s)), Gives::Value(unit, *a));
                        }
                    }
                }
                ExprKind::CompoundLit { ty, init } => {
                    parts(numbers, (unit, u), *ty, None, init, &mut put);
                }
                _ => {}
            }
        }
        let mut declared = |d: &DeclGroup| {
            for v in &d.vars {
                let Some(init) = &v.init else { continue };
                match init {
                    Init::Expr(e) => put(
                        Some(Place::variable(unit, u, v.sym)),
                        Gives::Value(unit, *e),
                    ),
                    Init::List { .. } => {
                        let (ty, of) = (u.sym(v.sym).ty, Place::variable(unit, u, v.sym));
                        parts(numbers, (unit, u), ty, Some(of), init, &mut put);
                    }
                }
            }
        };
        all_decls(u, &mut declared);
        for (k, f) in u.functions.iter().enumerate() {
            let result = || Some(Place::Result(p.id(unit, FuncId(k as u32))));
            visit(u, Node::Stmt(f.body), &mut |n| {
                if let Node::Stmt(s) = n {
                    match &u.stmt(s).kind {
                        StmtKind::Return(Some(e)) => put(result(), Gives::Value(unit, *e)),
                        StmtKind::Asm(list) => {
                            for e in list {
                                put(named(unit, u, *e), Gives::Anything);
                            }
                        }
                        _ => {}
                    }
                }
                true
            });
        }
    }
    for f in graph.address_taken.iter().chain(&main(p)) {
        // Libraries call them, too.
        let unit = p.fns[f.index()].0;
        for s in &p.func(*f).params {
            put(Some(Place::Variable(unit, *s)), Gives::Shared);
        }
    }
    for (place, list) in &mut all {
        let elsewhere = match place {
            Place::Global(name) => !p.globals(name).any(|(_, s)| s.defined),
            _ => false,
        };
        if elsewhere {
            list.push(Gives::Shared);
        }
        if !matches!(place, Place::Result(_)) && list.is_empty() {
            list.push(Gives::Anything);
        }
        // As long as nothing else is.
        if matches!(place, Place::Elements(_)) {
            list.push(Gives::Nothing);
        }
    }
    all
}

fn main(p: &Program) -> Vec<FnId> {
    p.ids().filter(|f| p.name(*f) == "main").collect()
}

/// What the parts of an initialiser go into.
fn parts(
    numbers: &Numbers,
    (unit, u): (usize, &Unit),
    of: QualType,
    of_variable: Option<Place>,
    init: &Init,
    put: &mut dyn FnMut(Option<Place>, Gives),
) {
    let arrays = &numbers.arrays;
    for leaf in initialiser::leaves(u, of, init) {
        let place = part(unit, u, of, &leaf.path).or_else(|| of_variable.clone());
        let elements = place.as_ref().and_then(|x| arrays.own(x));
        put(elements.or(place), Gives::Value(unit, leaf.expr));
    }
}
