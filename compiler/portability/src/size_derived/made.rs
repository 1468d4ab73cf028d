//! What is put into places that sizes reach: so many objects of one type, sums with sizes in them, or other things.

use super::beyond::Beyond;
use super::givers::{givers_of, Given, Gives};
use super::reach::SizeCalls;
use super::size_flows::Ways;
use crate::addresses::{has_size, has_sizeof, NumberPlace, Numbers};
use crate::lints::layout;
use pc3_program::annotations::Annotations;
use pc3_program::callgraph::CallGraph;
use pc3_program::program::{Callee, Program};
use pc3_program::walk::{strip_casts, visit, Node};
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

/// What a number is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberForm {
    /// 0, which is no objects of whatever type.
    Nothing,
    /// Of no size.
    Plain,
    /// A multiple of the size of a unit's type.
    Of(usize, TypeId),
    /// The size of a unit's type, once.
    Is(usize, TypeId),
    /// One of the sizes in it, or 0: the larger of two, say.
    OneOf,
    /// Of sizes, among other things, all of them added: where it is 0 nothing has been.
    Sum,
    Other,
}

impl NumberForm {
    fn has_sizes(self) -> bool {
        !matches!(self, NumberForm::Nothing | NumberForm::Plain)
    }

    /// As a part of a sum or a product.
    fn in_sums(self) -> NumberForm {
        match self {
            NumberForm::Is(unit, ty) => NumberForm::Of(unit, ty),
            NumberForm::OneOf => NumberForm::Sum,
            other => other,
        }
    }
}

pub struct Makes<'a> {
    p: &'a Program<'a>,
    numbers: &'a Numbers,
    calls: &'a SizeCalls,
    wanted: &'a HashSet<NumberPlace>,
    told: &'a HashMap<NumberPlace, Option<(usize, TypeId)>>,
    known: HashMap<NumberPlace, NumberForm>,
}

pub struct Analysed {
    pub made: HashMap<NumberPlace, NumberForm>,
    /// Expressions that sizes are in, and the places that these come from; none of them: there are sizes in any case.
    pub sized: HashMap<(usize, ExprId), Vec<Option<NumberPlace>>>,
    pub ways: Ways,
}

/// What places are made of, and the expressions that sizes are in.
/// `told`: places of which the author says what they count, or that they are not saved.
pub fn analyse<'a>(
    p: &'a Program<'a>,
    graph: &CallGraph,
    (numbers, calls, beyond): (&'a Numbers, &'a SizeCalls, &Beyond),
    wanted: &'a HashSet<NumberPlace>,
    told: &'a HashMap<NumberPlace, Option<(usize, TypeId)>>,
) -> Analysed {
    let results = calls.of.values().map(|f| NumberPlace::Result(*f));
    let given = givers_of(
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
    makes.settle(&given);
    // What is only changed, or given by others of which that holds, begins as 0: static storage does.
    let mut begun = false;
    for place in given.keys() {
        if !makes.known.contains_key(place) && !matches!(place, NumberPlace::Result(_)) {
            makes.known.insert(place.clone(), NumberForm::Nothing);
            begun = true;
        }
    }
    if begun {
        makes.settle(&given);
    }
    Analysed {
        sized: makes.sized(),
        ways: Ways::new(p, &makes, &given),
        made: makes.known,
    }
}

impl Makes<'_> {
    /// Until nothing more becomes known.
    fn settle(&mut self, given: &Given) {
        let mut changed = true;
        while changed {
            changed = false;
            for (place, all) in given {
                for g in all {
                    let Some(made) = self.gives(place, g) else {
                        continue;
                    };
                    let before = self.known.get(place).copied();
                    let after = before.map_or(made, |b| self.either(b, made));
                    if before != Some(after) {
                        self.known.insert(place.clone(), after);
                        changed = true;
                    }
                }
            }
        }
    }

    /// None: not known yet.
    fn gives(&self, place: &NumberPlace, g: &Gives) -> Option<NumberForm> {
        match *g {
            Gives::Value(unit, e) | Gives::Counted(unit, e, _) => self.value(unit, e),
            Gives::Changed(unit, op, e) => {
                let before = self.known.get(place).copied();
                let by = self.value(unit, e)?;
                self.binary(op, before?, by, has_sizeof(&self.p.units[unit], e))
            }
            Gives::Stepped => match self.known.get(place)? {
                NumberForm::Plain | NumberForm::Nothing => Some(NumberForm::Plain),
                _ => Some(NumberForm::Other),
            },
            Gives::Lent(..) | Gives::Shared => match self.known.get(place)? {
                plain @ (NumberForm::Plain | NumberForm::Nothing) => Some(*plain),
                _ => Some(NumberForm::Other),
            },
            Gives::From(ref from) => self.of_place(from),
            Gives::Anything => Some(NumberForm::Other),
            Gives::Nothing => Some(NumberForm::Nothing),
        }
    }

    /// Expressions with sizes, which are more than constants.
    fn sized(&self) -> HashMap<(usize, ExprId), Vec<Option<NumberPlace>>> {
        let mut all = HashMap::new();
        for (unit, u) in self.p.units.iter().enumerate() {
            for e in (0..u.exprs.len()).map(|k| ExprId(k as u32)) {
                let made = self.value(unit, e);
                if made.is_some_and(NumberForm::has_sizes) {
                    all.insert((unit, e), self.origins(unit, e));
                }
            }
        }
        all
    }

    pub(super) fn has_sizes(&self, place: &NumberPlace) -> bool {
        let made = self
            .known
            .get(place)
            .filter(|_| self.wanted.contains(place));
        made.is_some_and(|m| m.has_sizes())
    }

    /// Where the sizes in a value come from; none: it has some itself.
    pub(super) fn origins(&self, unit: usize, e: ExprId) -> Vec<Option<NumberPlace>> {
        let u = &self.p.units[unit];
        let mut all = Vec::new();
        visit(u, Node::Expr(e), &mut |n| {
            let Node::Expr(x) = n else { return true };
            match &u.expr(x).kind {
                ExprKind::SizeofType(_) | ExprKind::SizeofExpr(_) => {
                    all.extend(layout::size_may_vary(u, x).then_some(None));
                    return false;
                }
                ExprKind::Call { .. } if self.calls.of.contains_key(&(unit, x)) => all.push(None),
                ExprKind::Call { callee, .. } => {
                    if let Some((_, Callee::Defined(f))) = self.p.direct(unit, *callee) {
                        let result = NumberPlace::Result(f);
                        all.extend(self.has_sizes(&result).then_some(Some(result)));
                    }
                }
                ExprKind::Ident(_)
                | ExprKind::Member { .. }
                | ExprKind::Index { .. }
                | ExprKind::Deref(_)
                    if matches!(u.ty(u.expr(x).ty.ty), Type::Int(_)) =>
                {
                    for place in self.numbers.lvalue(unit, u, x) {
                        match self.told.get(&place) {
                            Some(of) => all.extend(of.map(|_| None)),
                            None => all.extend(self.has_sizes(&place).then_some(Some(place))),
                        }
                    }
                }
                _ => return true,
            }
            // Whose arguments, and what leads to a place, is not in the value.
            false
        });
        all
    }

    fn same(&self, a: (usize, TypeId), b: (usize, TypeId)) -> bool {
        let sizes = |(unit, t): (usize, TypeId)| layout::sizes(&self.p.units[unit], t);
        a == b || sizes(a).is_some() && sizes(a) == sizes(b)
    }

    fn either(&self, a: NumberForm, b: NumberForm) -> NumberForm {
        match (a, b) {
            (NumberForm::Nothing, x) | (x, NumberForm::Nothing) => x,
            (NumberForm::Plain, NumberForm::Plain) => NumberForm::Plain,
            (NumberForm::Is(u, s), NumberForm::Is(v, t)) => match self.same((u, s), (v, t)) {
                true => NumberForm::Is(u, s),
                false => NumberForm::OneOf,
            },
            (NumberForm::Is(..) | NumberForm::OneOf, NumberForm::OneOf)
            | (NumberForm::OneOf, NumberForm::Is(..)) => NumberForm::OneOf,
            (NumberForm::Of(u, s), NumberForm::Of(v, t) | NumberForm::Is(v, t))
            | (NumberForm::Is(v, t), NumberForm::Of(u, s))
                if self.same((u, s), (v, t)) =>
            {
                NumberForm::Of(u, s)
            }
            (NumberForm::Other, _) | (_, NumberForm::Other) => NumberForm::Other,
            _ => NumberForm::Sum,
        }
    }

    fn binary(&self, op: BinOp, a: NumberForm, b: NumberForm, counted: bool) -> Option<NumberForm> {
        use NumberForm::*;
        let (a, b) = match op {
            // As of one of both.
            BinOp::Sub if b == Nothing => (a, b),
            _ => (a.in_sums(), b.in_sums()),
        };
        Some(match (op, a, b) {
            (_, Nothing | Plain, Nothing | Plain) => Plain,
            (BinOp::Add, Nothing, x) | (BinOp::Add, x, Nothing) => x,
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
    fn value(&self, unit: usize, e: ExprId) -> Option<NumberForm> {
        let u = &self.p.units[unit];
        let number = |e: ExprId| matches!(u.ty(u.expr(e).ty.ty), Type::Int(_));
        if !number(e) {
            return Some(NumberForm::Plain);
        }
        Some(match &u.expr(e).kind {
            ExprKind::Int(0) => NumberForm::Nothing,
            ExprKind::SizeofType(_) | ExprKind::SizeofExpr(_) if !layout::size_may_vary(u, e) => {
                NumberForm::Plain
            }
            ExprKind::SizeofType(q) => self.size(unit, q.ty),
            ExprKind::SizeofExpr(x) => self.size(unit, u.expr(*x).ty.ty),
            ExprKind::Ident(_)
            | ExprKind::Member { .. }
            | ExprKind::Index { .. }
            | ExprKind::Deref(_) => return self.place(unit, e),
            ExprKind::Cast { arg, .. } => match self.value(unit, *arg)? {
                // Sizes that may have been cut.
                NumberForm::Of(..) | NumberForm::Is(..) | NumberForm::OneOf | NumberForm::Sum
                    if self.is_narrow(unit, e) =>
                {
                    NumberForm::Other
                }
                made => made,
            },
            ExprKind::Binary { op, lhs, rhs } => {
                let (a, b) = (self.value(unit, *lhs)?, self.value(unit, *rhs)?);
                let whole = *op == BinOp::And && self.is_rounded_up(unit, *lhs, *rhs);
                if whole && !matches!(a, NumberForm::Other | NumberForm::Plain) {
                    return Some(NumberForm::Sum);
                }
                return self.binary(*op, a, b, has_sizeof(u, *rhs));
            }
            ExprKind::Unary { op, arg } => match (op, self.value(unit, *arg)?) {
                (UnOp::Not, _) => NumberForm::Plain,
                (_, NumberForm::Plain | NumberForm::Nothing) => NumberForm::Plain,
                (UnOp::Plus, made) => made,
                _ => NumberForm::Other,
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
                true => NumberForm::Other,
                false => NumberForm::Plain,
            },
            _ => NumberForm::Plain,
        })
    }

    fn is_narrow(&self, unit: usize, e: ExprId) -> bool {
        let u = &self.p.units[unit];
        match u.ty(u.expr(e).ty.ty) {
            Type::Int(k) => u.target.bits(*k) < 32,
            _ => true,
        }
    }

    fn size(&self, unit: usize, t: TypeId) -> NumberForm {
        let u = &self.p.units[unit];
        let whole = t;
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
            Some(_) if !is_systems(u, t) && t == whole => NumberForm::Is(unit, t),
            Some(_) if !is_systems(u, t) => NumberForm::Of(unit, t),
            _ => NumberForm::Sum,
        }
    }

    fn place(&self, unit: usize, e: ExprId) -> Option<NumberForm> {
        let all = self.numbers.lvalue(unit, &self.p.units[unit], e);
        if all.is_empty() {
            return Some(NumberForm::Plain);
        }
        let known = all.iter().filter_map(|place| match self.told.get(place) {
            Some(Some((unit, t))) => Some(NumberForm::Of(*unit, *t)),
            Some(None) => Some(NumberForm::Plain),
            None => self.of_place(place),
        });
        known.reduce(|a, b| self.either(a, b))
    }

    fn of_place(&self, place: &NumberPlace) -> Option<NumberForm> {
        match self.wanted.contains(place) {
            true => self.known.get(place).copied(),
            false => Some(NumberForm::Plain),
        }
    }

    fn result(&self, unit: usize, call: ExprId) -> Option<NumberForm> {
        if let Some(f) = self.calls.of.get(&(unit, call)) {
            return self.known.get(&NumberPlace::Result(*f)).copied();
        }
        let u = &self.p.units[unit];
        let ExprKind::Call { callee, .. } = &u.expr(call).kind else {
            return Some(NumberForm::Plain);
        };
        match self.p.direct(unit, *callee) {
            Some((_, Callee::Defined(f))) => self.of_place(&NumberPlace::Result(f)),
            _ => Some(NumberForm::Plain),
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

/// Places of which the author says what they count, or that are not saved.
pub(crate) fn annotated_places(
    p: &Program,
    numbers: &Numbers,
    said: &Annotations,
) -> HashMap<NumberPlace, Option<(usize, TypeId)>> {
    let mut all = HashMap::new();
    for (unit, u) in p.units.iter().enumerate() {
        let here = &said.units[unit];
        let place = |s: &SymId| NumberPlace::variable(unit, u, *s);
        all.extend(here.unsaved.iter().map(|s| (place(s), None)));
        all.extend(here.reported.variables.keys().map(|s| (place(s), None)));
        for (r, k) in here.reported.members.keys() {
            let fields = u.records[r.index()].fields.as_deref().unwrap_or_default();
            let name = fields.get(*k).and_then(|f| f.name.as_deref());
            all.extend(name.map(|n| (NumberPlace::member(unit, u, *r, n), None)));
        }
        let counts = here.bytes.variables.iter();
        all.extend(counts.map(|(s, q)| (place(s), Some((unit, q.ty)))));
        for ((r, k), q) in &here.bytes.members {
            let fields = u.records[r.index()].fields.as_deref().unwrap_or_default();
            let name = fields.get(*k).and_then(|f| f.name.as_deref());
            let place = name.map(|n| NumberPlace::member(unit, u, *r, n));
            all.extend(place.map(|x| (x, Some((unit, q.ty)))));
        }
    }
    let elements = all.iter();
    let elements = elements.filter_map(|(x, of)| Some((numbers.arrays.own(x)?, *of)));
    let elements: Vec<(NumberPlace, Option<(usize, TypeId)>)> = elements.collect();
    all.extend(elements);
    all
}
