//! What the program's numbers are made of: of each place that has a name, and of expressions.

use super::counts::{place_in, Counts};
use super::{Role, Roles};
use crate::addresses::{parents, reads_only, NumberPlace, Numbers, Parent, Parents};
use crate::heap::innermost;
use crate::lints::{layout, offsets};
use crate::size_derived::{givers, Given, Gives};
use pc3_program::callgraph::CallGraph;
use pc3_program::program::{Callee, Program};
use pc3_program::tables::makes_number;
use pc3_program::walk::{init_values, strip_casts, visit, Node};
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

pub(crate) struct KnownNumbers<'a> {
    p: &'a Program<'a>,
    numbers: &'a Numbers,
    parents: Vec<Parents>,
    given: Given,
    places: HashMap<NumberPlace, Counts>,
    /// What the others are.
    unseen: Counts,
}

impl<'a> KnownNumbers<'a> {
    pub fn new(p: &'a Program<'a>, graph: &CallGraph, numbers: &'a Numbers) -> Self {
        let given = givers(p, graph, numbers, wanted(p, numbers).into_iter());
        let mut known = KnownNumbers {
            p,
            numbers,
            given,
            parents: p.units.iter().map(parents).collect(),
            places: HashMap::new(),
            unseen: Counts::Unseen,
        };
        known.follow();
        known
    }

    /// To what all places are. A difference is only formed of what both sides are, so none is until they are known; what
    /// nothing gives a value to is 0, which comes last. Each round takes what the one before has found: the order of places
    /// decides nothing.
    fn follow(&mut self) {
        let given = std::mem::take(&mut self.given);
        for unseen in [Counts::Unseen, Counts::Nothing] {
            self.unseen = unseen;
            loop {
                let one = |(place, all): (&NumberPlace, &Vec<Gives>)| {
                    let before = self.of(place);
                    let or = |c: Counts, g: &Gives| c.or(self.gives(place, g), self.p);
                    let after = all.iter().fold(before, or);
                    (before != after).then(|| (place.clone(), after))
                };
                let changed: Vec<(NumberPlace, Counts)> = given.iter().filter_map(one).collect();
                if changed.is_empty() {
                    break;
                }
                self.places.extend(changed);
            }
        }
        self.given = given;
    }

    fn of(&self, place: &NumberPlace) -> Counts {
        self.places.get(place).copied().unwrap_or(self.unseen)
    }

    fn gives(&self, place: &NumberPlace, g: &Gives) -> Counts {
        match g {
            Gives::Value(unit, e) | Gives::Counted(unit, e, _) => self.counts(*unit, *e),
            Gives::Changed(unit, op, e) => {
                Counts::binary(*op, self.of(place), self.counts(*unit, *e), self.p)
            }
            Gives::Stepped => Counts::binary(BinOp::Add, self.of(place), Counts::Plain, self.p),
            Gives::From(from) => self.of(from),
            Gives::Lent(unit, e) => self.lent(*unit, *e),
            Gives::Nothing => Counts::Nothing,
            Gives::Shared if self.is_mains(place) => Counts::Plain,
            Gives::Shared | Gives::Anything => Counts::Unknown,
        }
    }

    fn is_mains(&self, place: &NumberPlace) -> bool {
        let NumberPlace::Variable(unit, s) = place else {
            return false;
        };
        let u = &self.p.units[*unit];
        let f = u.sym(*s).func.filter(|_| u.sym(*s).kind == SymKind::Param);
        f.is_some_and(|f| u.sym(u.func(f).sym).name == "main")
    }

    /// What may be put where an address leads that is taken here.
    fn lent(&self, unit: usize, address: ExprId) -> Counts {
        let u = &self.p.units[unit];
        let mut e = address;
        loop {
            let Some(Parent::Expr(up)) = self.parents[unit].get(&e) else {
                return Counts::Unknown;
            };
            match &u.expr(*up).kind {
                ExprKind::Cast { .. } => e = *up,
                ExprKind::Call { callee, args } => {
                    let Some(name) = self.external(unit, *callee) else {
                        return Counts::Unknown;
                    };
                    let at = args.iter().position(|a| *a == e);
                    return match at.is_some_and(|i| reads_only(u, *callee, i)) {
                        true => Counts::Nothing,
                        false if makes_number(&name) => self.located(unit, args[0]),
                        false if is_extent(&name) => Counts::Extents,
                        false if measures(&name) || name.contains("mem") => Counts::Unknown,
                        false => Counts::Plain,
                    };
                }
                _ => return Counts::Unknown,
            }
        }
    }

    /// The name of a function that is not the program's.
    fn external(&self, unit: usize, callee: ExprId) -> Option<String> {
        match self.p.direct(unit, callee)?.1 {
            Callee::External(name) => Some(name),
            _ => None,
        }
    }

    /// Of the lengths in a call, and of the places.
    pub fn call(&self, unit: usize, args: &[ExprId], roles: Roles) -> (Counts, Counts) {
        let mut both = (Counts::Nothing, Counts::Nothing);
        let mut dimensions = Vec::new();
        for (i, role) in roles {
            let Some(a) = args.get(*i) else {
                continue;
            };
            let list = self.argument(unit, *a);
            match role {
                Role::Place => both.1 = both.1.or(self.all(&list), self.p),
                Role::Length => both.0 = both.0.or(self.all(&list), self.p),
                Role::Dimension => dimensions.extend(list),
            }
        }
        // Others count rows.
        let rows = |c: &Counts| matches!(c, Counts::Plain | Counts::Fixed);
        let bytes: Vec<Counts> = dimensions.iter().copied().filter(|c| !rows(c)).collect();
        let of = match bytes.iter().all(|c| *c == Counts::Nothing) {
            true => self.all(&dimensions),
            false => self.all(&bytes),
        };
        both.0 = both.0.or(of, self.p);
        both
    }

    fn all(&self, list: &[Counts]) -> Counts {
        let one = |a: Counts, b: &Counts| a.or(*b, self.p);
        list.iter().fold(Counts::Unseen, one)
    }

    /// Of a number, or of those in an array.
    fn argument(&self, unit: usize, e: ExprId) -> Vec<Counts> {
        let u = &self.p.units[unit];
        match u.ty(u.expr(e).ty.ty) {
            Type::Pointer(_) | Type::Array { .. } => self.elements(unit, e),
            _ => vec![self.counts(unit, e)],
        }
    }

    /// Of the numbers in an array, of each where they stand in the call or in an initialiser.
    fn elements(&self, unit: usize, e: ExprId) -> Vec<Counts> {
        let u = &self.p.units[unit];
        let e = strip_casts(u, e);
        match &u.expr(e).kind {
            ExprKind::CompoundLit { init, .. } => {
                let mut list = Vec::new();
                init_values(init, &mut |x| list.push(self.counts(unit, x)));
                return list;
            }
            ExprKind::AddrOf(x) if matches!(u.ty(u.expr(*x).ty.ty), Type::Int(_)) => {
                return vec![self.counts(unit, *x)];
            }
            _ => {}
        }
        let behind = self.numbers.elements(unit, u, e);
        let mut list = Vec::new();
        for x in &behind {
            let all = self.given.get(x).into_iter().flatten();
            list.extend(all.map(|g| self.gives(x, g)));
        }
        match list.is_empty() {
            true => vec![Counts::Unknown],
            false => list,
        }
    }

    fn counts(&self, unit: usize, e: ExprId) -> Counts {
        let u = &self.p.units[unit];
        let again = |e: ExprId| self.counts(unit, e);
        match &u.expr(e).kind {
            ExprKind::Int(0) => Counts::Nothing,
            ExprKind::Int(_) => Counts::Plain,
            ExprKind::SizeofType(q) => self.size(unit, e, *q),
            ExprKind::SizeofExpr(x) => self.size(unit, e, u.expr(*x).ty),
            ExprKind::Offsetof { ty, .. } => place_in(self.p, (unit, ty.ty)),
            ExprKind::Cast { arg, .. } => match u.ty(u.expr(*arg).ty.ty) {
                Type::Int(_) | Type::Enum(_) | Type::Bool => again(*arg),
                Type::Float(_) => Counts::Unknown,
                _ => match offsets::offset_in(u, e) {
                    Some(ty) => place_in(self.p, (unit, ty)),
                    None => self.located(unit, *arg),
                },
            },
            ExprKind::Binary { op, lhs, rhs } => match op {
                BinOp::Sub if offsets::is_in_bytes(u, *lhs) => {
                    let apart = self.apart(unit, *lhs, *rhs);
                    apart.unwrap_or_else(|| Counts::binary(*op, again(*lhs), again(*rhs), self.p))
                }
                _ => Counts::binary(*op, again(*lhs), again(*rhs), self.p),
            },
            ExprKind::Unary { op, arg } => match (op, again(*arg)) {
                (_, Counts::Unseen) => Counts::Unseen,
                (UnOp::Not, _) => Counts::Plain,
                (_, Counts::Place(_)) => Counts::Varies,
                (UnOp::Plus | UnOp::Minus, other) => other,
                (_, other @ (Counts::Nothing | Counts::Plain)) => other,
                (UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec, other) => other,
                (_, Counts::Unknown) => Counts::Unknown,
                _ => Counts::Varies,
            },
            ExprKind::Cond { cond, .. } if compares_sizes(u, *cond) => Counts::Varies,
            ExprKind::Cond { cond, then, els } => {
                again(then.unwrap_or(*cond)).or(again(*els), self.p)
            }
            ExprKind::Comma(list) => list.last().map_or(Counts::Unknown, |l| again(*l)),
            ExprKind::Generic { chosen, .. } => again(*chosen),
            ExprKind::Assign { op: None, rhs, .. } => again(*rhs),
            ExprKind::Assign { lhs, .. } => again(*lhs),
            ExprKind::Ident(s) if u.sym(*s).kind == SymKind::EnumConst => match u.sym(*s).value {
                Some(0) => Counts::Nothing,
                Some(_) => Counts::Plain,
                None => Counts::Varies,
            },
            ExprKind::Ident(_)
            | ExprKind::Member { .. }
            | ExprKind::Index { .. }
            | ExprKind::Deref(_) => {
                let places = self.numbers.lvalue(unit, u, e);
                match places.is_empty() {
                    true => Counts::Unknown,
                    false => self.all(&places.iter().map(|x| self.of(x)).collect::<Vec<_>>()),
                }
            }
            ExprKind::Call { callee, args } => match self.p.direct(unit, *callee) {
                Some((_, Callee::Defined(f))) => self.of(&NumberPlace::Result(f)),
                Some((_, Callee::External(name))) if !measures(&name) => Counts::Plain,
                Some((_, Callee::External(name))) => match (is_sum(&name), &args[..]) {
                    (Some(op), [a, b]) => Counts::binary(op, again(*a), again(*b), self.p),
                    _ => Counts::Unknown,
                },
                _ => Counts::Unknown,
            },
            _ => Counts::Unknown,
        }
    }

    /// An address in an object of a struct's type, if it is one.
    fn located(&self, unit: usize, address: ExprId) -> Counts {
        let u = &self.p.units[unit];
        match object_at(u, address) {
            Some(ty) if matches!(u.ty(ty), Type::Record(_)) => Counts::Apart((unit, ty)),
            _ => Counts::Unknown,
        }
    }

    fn size(&self, unit: usize, e: ExprId, of: QualType) -> Counts {
        let u = &self.p.units[unit];
        let mut at = of;
        while let Type::Array { elem, len } = u.ty(at.ty) {
            if matches!(len, ArrayLen::Target(_)) {
                return Counts::Varies;
            }
            at = *elem;
        }
        match layout::size_may_vary(u, e) {
            false => Counts::Fixed,
            true => Counts::Multiple((unit, at.ty)),
        }
    }

    /// The distance of two addresses within an array or an object, the second of which begins one; none: they are written
    /// as in different ones.
    fn apart(&self, unit: usize, lhs: ExprId, rhs: ExprId) -> Option<Counts> {
        let u = &self.p.units[unit];
        let (a, b) = (reached(u, lhs)?, reached(u, rhs)?);
        let same = a.root == b.root && a.ty == b.ty;
        let of = (unit, a.ty);
        same.then_some(match (a.within, b.within) {
            (false, false) => Counts::Multiple(of),
            (true, false) => place_in(self.p, of),
            _ => Counts::Varies,
        })
    }
}

/// Where an address leads.
struct Reached<'a> {
    /// What is written for the array or object.
    root: &'a str,
    /// Of the object, or of an array's element.
    ty: TypeId,
    /// To a member.
    within: bool,
}

/// Of a pointer, or one as a number.
fn reached(u: &Unit, e: ExprId) -> Option<Reached<'_>> {
    let written = |e: ExprId| {
        let text = u.slice(&u.expr(e).span).trim();
        text.trim_matches(['(', ')']).trim()
    };
    let leads = |e: ExprId, within: bool| {
        let to = match u.ty(u.expr(e).ty.ty) {
            Type::Pointer(q) | Type::Array { elem: q, .. } => *q,
            _ => return None,
        };
        let (root, ty) = (written(e), innermost(u, to).ty);
        Some(Reached { root, ty, within })
    };
    let mut e = strip_casts(u, e);
    let mut within = false;
    loop {
        let x = u.expr(e);
        e = match &x.kind {
            ExprKind::AddrOf(place) => *place,
            ExprKind::Member {
                base, arrow: false, ..
            } => {
                within = true;
                *base
            }
            ExprKind::Member { base, .. } => {
                within = true;
                match u.expr(*base).kind {
                    ExprKind::Binary { .. } => *base,
                    _ => return leads(*base, true),
                }
            }
            ExprKind::Index { base, .. } | ExprKind::Deref(base) => *base,
            ExprKind::Binary {
                op: BinOp::Add | BinOp::Sub,
                lhs,
                rhs,
            } => match u.ty(u.expr(*lhs).ty.ty) {
                Type::Pointer(_) | Type::Array { .. } => *lhs,
                _ => *rhs,
            },
            ExprKind::Ident(_) => match u.ty(x.ty.ty) {
                Type::Pointer(_) | Type::Array { .. } => return leads(e, within),
                ty => {
                    let object = matches!(ty, Type::Record(_));
                    let (root, ty) = (written(e), x.ty.ty);
                    return object.then_some(Reached { root, ty, within });
                }
            },
            _ => return None,
        };
    }
}

/// What a pointer or an array leads to.
fn elements(u: &Unit, e: ExprId) -> Option<TypeId> {
    match u.ty(u.expr(e).ty.ty) {
        Type::Pointer(q) | Type::Array { elem: q, .. } => Some(innermost(u, *q).ty),
        _ => None,
    }
}

/// The type of the object that an address is in: the outermost that is written, or an element of an array of these.
fn object_at(u: &Unit, address: ExprId) -> Option<TypeId> {
    let e = strip_casts(u, address);
    let is_array = matches!(u.ty(u.expr(e).ty.ty), Type::Array { .. });
    match u.expr(e).kind {
        ExprKind::AddrOf(place) => object_of(u, place),
        ExprKind::Member { .. } | ExprKind::Index { .. } if is_array => object_of(u, e),
        ExprKind::Binary {
            op: BinOp::Add | BinOp::Sub,
            lhs,
            ..
        } => elements(u, lhs),
        _ => elements(u, e),
    }
}

/// The same of a part of an object.
fn object_of(u: &Unit, place: ExprId) -> Option<TypeId> {
    let mut place = place;
    loop {
        place = match u.expr(place).kind {
            ExprKind::Member {
                base, arrow: true, ..
            } => return elements(u, base),
            ExprKind::Member { base, .. } => base,
            ExprKind::Index { base, .. } => {
                let is_array = matches!(u.ty(u.expr(base).ty.ty), Type::Array { .. });
                match u.expr(base).kind {
                    ExprKind::Member { .. } if is_array => base,
                    _ => return elements(u, base),
                }
            }
            ExprKind::Deref(pointer) => return elements(u, pointer),
            ExprKind::Ident(_) => return Some(innermost(u, u.expr(place).ty).ty),
            _ => return None,
        }
    }
}

/// All places of numbers.
fn wanted(p: &Program, numbers: &Numbers) -> HashSet<NumberPlace> {
    let mut all: HashSet<NumberPlace> = p.ids().map(NumberPlace::Result).collect();
    for (unit, u) in p.units.iter().enumerate() {
        for k in 0..u.exprs.len() {
            let e = ExprId(k as u32);
            match u.ty(u.expr(e).ty.ty) {
                Type::Int(_) => all.extend(numbers.lvalue(unit, u, e)),
                Type::Pointer(_) | Type::Array { .. } => all.extend(numbers.elements(unit, u, e)),
                _ => {}
            }
        }
        for (k, s) in u.symbols.iter().enumerate() {
            let number = matches!(u.ty(s.ty.ty), Type::Int(_));
            if number && matches!(s.kind, SymKind::Var | SymKind::Param) {
                all.insert(NumberPlace::variable(unit, u, SymId(k as u32)));
            }
        }
    }
    all
}

/// Is a size in it that is another one elsewhere?
fn compares_sizes(u: &Unit, e: ExprId) -> bool {
    let mut found = false;
    visit(u, Node::Expr(e), &mut |n| {
        found |= matches!(n, Node::Expr(x) if layout::size_may_vary(u, x));
        !found
    });
    found
}

/// What an MPI function does with two addresses, or an address and a number.
fn is_sum(name: &str) -> Option<BinOp> {
    match name.strip_prefix('P').unwrap_or(name) {
        "MPI_Aint_add" => Some(BinOp::Add),
        "MPI_Aint_diff" => Some(BinOp::Sub),
        _ => None,
    }
}

/// Does an MPI function say a datatype's bounds?
fn is_extent(name: &str) -> bool {
    let name = name.trim_start_matches('P').trim_end_matches("_c");
    name.starts_with("MPI_Type_") && name.trim_end_matches("_x").ends_with("_extent")
}

/// MPI functions whose answers are sizes or places.
fn measures(name: &str) -> bool {
    let name = name.trim_start_matches('P').trim_end_matches("_c");
    let name = name.trim_end_matches("_x");
    let ends = ["_size", "_extent", "_lb", "_ub"];
    name.starts_with("MPI_Type_") && ends.iter().any(|e| name.ends_with(e))
        || matches!(
            name,
            "MPI_Pack_size"
                | "MPI_Pack_external_size"
                | "MPI_Get_address"
                | "MPI_Address"
                | "MPI_Get_count"
                | "MPI_Get_elements"
                | "MPI_Aint_add"
                | "MPI_Aint_diff"
        )
}
