//! Does what an expression gives go into something that a checkpoint holds?

use crate::addresses::{has_sizeof, parents, Parent, Parents};
use crate::heap::called_name;
use pc3_program::callgraph::CallGraph;
use pc3_program::groups::GroupId;
use pc3_program::program::{is_local, FnId, Program};
use pc3_program::untouched;
use pc3_program::walk::{strip_casts, visit, Node};
use pc3_syntax::tree::*;
use pc3_typemetric::descriptor::{PC3_ORDER_SIZE, PC3_ORDER_WAY};
use std::cell::{Cell, OnceCell};
use std::collections::{HashMap, HashSet};

/// What a restart is to know of one.
#[derive(Clone, Debug)]
pub struct OrderDependence {
    pub unit: usize,
    /// `t.c:14`
    pub place: String,
    pub by: Dependence,
    /// Where the code runs that makes it so, in this unit; none: nothing shows it.
    pub witnesses: Vec<ExprId>,
    /// Only if sizes have got to this node.
    pub when: Option<String>,
}

impl OrderDependence {
    /// Of expression `e` of a unit.
    pub fn of(unit: usize, u: &Unit, e: ExprId, by: Dependence) -> Self {
        let at = u.lines.position(u.expr(e).span.start);
        let place = format!("{}:{}", at.file, at.line);
        OrderDependence {
            unit,
            place,
            by,
            witnesses: vec![e],
            when: None,
        }
    }

    /// Only where code of any unit runs that computes `e`, another one's expression.
    pub(crate) fn where_runs(self, unit: usize, e: ExprId) -> Self {
        OrderDependence {
            unit,
            witnesses: vec![e],
            ..self
        }
    }
}

/// What else decides.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Dependence {
    Bytes,
    /// The width of `long`, too.
    Long,
    /// How an architecture numbers what `fenv.h` has, alone.
    Floats,
    /// The width of `long`, alone.
    Width,
    /// Where the members of structs lie.
    Layout,
    /// The order of bytes and where members lie, while files are open that can be read.
    Files,
    /// A union had a member that its tag did not say.
    Tags,
    /// Nothing: sizes get from the node `when`, or in any case, to that of the place.
    Way,
    /// The size of a type of the unit, where it is in something that a checkpoint has.
    Size(TypeId),
}

impl Dependence {
    /// As the tables have it, in C; of a type, `size` is its size.
    pub fn text(self, size: &dyn Fn(TypeId) -> String) -> String {
        let number = match self {
            Dependence::Bytes => 0,
            Dependence::Long => 1,
            Dependence::Floats => 2,
            Dependence::Width => 3,
            Dependence::Layout => 4,
            Dependence::Files => 5,
            Dependence::Tags => 6,
            Dependence::Way => PC3_ORDER_WAY,
            Dependence::Size(ty) => return format!("{PC3_ORDER_SIZE} + {}", size(ty)),
        };
        number.to_string()
    }
}

pub type Saved<'a> = &'a dyn Fn(usize, FuncId, SymId) -> bool;

/// One unit: what expressions are parts of, and where variables are read.
struct Ways {
    parents: Parents,
    reads: HashMap<SymId, Vec<ExprId>>,
    /// What variables are initialised with and assigned.
    given: HashMap<SymId, Vec<ExprId>>,
    /// Objects that stay as they are compiled.
    untouched: HashSet<SymId>,
}

pub struct Cx<'a> {
    pub p: &'a Program<'a>,
    pub graph: &'a CallGraph,
    saved: Saved<'a>,
    units: Vec<OnceCell<Ways>>,
    /// What only says yes or no of a number is the same everywhere.
    pub truth_ends: Cell<bool>,
}

#[derive(PartialEq, Eq, Hash)]
pub enum Seen {
    Variable(usize, SymId),
    /// Results of calls.
    Returned(GroupId),
    /// Arguments of calls, on the way to the functions, and back.
    Handed(GroupId, usize),
    Given(GroupId, usize),
}

impl<'a> Cx<'a> {
    pub fn new(p: &'a Program<'a>, graph: &'a CallGraph, saved: Saved<'a>) -> Cx<'a> {
        Cx {
            p,
            graph,
            saved,
            units: p.units.iter().map(|_| OnceCell::new()).collect(),
            truth_ends: Cell::new(false),
        }
    }

    fn ways(&self, unit: usize) -> &Ways {
        self.units[unit].get_or_init(|| {
            let u = &self.p.units[unit];
            let mut reads: HashMap<SymId, Vec<ExprId>> = HashMap::new();
            let mut given: HashMap<SymId, Vec<ExprId>> = HashMap::new();
            let parents = parents(u);
            for (k, x) in u.exprs.iter().enumerate() {
                let e = ExprId(k as u32);
                if let Some(Parent::Variable(s)) = parents.get(&e) {
                    given.entry(*s).or_default().push(e);
                }
                match x.kind {
                    ExprKind::Ident(s) => reads.entry(s).or_default().push(e),
                    ExprKind::Assign { op: None, lhs, rhs } => {
                        if let ExprKind::Ident(s) = u.expr(lhs).kind {
                            given.entry(s).or_default().push(rhs);
                        }
                    }
                    _ => {}
                }
            }
            Ways {
                parents,
                reads,
                given,
                untouched: untouched::analyse(u),
            }
        })
    }

    /// Where a function's result is used.
    pub fn calls(&self, f: FnId) -> impl Iterator<Item = &(usize, ExprId)> {
        let groups = &self.graph.groups;
        groups.of(f).iter().flat_map(|g| groups.sites(*g))
    }

    /// Those of a function's groups that have not been seen, by way of `seen`.
    pub(crate) fn new_calls<'s>(
        &'s self,
        f: FnId,
        as_seen: impl Fn(GroupId) -> Seen,
        seen: &mut HashSet<Seen>,
    ) -> Vec<&'s (usize, ExprId)> {
        let groups = &self.graph.groups;
        let new = groups.of(f).iter().filter(|g| seen.insert(as_seen(**g)));
        new.flat_map(|g| groups.sites(*g)).collect()
    }

    /// If it is written: is the number that it is a part of kept?
    pub fn written(&self, unit: usize, e: ExprId) -> Option<bool> {
        let u = &self.p.units[unit];
        let Some(Parent::Expr(up)) = self.ways(unit).parents.get(&e) else {
            return None;
        };
        match u.expr(*up).kind {
            ExprKind::Assign { lhs, .. } if lhs == e => Some(self.holds(unit, e)),
            ExprKind::Unary {
                op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                ..
            } => Some(self.holds(unit, e)),
            _ => None,
        }
    }

    /// What a number is assigned to, also as a part of a larger one.
    pub fn assigned(&self, unit: usize, e: ExprId) -> Option<ExprId> {
        let u = &self.p.units[unit];
        let mut e = e;
        loop {
            let Some(Parent::Expr(up)) = self.ways(unit).parents.get(&e) else {
                return None;
            };
            match u.expr(*up).kind {
                ExprKind::Assign { lhs, rhs, .. } => return (rhs == e).then_some(lhs),
                ExprKind::Binary {
                    op: BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Shl,
                    ..
                }
                | ExprKind::Cast { .. }
                | ExprKind::Cond { .. } => e = *up,
                _ => return None,
            }
        }
    }

    pub fn parent(&self, unit: usize, e: ExprId) -> Option<Parent> {
        self.ways(unit).parents.get(&e).copied()
    }

    /// Where a variable stands.
    pub fn reads(&self, unit: usize, s: SymId) -> &[ExprId] {
        self.ways(unit).reads.get(&s).map_or(&[], Vec::as_slice)
    }

    /// Is an integer made a floating-point number here, other than to divide by it?
    pub(crate) fn becomes_float(&self, unit: usize, e: ExprId) -> bool {
        let u = &self.p.units[unit];
        let float = |t: TypeId| matches!(u.ty(t), Type::Float(_));
        match self.parent(unit, e) {
            None => false,
            Some(Parent::Variable(s)) => float(u.sym(s).ty.ty),
            Some(Parent::Return(f)) => float(u.func(f).ret.ty),
            Some(Parent::Expr(up)) => match &u.expr(up).kind {
                ExprKind::Binary {
                    op: BinOp::Div,
                    rhs,
                    ..
                } if *rhs == e => false,
                // How many there are.
                ExprKind::Binary {
                    op: BinOp::Div,
                    rhs,
                    ..
                } if has_sizeof(u, *rhs) => false,
                ExprKind::Cast { .. } if self.counts(unit, up) => false,
                ExprKind::Cast { .. } | ExprKind::Binary { .. } | ExprKind::Cond { .. } => {
                    float(u.expr(up).ty.ty)
                }
                ExprKind::Assign { lhs, rhs, .. } => *rhs == e && float(u.expr(*lhs).ty.ty),
                ExprKind::Call { args, .. } => {
                    let at = args.iter().position(|a| *a == e);
                    let params = at.into_iter().flat_map(|i| {
                        let called = self.graph.groups.called(unit, up).iter();
                        called.map(move |f| (*f, self.p.func(*f).params.get(i)))
                    });
                    let mut params = params;
                    params.any(|(f, s)| {
                        let u = self.p.unit(f);
                        s.is_some_and(|s| matches!(u.ty(u.sym(*s).ty.ty), Type::Float(_)))
                    })
                }
                _ => false,
            },
        }
    }

    /// Is it divided by a size, or what something is divided by?
    fn counts(&self, unit: usize, e: ExprId) -> bool {
        let u = &self.p.units[unit];
        let Some(Parent::Expr(up)) = self.parent(unit, e) else {
            return false;
        };
        matches!(u.expr(up).kind, ExprKind::Binary { op: BinOp::Div, rhs, .. } if rhs == e || has_sizeof(u, rhs))
    }

    /// What a variable is initialised with and assigned.
    pub(crate) fn values_of(&self, unit: usize, s: SymId) -> &[ExprId] {
        self.ways(unit).given.get(&s).map_or(&[], Vec::as_slice)
    }

    /// Is the object of this lvalue part of a checkpoint?
    pub fn holds(&self, unit: usize, e: ExprId) -> bool {
        let u = &self.p.units[unit];
        match &u.expr(strip_casts(u, e)).kind {
            ExprKind::Ident(s) => match u.ty(u.sym(*s).ty.ty) {
                // Memory, of whomever.
                Type::Pointer(_) => true,
                _ => self.is_saved(unit, *s),
            },
            ExprKind::Member { base, arrow, .. } => *arrow || self.holds(unit, *base),
            ExprKind::Index { base, .. } | ExprKind::Deref(base) | ExprKind::AddrOf(base) => {
                self.holds(unit, *base)
            }
            ExprKind::Binary { lhs, rhs, .. } => match u.ty(u.expr(*lhs).ty.ty) {
                Type::Pointer(_) | Type::Array { .. } => self.holds(unit, *lhs),
                _ => self.holds(unit, *rhs),
            },
            _ => true,
        }
    }

    pub fn is_saved(&self, unit: usize, s: SymId) -> bool {
        let sym = self.p.units[unit].sym(s);
        match sym.func {
            Some(f) if is_local(sym) => (self.saved)(unit, f, s),
            _ => !is_const(&self.p.units[unit], sym.ty) && !self.ways(unit).untouched.contains(&s),
        }
    }

    /// Does the value go into something that a checkpoint holds?
    pub fn goes(&self, unit: usize, e: ExprId, seen: &mut HashSet<Seen>) -> bool {
        let u = &self.p.units[unit];
        let mut e = e;
        loop {
            let up = match self.ways(unit).parents.get(&e) {
                None => return false,
                Some(Parent::Variable(s)) => return self.into(unit, *s, seen),
                Some(Parent::Return(f)) => {
                    let f = self.p.id(unit, *f);
                    let calls = self.new_calls(f, Seen::Returned, seen);
                    return calls.iter().any(|(unit, c)| self.goes(*unit, *c, seen));
                }
                Some(Parent::Expr(up)) => *up,
            };
            let number = |e: ExprId| {
                matches!(
                    u.ty(u.expr(e).ty.ty),
                    Type::Int(_) | Type::Float(_) | Type::Bool | Type::Enum(_)
                )
            };
            if self.truth_ends.get() && is_truth(u, up, e) {
                return false;
            }
            match &u.expr(up).kind {
                ExprKind::Assign { lhs, rhs, .. } if *rhs == e => {
                    return match u.expr(*lhs).kind {
                        ExprKind::Ident(s) => self.into(unit, s, seen),
                        _ => self.holds(unit, *lhs),
                    }
                }
                ExprKind::Binary { op, lhs, rhs } => {
                    let logical = matches!(op, BinOp::LogAnd | BinOp::LogOr);
                    let other = if *lhs == e { *rhs } else { *lhs };
                    // It waits for the other operand.
                    if !logical && self.passes(unit, other) {
                        return true;
                    }
                    if !number(up) {
                        return false;
                    }
                    e = up;
                }
                ExprKind::Index { base, .. } if *base == e => e = up,
                ExprKind::Deref(_) | ExprKind::Unary { .. } | ExprKind::Cast { .. }
                    if number(up) =>
                {
                    e = up
                }
                ExprKind::Cond { .. } | ExprKind::Generic { .. } | ExprKind::StmtExpr(_)
                    if number(up) =>
                {
                    e = up
                }
                ExprKind::Comma(list) if list.last() == Some(&e) => e = up,
                ExprKind::CompoundLit { .. } => e = up,
                ExprKind::Call { callee, args } if *callee != e => {
                    let Some(i) = args.iter().position(|a| *a == e) else {
                        return false;
                    };
                    // What they give is looked at by itself, whether the header computes it or the compiler does.
                    let swaps = called_name(u, up).is_some_and(|n| SWAPS.contains(&n));
                    let group = self.graph.groups.of_call(unit, up).filter(|_| !swaps);
                    let new = group.filter(|g| seen.insert(Seen::Handed(*g, i)));
                    let called = new.map_or(&[][..], |g| self.graph.groups.functions(g));
                    return called.iter().any(|f| {
                        let unit = self.p.fns[f.index()].0;
                        let param = self.p.func(*f).params.get(i).copied();
                        param.is_some_and(|s| self.into(unit, s, seen))
                    });
                }
                _ => return false,
            }
        }
    }

    pub fn reaches(&self, unit: usize, f: FuncId) -> bool {
        self.graph.reaches[self.p.id(unit, f).index()]
    }

    /// Does evaluating it come by a location?
    fn passes(&self, unit: usize, e: ExprId) -> bool {
        let u = &self.p.units[unit];
        let mut found = false;
        visit(u, Node::Expr(e), &mut |n| {
            if let Node::Expr(x) = n {
                found |= self.graph.is_point_at(unit, x);
            }
            !found
        });
        found
    }

    fn into(&self, unit: usize, s: SymId, seen: &mut HashSet<Seen>) -> bool {
        if !seen.insert(Seen::Variable(unit, s)) {
            return false;
        }
        if self.is_saved(unit, s) {
            return true;
        }
        let reads = self.ways(unit).reads.get(&s);
        reads.is_some_and(|all| all.iter().any(|e| self.goes(unit, *e, seen)))
    }
}

/// What headers make of `htobe32`, `be32toh`, `bswap_32` and their like: musl's names, then glibc's.
pub(in crate::lints) const SWAPS: &[&str] = &[
    "__bswap16",
    "__bswap32",
    "__bswap64",
    "__bswap_16",
    "__bswap_32",
    "__bswap_64",
    "__uint16_identity",
    "__uint32_identity",
    "__uint64_identity",
];

/// Is what `up` makes of its operand only true or false?
fn is_truth(u: &Unit, up: ExprId, operand: ExprId) -> bool {
    match &u.expr(up).kind {
        ExprKind::Binary { op, .. } => matches!(
            op,
            BinOp::Eq
                | BinOp::Ne
                | BinOp::Lt
                | BinOp::Gt
                | BinOp::Le
                | BinOp::Ge
                | BinOp::LogAnd
                | BinOp::LogOr
        ),
        ExprKind::Unary { op, .. } => *op == UnOp::Not,
        ExprKind::Cond { cond, .. } => *cond == operand,
        _ => false,
    }
}

pub fn is_const(u: &Unit, q: QualType) -> bool {
    match u.ty(q.ty) {
        Type::Array { elem, .. } => q.is_const || is_const(u, *elem),
        _ => q.is_const,
    }
}
