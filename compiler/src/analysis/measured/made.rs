//! What is put into places that sizes reach: so many objects of one type, sums with sizes in them, or other things.

use super::beyond::Beyond;
use super::reach::Calls;
use crate::analysis::addresses::{has_sizeof, named, part, Numbers, Place};
use crate::analysis::callgraph::CallGraph;
use crate::analysis::initialiser;
use crate::analysis::lints::layout;
use crate::analysis::program::{Callee, FnId, Program};
use crate::analysis::walk::{strip_casts, visit, visit_decls, Node};
use crate::annotations::Said;
use crate::tree::*;
use std::collections::{HashMap, HashSet};

/// What a number is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Made {
    /// 0, which is no objects of whatever type.
    Nothing,
    /// Of no size.
    Plain,
    /// A multiple of the size of a unit's type.
    Of(usize, TypeId),
    /// Of sizes, among other things, all of them added: where it is 0 nothing has been.
    Sum,
    Other,
}

/// What gives a place a value.
#[derive(Clone)]
enum Gives {
    Value(usize, ExprId),
    /// By an operator, from what it was.
    Changed(usize, BinOp, ExprId),
    /// One more, or one less.
    Stepped,
    /// What is in this place.
    From(Place),
    /// Nobody knows, if sizes are in it at all: its address is taken, or a library calls the function.
    Shared,
    Anything,
}

pub struct Makes<'a> {
    p: &'a Program<'a>,
    numbers: &'a Numbers,
    calls: &'a Calls,
    wanted: &'a HashSet<Place>,
    told: &'a HashMap<Place, Option<(usize, TypeId)>>,
    known: HashMap<Place, Made>,
}

/// What places are made of, and the expressions that sizes are in.
/// `told`: places of which the author says what they count, or that they are not saved.
pub fn analyse<'a>(
    p: &'a Program<'a>,
    graph: &CallGraph,
    (numbers, calls, beyond): (&'a Numbers, &'a Calls, &Beyond),
    wanted: &'a HashSet<Place>,
    told: &'a HashMap<Place, Option<(usize, TypeId)>>,
) -> (HashMap<Place, Made>, HashSet<(usize, ExprId)>) {
    let results = calls.of.values().map(|f| Place::Result(*f));
    let given = given(
        p,
        graph,
        (numbers, beyond),
        wanted.iter().cloned().chain(results),
    );
    let mut makes = Makes {
        p,
        numbers,
        calls,
        wanted,
        told,
        known: HashMap::new(),
    };
    let mut changed = true;
    while changed {
        changed = false;
        for (place, all) in &given {
            for g in all {
                let Some(made) = makes.gives(place, g) else {
                    continue;
                };
                let before = makes.known.get(place).copied();
                let after = before.map_or(made, |b| makes.either(b, made));
                if before != Some(after) {
                    makes.known.insert(place.clone(), after);
                    changed = true;
                }
            }
        }
    }
    let sized = makes.sized();
    (makes.known, sized)
}

impl Makes<'_> {
    /// None: not known yet.
    fn gives(&self, place: &Place, g: &Gives) -> Option<Made> {
        match *g {
            Gives::Value(unit, e) => self.value(unit, e),
            Gives::Changed(unit, op, e) => {
                let before = self.known.get(place).copied();
                let by = self.value(unit, e)?;
                self.binary(op, before?, by, has_sizeof(&self.p.units[unit], e))
            }
            Gives::Stepped => match self.known.get(place)? {
                Made::Plain | Made::Nothing => Some(Made::Plain),
                _ => Some(Made::Other),
            },
            Gives::Shared => match self.known.get(place)? {
                plain @ (Made::Plain | Made::Nothing) => Some(*plain),
                _ => Some(Made::Other),
            },
            Gives::From(ref from) => self.of_place(from),
            Gives::Anything => Some(Made::Other),
        }
    }

    /// Expressions with sizes, which are more than constants.
    fn sized(&self) -> HashSet<(usize, ExprId)> {
        let mut all = HashSet::new();
        for (unit, u) in self.p.units.iter().enumerate() {
            for e in (0..u.exprs.len()).map(|k| ExprId(k as u32)) {
                let made = self.value(unit, e);
                if matches!(made, Some(Made::Of(..) | Made::Sum | Made::Other)) {
                    all.insert((unit, e));
                }
            }
        }
        all
    }

    fn same(&self, a: (usize, TypeId), b: (usize, TypeId)) -> bool {
        let sizes = |(unit, t): (usize, TypeId)| layout::sizes(&self.p.units[unit], t);
        a == b || sizes(a).is_some() && sizes(a) == sizes(b)
    }

    fn either(&self, a: Made, b: Made) -> Made {
        match (a, b) {
            (Made::Nothing, x) | (x, Made::Nothing) => x,
            (Made::Plain, Made::Plain) => Made::Plain,
            (Made::Of(u, s), Made::Of(v, t)) if self.same((u, s), (v, t)) => Made::Of(u, s),
            (Made::Other, _) | (_, Made::Other) => Made::Other,
            _ => Made::Sum,
        }
    }

    fn binary(&self, op: BinOp, a: Made, b: Made, counted: bool) -> Option<Made> {
        use Made::*;
        Some(match (op, a, b) {
            (_, Nothing | Plain, Nothing | Plain) => Plain,
            (BinOp::Add, a, b) => self.either(a, b),
            (BinOp::Sub, a, Nothing) => a,
            (BinOp::Sub, Of(u, s), Of(v, t)) if self.same((u, s), (v, t)) => Of(u, s),
            (BinOp::Mul, Nothing, _) | (BinOp::Mul, _, Nothing) => Nothing,
            (BinOp::Mul, Of(u, t), Plain) | (BinOp::Mul, Plain, Of(u, t)) => Of(u, t),
            (BinOp::Mul, Sum | Of(..), Plain | Sum | Of(..)) => Sum,
            (BinOp::Mul, Plain, Sum) => Sum,
            (BinOp::Shl, of @ Of(..), Plain | Nothing) => of,
            // How many there are.
            (BinOp::Div, ..) if counted => Plain,
            (
                BinOp::Lt
                | BinOp::Gt
                | BinOp::Le
                | BinOp::Ge
                | BinOp::Eq
                | BinOp::Ne
                | BinOp::LogAnd
                | BinOp::LogOr,
                ..,
            ) => Plain,
            _ => Other,
        })
    }

    /// None: of what is not known yet.
    fn value(&self, unit: usize, e: ExprId) -> Option<Made> {
        let u = &self.p.units[unit];
        let number = |e: ExprId| matches!(u.ty(u.expr(e).ty.ty), Type::Int(_));
        if !number(e) {
            return Some(Made::Plain);
        }
        Some(match &u.expr(e).kind {
            ExprKind::Int(0) => Made::Nothing,
            ExprKind::SizeofType(_) | ExprKind::SizeofExpr(_) if !layout::size_may_vary(u, e) => {
                Made::Plain
            }
            ExprKind::SizeofType(q) => self.size(unit, q.ty),
            ExprKind::SizeofExpr(x) => self.size(unit, u.expr(*x).ty.ty),
            ExprKind::Ident(_)
            | ExprKind::Member { .. }
            | ExprKind::Index { .. }
            | ExprKind::Deref(_) => return self.place(unit, e),
            ExprKind::Cast { arg, .. } => match self.value(unit, *arg)? {
                // Sizes that may have been cut.
                Made::Of(..) | Made::Sum if self.is_narrow(unit, e) => Made::Other,
                made => made,
            },
            ExprKind::Binary { op, lhs, rhs } => {
                let (a, b) = (self.value(unit, *lhs)?, self.value(unit, *rhs)?);
                let whole = *op == BinOp::And && self.is_rounded_up(unit, *lhs, *rhs);
                if whole && !matches!(a, Made::Other | Made::Plain) {
                    return Some(Made::Sum);
                }
                return self.binary(*op, a, b, has_sizeof(u, *rhs));
            }
            ExprKind::Unary { op, arg } => match (op, self.value(unit, *arg)?) {
                (UnOp::Not, _) => Made::Plain,
                (_, Made::Plain | Made::Nothing) => Made::Plain,
                (UnOp::Plus, made) => made,
                _ => Made::Other,
            },
            ExprKind::Cond { cond, then, els } => {
                let first = self.value(unit, then.unwrap_or(*cond));
                match (first, self.value(unit, *els)) {
                    (Some(a), Some(b)) => self.either(a, b),
                    (one, None) | (None, one) => return one,
                }
            }
            ExprKind::Comma(list) => return self.value(unit, *list.last()?),
            ExprKind::Generic { chosen, .. } => return self.value(unit, *chosen),
            ExprKind::Assign { op, lhs, rhs } => match op {
                None => return self.value(unit, *rhs),
                Some(_) => return self.value(unit, *lhs),
            },
            ExprKind::Call { .. } => return self.result(unit, e),
            ExprKind::StmtExpr(s) => match has_size(u, Node::Stmt(*s)) {
                true => Made::Other,
                false => Made::Plain,
            },
            _ => Made::Plain,
        })
    }

    fn is_narrow(&self, unit: usize, e: ExprId) -> bool {
        let u = &self.p.units[unit];
        match u.ty(u.expr(e).ty.ty) {
            Type::Int(k) => u.target.bits(*k) < 32,
            _ => true,
        }
    }

    fn size(&self, unit: usize, t: TypeId) -> Made {
        let u = &self.p.units[unit];
        let mut t = t;
        // So many of its elements' sizes.
        while let Type::Array {
            elem,
            len: ArrayLen::Const(_),
        } = u.ty(t)
        {
            t = elem.ty;
        }
        match layout::sizes(u, t) {
            Some(_) if !is_systems(u, t) => Made::Of(unit, t),
            _ => Made::Sum,
        }
    }

    fn place(&self, unit: usize, e: ExprId) -> Option<Made> {
        let all = self.numbers.lvalue(unit, &self.p.units[unit], e);
        if all.is_empty() {
            return Some(Made::Plain);
        }
        let known = all.iter().filter_map(|place| match self.told.get(place) {
            Some(Some((unit, t))) => Some(Made::Of(*unit, *t)),
            Some(None) => Some(Made::Plain),
            None => self.of_place(place),
        });
        known.reduce(|a, b| self.either(a, b))
    }

    fn of_place(&self, place: &Place) -> Option<Made> {
        match self.wanted.contains(place) {
            true => self.known.get(place).copied(),
            false => Some(Made::Plain),
        }
    }

    fn result(&self, unit: usize, call: ExprId) -> Option<Made> {
        if let Some(f) = self.calls.of.get(&(unit, call)) {
            return self.known.get(&Place::Result(*f)).copied();
        }
        let u = &self.p.units[unit];
        let ExprKind::Call { callee, .. } = &u.expr(call).kind else {
            return Some(Made::Plain);
        };
        match self.p.direct(unit, *callee) {
            Some((_, Callee::Defined(f))) => self.of_place(&Place::Result(f)),
            _ => Some(Made::Plain),
        }
    }

    /// `n + 15 & ~15`: 0 only of 0.
    fn is_rounded_up(&self, unit: usize, lhs: ExprId, mask: ExprId) -> bool {
        let u = &self.p.units[unit];
        let ExprKind::Binary {
            op: BinOp::Add,
            lhs: a,
            rhs: b,
        } = u.expr(strip_casts(u, lhs)).kind
        else {
            return false;
        };
        // Where `long` has 32 bits a mask of its width has those.
        let value = |e: ExprId| u.view().eval(e).map(|v| v as u32);
        let more = value(b).or(value(a));
        more.is_some() && value(mask) == more.map(|n| !n)
    }
}

/// Is a size in it?
pub fn holds_size(u: &Unit, e: ExprId) -> bool {
    has_size(u, Node::Expr(e))
}

fn has_size(u: &Unit, n: Node) -> bool {
    let mut found = false;
    visit(u, n, &mut |n| {
        if let Node::Expr(e) = n {
            found |= has_sizeof(u, e);
        }
        !found
    });
    found
}

/// Structs of the system's headers, which each has of its own.
fn is_systems(u: &Unit, t: TypeId) -> bool {
    match u.ty(t) {
        Type::Array { elem, .. } => is_systems(u, elem.ty),
        Type::Record(r) => {
            let d = &u.records[r.index()];
            let own = d.def.as_ref().is_some_and(|s| !u.lines.is_system(s.start));
            let mut fields = d.fields.iter().flatten();
            !own || fields.any(|f| is_systems(u, f.ty.ty))
        }
        _ => false,
    }
}

type Given = HashMap<Place, Vec<Gives>>;

/// All that puts a value into the wanted places.
fn given(
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
                ExprKind::AddrOf(arg) => put(named(unit, u, *arg), Gives::Shared),
                ExprKind::Call { callee, args } => {
                    // Those that pointers lead to may be given anything.
                    if let Some((_, Callee::Defined(f))) = p.direct(unit, *callee) {
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
        for f in &u.functions {
            visit_decls(u, Node::Stmt(f.body), &mut |d, _| declared(d));
        }
        for item in &u.items {
            if let TopItem::Decl(d) = item {
                declared(d);
            }
        }
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
            Place::Global(name) => !p.units.iter().any(|u| {
                let mut symbols = u.symbols.iter();
                symbols.any(|s| s.name == *name && s.is_global && s.defined)
            }),
            _ => false,
        };
        if elsewhere {
            list.push(Gives::Shared);
        }
        if !matches!(place, Place::Result(_)) && list.is_empty() {
            list.push(Gives::Anything);
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

/// Places of which the author says what they count, or that are not saved.
pub fn told(
    p: &Program,
    numbers: &Numbers,
    said: &Said,
) -> HashMap<Place, Option<(usize, TypeId)>> {
    let mut all = HashMap::new();
    for (unit, u) in p.units.iter().enumerate() {
        let here = &said.units[unit];
        let place = |s: &SymId| Place::variable(unit, u, *s);
        all.extend(here.unsaved.iter().map(|s| (place(s), None)));
        let counts = here.bytes.variables.iter();
        all.extend(counts.map(|(s, q)| (place(s), Some((unit, q.ty)))));
        for ((r, k), q) in &here.bytes.members {
            let fields = u.records[r.index()].fields.as_deref().unwrap_or_default();
            let name = fields.get(*k).and_then(|f| f.name.as_deref());
            let place = name.map(|n| Place::member(unit, u, *r, n));
            all.extend(place.map(|x| (x, Some((unit, q.ty)))));
        }
    }
    let elements = all.iter();
    let elements = elements.filter_map(|(x, of)| Some((numbers.arrays.own(x)?, *of)));
    let elements: Vec<(Place, Option<(usize, TypeId)>)> = elements.collect();
    all.extend(elements);
    all
}
