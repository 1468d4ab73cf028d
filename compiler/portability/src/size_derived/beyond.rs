//! Where sizes get to otherwise than by being assigned: through pointers (`*p = sizeof(struct s)`, with what `p` is given along
//! calls and locals), and by being counted up to (`while (n < sizeof(struct s)) n++;`, where `n` is used behind the loop).

use crate::addresses::{named, NumberPlace};
use pc3_program::callgraph::CallGraph;
use pc3_program::groups::{GroupId, Groups};
use pc3_program::program::{Callee, FnId, Program};
use pc3_program::walk::{init_exprs, strip_casts, visit, visit_decls, Node};
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

#[derive(Default)]
pub struct Beyond {
    /// A place has, then, the value of a unit's expression.
    pub puts: Vec<(NumberPlace, usize, ExprId)>,
    /// A place has the value of a unit's expression if the other one is false, at which a loop ends.
    pub counted: Vec<(NumberPlace, usize, ExprId, ExprId)>,
    /// By the sizes in such expressions, and by the variables and members.
    pub sizes: HashMap<(usize, ExprId), Vec<NumberPlace>>,
    pub places: HashMap<NumberPlace, Vec<NumberPlace>>,
    /// `&n` in calls of functions that do nothing but put numbers there: all of them are known.
    pub lent: HashSet<(usize, ExprId)>,
}

pub fn find(p: &Program, graph: &CallGraph) -> Beyond {
    let mut all = Beyond::default();
    let given = pointed_numbers(p, &graph.groups);
    let mut written: HashMap<(FnId, SymId), bool> = HashMap::new();
    for (unit, u) in p.units.iter().enumerate() {
        for x in &u.exprs {
            if let ExprKind::Call { callee, args } = &x.kind {
                if let Some((_, Callee::Defined(f))) = p.direct(unit, *callee) {
                    for (s, a) in p.func(f).params.iter().zip(args) {
                        let a = strip_casts(u, *a);
                        let address = matches!(u.expr(a).kind, ExprKind::AddrOf(_));
                        if address
                            && *written
                                .entry((f, *s))
                                .or_insert_with(|| only_written(p, f, *s))
                        {
                            all.lent.insert((unit, a));
                        }
                    }
                }
            }
            let ExprKind::Assign { lhs, rhs, .. } = x.kind else {
                continue;
            };
            if let ExprKind::Deref(to) | ExprKind::Index { base: to, .. } = u.expr(lhs).kind {
                if !is_number(u, lhs) {
                    continue;
                }
                let mut put = |to: (usize, ExprId), unit: usize, e: ExprId| {
                    let mut ends = HashSet::new();
                    given.leads(to, &mut HashSet::new(), &mut ends);
                    ends.into_iter().for_each(|x| all.put(p, x, unit, e));
                };
                match handed_on(u, to, rhs) {
                    None => put((unit, to), unit, rhs),
                    Some((f, to, value)) => {
                        let groups = graph.groups.of(p.id(unit, f)).iter();
                        for (unit, call) in groups.flat_map(|g| graph.groups.sites(*g)) {
                            let args = args(p, *unit, *call);
                            if let (Some(to), Some(value)) = (args.get(to), args.get(value)) {
                                put((*unit, *to), *unit, *value);
                            }
                        }
                    }
                }
            }
        }
        for f in &u.functions {
            visit(u, Node::Stmt(f.body), &mut |n| {
                if let Node::Stmt(s) = n {
                    if let Some((cond, step, body)) = counts(u, s) {
                        let end = u.stmt(s).span.end;
                        for (s, bound, by) in counted(u, cond, step, body) {
                            if used_behind(u, f, s, end) {
                                let to = NumberPlace::variable(unit, u, s);
                                all.leads(p, &to, unit, bound);
                                all.counted.push((to, unit, bound, by));
                            }
                        }
                    }
                }
                true
            });
        }
    }
    all
}

impl Beyond {
    fn put(&mut self, p: &Program, to: NumberPlace, unit: usize, e: ExprId) {
        self.leads(p, &to, unit, e);
        self.puts.push((to, unit, e));
    }

    fn leads(&mut self, p: &Program, to: &NumberPlace, unit: usize, e: ExprId) {
        let u = &p.units[unit];
        visit(u, Node::Expr(e), &mut |n| {
            let Node::Expr(x) = n else { return true };
            match u.expr(x).kind {
                ExprKind::SizeofExpr(_) | ExprKind::SizeofType(_) => {
                    self.sizes.entry((unit, x)).or_default().push(to.clone());
                }
                _ => {
                    if let Some(from) = named(unit, u, x).filter(|_| is_number(u, x)) {
                        self.places.entry(from).or_default().push(to.clone());
                    }
                }
            }
            true
        });
    }
}

fn is_number(u: &Unit, e: ExprId) -> bool {
    matches!(u.ty(u.expr(e).ty.ty), Type::Int(_))
}

/// Is a parameter used as `*to = ...` alone?
fn only_written(p: &Program, f: FnId, s: SymId) -> bool {
    let u = p.unit(f);
    let is = |e: ExprId| matches!(u.expr(e).kind, ExprKind::Ident(x) if x == s);
    let (mut uses, mut writes) = (0, 0);
    visit(u, Node::Stmt(p.func(f).body), &mut |n| {
        let Node::Expr(e) = n else { return true };
        uses += usize::from(is(e));
        if let ExprKind::Assign { op: None, lhs, .. } = u.expr(e).kind {
            writes += usize::from(matches!(u.expr(lhs).kind, ExprKind::Deref(to) if is(to)));
        }
        true
    });
    uses == writes
}

/// `*to = n;` where both are parameters: each call puts its own.
fn handed_on(u: &Unit, to: ExprId, value: ExprId) -> Option<(FuncId, usize, usize)> {
    let param = |e: ExprId| {
        let ExprKind::Ident(s) = u.expr(strip_casts(u, e)).kind else {
            return None;
        };
        let f = u.sym(s).func?;
        let at = u.func(f).params.iter().position(|x| *x == s)?;
        Some((f, at))
    };
    let ((f, to), (_, value)) = (param(to)?, param(value)?);
    Some((f, to, value))
}

fn args<'a>(p: &'a Program, unit: usize, call: ExprId) -> &'a [ExprId] {
    match &p.units[unit].expr(call).kind {
        ExprKind::Call { args, .. } => args,
        _ => &[],
    }
}

/// What variables that point to numbers are given.
struct PointedNumbers<'a> {
    p: &'a Program<'a>,
    groups: &'a Groups,
    variables: HashMap<(usize, SymId), Vec<ExprId>>,
}

fn pointed_numbers<'a>(p: &'a Program, groups: &'a Groups) -> PointedNumbers<'a> {
    let mut variables: HashMap<(usize, SymId), Vec<ExprId>> = HashMap::new();
    for (unit, u) in p.units.iter().enumerate() {
        let mut put = |s: SymId, e: ExprId| {
            if leads_to_numbers(u, s) {
                variables.entry((unit, s)).or_default().push(e);
            }
        };
        for x in &u.exprs {
            if let ExprKind::Assign { op: None, lhs, rhs } = x.kind {
                if let ExprKind::Ident(s) = u.expr(lhs).kind {
                    put(s, rhs);
                }
            }
        }
        for f in &u.functions {
            visit_decls(u, Node::Stmt(f.body), &mut |d, _| {
                for v in &d.vars {
                    let exprs = v.init.iter();
                    exprs.for_each(|i| init_exprs(i, &mut |e| put(v.sym, e)));
                }
            });
        }
    }
    PointedNumbers {
        p,
        groups,
        variables,
    }
}

fn leads_to_numbers(u: &Unit, s: SymId) -> bool {
    match u.ty(u.sym(s).ty.ty) {
        Type::Pointer(q) => matches!(u.ty(q.ty), Type::Int(_) | Type::Void),
        _ => false,
    }
}

/// What has been looked at: a variable, or what the calls of a group are given.
#[derive(PartialEq, Eq, Hash)]
enum Seen {
    Variable(usize, SymId),
    Handed(GroupId, usize),
}

impl PointedNumbers<'_> {
    /// The variables and members that a pointer may lead to.
    fn leads(
        &self,
        (unit, e): (usize, ExprId),
        seen: &mut HashSet<Seen>,
        ends: &mut HashSet<NumberPlace>,
    ) {
        let u = &self.p.units[unit];
        let e = strip_casts(u, e);
        match u.expr(e).kind {
            ExprKind::AddrOf(of) if is_number(u, of) => ends.extend(named(unit, u, of)),
            ExprKind::Ident(s) if seen.insert(Seen::Variable(unit, s)) => {
                for from in self.variables.get(&(unit, s)).into_iter().flatten() {
                    self.leads((unit, *from), seen, ends);
                }
                self.arguments(unit, s, seen, ends);
            }
            ExprKind::Cond { then, els, .. } => {
                let both = then.into_iter().chain([els]);
                both.for_each(|x| self.leads((unit, x), seen, ends));
            }
            _ => {}
        }
    }

    /// What a parameter is called with.
    fn arguments(
        &self,
        unit: usize,
        s: SymId,
        seen: &mut HashSet<Seen>,
        ends: &mut HashSet<NumberPlace>,
    ) {
        let u = &self.p.units[unit];
        let of = u.sym(s).func.filter(|_| leads_to_numbers(u, s));
        let Some(f) = of else { return };
        let Some(i) = u.func(f).params.iter().position(|x| *x == s) else {
            return;
        };
        for g in self.groups.of(self.p.id(unit, f)) {
            if seen.insert(Seen::Handed(*g, i)) {
                for (unit, call) in self.groups.sites(*g) {
                    if let Some(a) = args(self.p, *unit, *call).get(i) {
                        self.leads((*unit, *a), seen, ends);
                    }
                }
            }
        }
    }
}

/// A loop's condition, step and body.
fn counts(u: &Unit, s: StmtId) -> Option<(ExprId, Option<ExprId>, StmtId)> {
    match u.stmt(s).kind {
        StmtKind::While { cond, body } | StmtKind::DoWhile { body, cond } => {
            Some((cond, None, body))
        }
        StmtKind::For {
            cond, step, body, ..
        } => Some((cond?, step, body)),
        _ => None,
    }
}

/// The variables that a loop counts up, what its condition compares one of them with, and what is false when that ends it.
fn counted(
    u: &Unit,
    cond: ExprId,
    step: Option<ExprId>,
    body: StmtId,
) -> Vec<(SymId, ExprId, ExprId)> {
    use BinOp::*;
    let mut stepped = HashSet::new();
    step.into_iter().for_each(|e| steps(u, e, &mut stepped));
    let list = match &u.stmt(body).kind {
        StmtKind::Block(list) => list.as_slice(),
        _ => std::slice::from_ref(&body),
    };
    for s in list {
        if let StmtKind::Expr(Some(e)) = u.stmt(*s).kind {
            steps(u, e, &mut stepped);
        }
    }
    let mut bound = None;
    visit(u, Node::Expr(cond), &mut |n| {
        let Node::Expr(e) = n else { return true };
        if let ExprKind::Binary { op, lhs, rhs } = u.expr(e).kind {
            let (a, b) = (strip_casts(u, lhs), strip_casts(u, rhs));
            let counter = |e: ExprId| match u.expr(e).kind {
                ExprKind::Ident(s) => stepped.contains(&s),
                ExprKind::Unary { arg, .. } => {
                    let mut own = HashSet::new();
                    steps(u, e, &mut own);
                    matches!(u.expr(arg).kind, ExprKind::Ident(_)) && !own.is_empty()
                }
                _ => false,
            };
            match op {
                Lt | Le | Ne if counter(a) && is_number(u, a) => bound = Some((rhs, e)),
                Gt | Ge | Ne if counter(b) && is_number(u, b) => bound = Some((lhs, e)),
                _ => {}
            }
        }
        true
    });
    let Some((bound, compared)) = bound else {
        return Vec::new();
    };
    let by = match conjuncts(u, cond).contains(&compared) {
        true => compared,
        false => cond,
    };
    steps(u, cond, &mut stepped);
    stepped.into_iter().map(|s| (s, bound, by)).collect()
}

/// What must all be true for a condition to be.
fn conjuncts(u: &Unit, cond: ExprId) -> Vec<ExprId> {
    match u.expr(cond).kind {
        ExprKind::Binary {
            op: BinOp::LogAnd,
            lhs,
            rhs,
        } => [conjuncts(u, lhs), conjuncts(u, rhs)].concat(),
        _ => vec![cond],
    }
}

/// Numbers that an expression counts up, whatever else it does.
fn steps(u: &Unit, e: ExprId, found: &mut HashSet<SymId>) {
    visit(u, Node::Expr(e), &mut |n| {
        let Node::Expr(e) = n else { return true };
        let what = match u.expr(e).kind {
            ExprKind::Unary {
                op: UnOp::PreInc | UnOp::PostInc,
                arg,
            } => arg,
            ExprKind::Assign {
                op: Some(BinOp::Add),
                lhs,
                rhs,
            } if u.view().eval(rhs).is_some() => lhs,
            _ => return true,
        };
        if let (ExprKind::Ident(s), true) = (&u.expr(what).kind, is_number(u, what)) {
            found.insert(*s);
        }
        true
    });
}

/// Is a variable used behind the loop, before it gets another value?
fn used_behind(u: &Unit, f: &Function, s: SymId, end: u32) -> bool {
    if u.sym(s).is_global || u.sym(s).storage == Storage::Static {
        return true;
    }
    let mut behind = Vec::new();
    let mut anew = HashSet::new();
    visit(u, Node::Stmt(f.body), &mut |n| {
        let Node::Expr(e) = n else { return true };
        let x = u.expr(e);
        match x.kind {
            ExprKind::Assign { op: None, lhs, .. } => _ = anew.insert(lhs),
            ExprKind::Ident(i) if i == s && x.span.start >= end => behind.push((x.span.start, e)),
            _ => {}
        }
        true
    });
    let first = behind.iter().min_by_key(|b| b.0);
    first.is_some_and(|(_, e)| !anew.contains(e))
}
