//! What will be done to each function: its points, what each of them saves, what lives on the
//! shadow stack, which names change.

use crate::rewrite::frames::variables::is_cleaned;
use pc3_program::bits::Bits;
use pc3_program::callgraph::CallGraph;
use pc3_program::cfg::{self, Cfg};
use pc3_program::escape::Escapes;
use pc3_program::linear::{Ctx, Linear, Needed, Root, TempTy};
use pc3_program::liveness::{self, Liveness};
use pc3_program::moved_parameters::{self, Move, MovedBy};
use pc3_program::points::{self, Point, PointAt, Points};
use pc3_program::program::{is_local, FnId, Program};
use pc3_program::scope::{self, Scopes};
use pc3_program::variadic::{self, Variadic};
use pc3_program::walk::{runtime_lengths, visit, visit_decls, Node};
use pc3_syntax::tree::*;
use pc3_unions::tracking::{contains, TrackedUnions};
use std::collections::{BTreeSet, HashMap, HashSet};

#[derive(Default)]
pub struct Plan {
    pub points: Points,
    pub linear: HashMap<Root, Linear>,
    pub temps: Vec<TempTy>,
    /// Per label - 1.
    pub live: Vec<Live>,
    /// Locals on the shadow stack, in declaration order.
    pub shadow: Vec<SymId>,
    pub shadow_set: HashSet<SymId>,
    /// Locals that get another name in both clones.
    pub renamed: HashMap<SymId, String>,
    /// Locals that get a value where they are declared, because a saver may see them before their first.
    pub zeroed: HashSet<SymId>,
    /// VLAs or alloca: blocks on the shadow stack, given back with the frame's struct.
    pub blocks: bool,
    pub uses_alloca: bool,
    /// Compound literals on the shadow stack.
    pub literals: Vec<ExprId>,
    /// Restored in the resume clone: may not be `const` there.
    pub restored: HashSet<SymId>,
    /// main's third parameter: a restart has an environment of its own.
    pub environment: Option<SymId>,
    /// Variable arguments come in memory.
    pub packed: bool,
    /// Calls of functions of that kind.
    pub packed_calls: Vec<ExprId>,
    /// Labels of the calls of `setjmp`.
    pub jumps: Vec<u32>,
    /// Those in larger expressions.
    pub bad_jumps: Vec<u32>,
    /// Point and call of `setjmp` whose block has ended there: not armed again.
    pub ended: HashSet<(u32, u32)>,
}

impl Plan {
    /// Something of the frame lies on the shadow stack.
    pub(crate) fn has_frame(&self) -> bool {
        !self.has_no_members() || self.blocks
    }
    pub(crate) fn has_no_members(&self) -> bool {
        self.shadow.is_empty() && self.literals.is_empty() && self.packed_calls.is_empty()
    }
}

#[derive(Clone, Default, Debug)]
pub struct Live {
    pub vars: Vec<SymId>,
    pub temps: Vec<usize>,
    /// They hold other values than in gcc's order, so they have other names.
    pub left_to_right: bool,
    /// Lengths, computed by then, of the type that is being declared.
    pub lengths: Vec<ExprId>,
    /// Parameters among `vars` that have been moved, and by what.
    pub moved: HashMap<SymId, MovedBy>,
}

pub fn make(p: &Program, g: &CallGraph, noted: &TrackedUnions) -> (Vec<Plan>, Escapes) {
    let all: Vec<Points> = p.ids().map(|f| points::analyse(p, g, f, false)).collect();
    let mut escapes = pc3_program::escape::analyse(p, g, &all);
    // Notes are by address.
    for f in p.ids().filter(|f| !all[f.index()].is_empty()) {
        let (u, set) = (p.unit(f), noted.of(p.fns[f.index()].0));
        let func = p.func(f);
        let locals = func.locals.iter().chain(&func.params).copied();
        let kept = locals.filter(|s| is_local(u.sym(*s)) && contains(u, set, u.sym(*s).ty.ty));
        escapes.escaping[f.index()].extend(kept);
    }
    let variadic = variadic::analyse(p, g);
    let mut plans = Vec::new();
    for (f, points) in p.ids().zip(all) {
        plans.push(function(p, g, f, points, &escapes, &variadic));
    }
    (plans, escapes)
}

fn function(
    p: &Program,
    g: &CallGraph,
    f: FnId,
    all: Points,
    escapes: &Escapes,
    variadic: &Variadic,
) -> Plan {
    if all.is_empty() {
        return Plan::default();
    }
    let u = p.unit(f);
    let func = p.func(f);
    let scopes = scope::analyse(u, func);
    let mut shadow: Vec<SymId> = escapes.escaping[f.index()]
        .iter()
        .copied()
        .filter(|s| !is_vla(u, *s) && all.list.iter().any(|q| scopes.visible(*s, q.span.start)))
        .collect();
    let own_lists = crate::rewrite::frames::variables::named_in_own_list(u, func, &all);
    shadow.extend(own_lists.iter().filter(|s| is_local(u.sym(**s))));
    // A loop header's variables move together.
    crate::rewrite::frames::variables::close_headers(u, func, &mut shadow);
    shadow.sort();
    shadow.dedup();
    let literals = crate::rewrite::frames::variables::kept_literals(
        u,
        func,
        &escapes.literals[f.index()],
        &all,
    );
    let packed = variadic.packed.contains(&f);
    let packed_calls = variadic.calls.get(&f).cloned().unwrap_or_default();
    let frame_free = shadow.is_empty()
        && literals.is_empty()
        && !packed
        && packed_calls.is_empty()
        && !func.locals.iter().any(|s| is_cleaned(u.sym(*s)))
        && !has_blocks(u, func);
    let points = if frame_free {
        points::analyse(p, g, f, true)
    } else {
        all
    };
    if points.is_empty() {
        // Its callers need to know of its tail calls.
        return Plan {
            points,
            ..Plan::default()
        };
    }
    let shadow_set: HashSet<SymId> = shadow.iter().copied().collect();
    let flow = cfg::build(u, func);
    let live = liveness::analyse(&flow);
    let (ctx, otherwise) = taken_apart(u, func, &points, escapes, f);
    let mut plan = Plan {
        literals,
        packed,
        packed_calls,
        shadow,
        shadow_set,
        linear: ctx.linear,
        temps: ctx.temps,
        blocks: has_blocks(u, func),
        uses_alloca: calls_alloca(u, func),
        ..Plan::default()
    };
    let taken = &escapes.taken[f.index()];
    let moves = moved_parameters::analyse(u, func, taken);
    let at_points = AtPoints {
        u,
        points: &points,
        scopes: &scopes,
        flow: &flow,
        live: &live,
        home: homes(&live, &points),
        needed: &ctx.needed,
        otherwise,
        moves: &moves,
        environment: environment(u, func, taken),
        declarators: declarators(u, func),
        kept_until_the_end: kept_until_the_end(u, func),
    };
    for point in &points.list {
        let live = at_points.live(point, &mut plan);
        plan.live.push(live);
    }
    plan.points = points;
    plan
}

/// Full expressions in the order of the compiler, and the points at which other values are held in the other order.
fn taken_apart<'a>(
    u: &'a Unit,
    func: &'a Function,
    points: &'a Points,
    escapes: &'a Escapes,
    f: FnId,
) -> (Ctx<'a>, HashSet<u32>) {
    let in_order = |left_to_right: bool| {
        let mut ctx = Ctx::new(
            u,
            func,
            points,
            (&escapes.escaping[f.index()], &escapes.taken[f.index()]),
            left_to_right,
        );
        ctx.stmt(func.body, &Needed::default());
        ctx
    };
    let ctx = in_order(u.target.left_to_right);
    let otherwise = match u.target.left_to_right {
        true => ctx.differing(&in_order(false)),
        false => HashSet::new(),
    };
    (ctx, otherwise)
}

/// Which full expression each point belongs to: the outermost one that the control flow knows.
fn homes(live: &Liveness, points: &Points) -> HashMap<u32, ExprId> {
    let mut home = HashMap::new();
    for e in live.after.keys() {
        if let Some((a, b)) = points.exprs.get(e) {
            (*a..=*b).for_each(|l| {
                home.insert(l, *e);
            });
        }
    }
    home
}

/// Where a function's variables are declared: those with an initialiser, and the types of those whose length is computed.
#[derive(Default)]
struct Declarators {
    initialised: Vec<(SymId, Span)>,
    sized: Vec<(QualType, Span)>,
}

fn declarators(u: &Unit, func: &Function) -> Declarators {
    let mut out = Declarators::default();
    visit_decls(u, Node::Stmt(func.body), &mut |d, _| {
        let lengths = d.vars.iter().filter(|v| !v.vla_lens.is_empty());
        out.sized
            .extend(lengths.map(|v| (u.sym(v.sym).ty, v.span.clone())));
        let inits = d.vars.iter().filter(|v| v.init.is_some());
        out.initialised
            .extend(inits.map(|v| (v.sym, v.span.clone())));
    });
    out
}

/// Blocks of variable length, which are stacked on those around them, and what cleanup functions look at when its
/// block ends.
fn kept_until_the_end(u: &Unit, func: &Function) -> Vec<SymId> {
    let mut kept = func.locals.clone();
    kept.retain(|s| is_vla(u, *s) || is_cleaned(u.sym(*s)));
    kept
}

/// What decides what a point saves.
struct AtPoints<'a> {
    u: &'a Unit,
    points: &'a Points,
    scopes: &'a Scopes,
    flow: &'a Cfg,
    live: &'a Liveness,
    home: HashMap<u32, ExprId>,
    needed: &'a HashMap<u32, Needed>,
    /// Points at which clang's order holds other values.
    otherwise: HashSet<u32>,
    moves: &'a HashMap<SymId, Move>,
    environment: Option<SymId>,
    declarators: Declarators,
    kept_until_the_end: Vec<SymId>,
}

impl AtPoints<'_> {
    /// What a point saves.
    fn live(&self, point: &Point, plan: &mut Plan) -> Live {
        let (u, at) = (self.u, point.span.start);
        let need = self.needed.get(&point.label).cloned().unwrap_or_default();
        if let PointAt::Jump(_) = point.at {
            plan.jumps.push(point.label);
            if !need.temps.is_empty() {
                plan.bad_jumps.push(point.label);
            }
            return Live::default();
        }
        let (mut vars, unset) = self.needed_behind(point);
        vars.extend(need.syms);
        let kept = self.kept_until_the_end.iter().copied();
        vars.extend(kept.filter(|s| self.scopes.declared(*s, at)));
        let moved = moved_before(self.moves, at, &vars);
        vars.extend(moved.values().filter_map(|by| match by {
            MovedBy::Local(v) => Some(*v),
            MovedBy::Elements(_) => None,
        }));
        self.ended(point, &vars, plan);
        // What a point in its own initialiser could see of a variable is not declared yet.
        let declared_here = |s: &SymId| {
            let mut all = self.declarators.initialised.iter();
            all.any(|(v, span)| v == s && span.start <= at && at < span.end)
        };
        vars.retain(|s| {
            is_local(u.sym(*s))
                && !plan.shadow_set.contains(s)
                && self.scopes.visible(*s, at)
                && !declared_here(s)
        });
        if let Some(e) = self.environment.filter(|e| vars.remove(e)) {
            plan.environment = Some(e);
        }
        for s in &vars {
            plan.restored.insert(*s);
            let index = self.flow.index.get(s);
            let perhaps_unset = unset.is_none_or(|b| index.is_some_and(|i| b.contains(*i)));
            if perhaps_unset && u.sym(*s).kind == SymKind::Var {
                plan.zeroed.insert(*s);
            }
        }
        rename_hidden(
            u,
            self.scopes,
            vars.iter().chain(&plan.shadow),
            at,
            &mut plan.renamed,
        );
        let mut lengths = Vec::new();
        for (ty, span) in &self.declarators.sized {
            if span.contains(&at) {
                runtime_lengths(u, *ty, &mut lengths);
            }
        }
        lengths.retain(|e| u.expr(*e).span.end <= at);
        Live {
            lengths,
            vars: vars.into_iter().collect(),
            temps: need.temps.into_iter().collect(),
            left_to_right: self.otherwise.contains(&point.label),
            moved,
        }
    }

    /// Variables that what follows reads, and which variables may be without a value.
    fn needed_behind(&self, point: &Point) -> (BTreeSet<SymId>, Option<&Bits>) {
        let live = self.live;
        let all = |b: &Bits| b.iter().map(|i| self.flow.vars[i]).collect();
        match (self.home.get(&point.label), point.at) {
            (Some(e), _) => {
                let mut vars: BTreeSet<SymId> = all(&live.after[e]);
                if let Some(a) = live.assigns.get(e) {
                    vars.remove(a);
                }
                (vars, live.unset.get(e))
            }
            (None, PointAt::Location(s)) => match live.after_location.get(&s) {
                Some(b) => (all(b), live.unset_location.get(&s)),
                None => (BTreeSet::new(), None),
            },
            _ => (BTreeSet::new(), None),
        }
    }

    /// Variables that have ended here and that a jump leads back to.
    fn ended(&self, point: &Point, vars: &BTreeSet<SymId>, plan: &mut Plan) {
        let jumps = || {
            let all = self.points.list.iter();
            all.filter(|p| matches!(p.at, PointAt::Jump(_)))
        };
        let visible = |s: &SymId, p: &Point| self.scopes.visible(*s, p.span.start);
        let gone = |s: &&SymId| is_local(self.u.sym(**s)) && !visible(s, point);
        for s in vars.iter().filter(gone) {
            let sites = jumps().filter(|p| visible(s, p));
            plan.ended.extend(sites.map(|p| (point.label, p.label)));
        }
    }
}

/// Is a local variable of a function part of a checkpoint?
pub fn saved<'a>(
    p: &'a Program,
    plans: &'a [Plan],
) -> impl Fn(usize, FuncId, SymId) -> bool + Sync + 'a {
    |unit, f, s| {
        let plan = &plans[p.id(unit, f).index()];
        plan.shadow_set.contains(&s) || plan.live.iter().any(|l| l.vars.contains(&s))
    }
}

/// main's third parameter, if nothing is assigned to it.
fn environment(u: &Unit, f: &Function, taken: &HashSet<SymId>) -> Option<SymId> {
    let s = f.params.get(2).copied()?;
    if u.sym(f.sym).name != "main" || taken.contains(&s) {
        return None;
    }
    let mut fixed = true;
    visit(u, Node::Stmt(f.body), &mut |n| {
        if let Node::Expr(e) = n {
            let target = match &u.expr(e).kind {
                ExprKind::Assign { lhs, .. } => *lhs,
                ExprKind::Unary {
                    op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                    arg,
                } => *arg,
                _ => return true,
            };
            fixed &= !matches!(u.expr(target).kind, ExprKind::Ident(x) if x == s);
        }
        true
    });
    fixed.then_some(s)
}

fn moved_before(
    moves: &HashMap<SymId, Move>,
    at: u32,
    live: &BTreeSet<SymId>,
) -> HashMap<SymId, MovedBy> {
    let here = moves
        .iter()
        .filter(|(p, m)| m.from <= at && live.contains(p));
    here.map(|(p, m)| (*p, m.by)).collect()
}

fn rename_hidden<'s>(
    u: &Unit,
    scopes: &Scopes,
    vars: impl Iterator<Item = &'s SymId>,
    at: u32,
    renamed: &mut HashMap<SymId, String>,
) {
    for s in vars {
        if scopes.of(*s).is_some() && scopes.hidden(u, *s, at) {
            renamed.insert(*s, format!("pc3_{}_{}", u.sym(*s).name, s.0));
        }
    }
}

pub fn is_vla(u: &Unit, s: SymId) -> bool {
    matches!(u.ty(u.sym(s).ty.ty), Type::Array { .. }) && variable_length(u, u.sym(s).ty.ty)
}

fn variable_length(u: &Unit, t: TypeId) -> bool {
    match u.ty(t) {
        Type::Array { elem, len } => matches!(len, ArrayLen::Vla(_)) || variable_length(u, elem.ty),
        _ => false,
    }
}

/// VLAs or alloca: blocks to give back on return.
pub fn has_blocks(u: &Unit, f: &Function) -> bool {
    f.locals.iter().any(|s| is_vla(u, *s)) || calls_alloca(u, f)
}

pub(crate) fn is_alloca(s: &Symbol) -> bool {
    s.kind == SymKind::Func
        && matches!(s.name.as_str(), "alloca" | "__builtin_alloca")
        && s.is_global
}

fn calls_alloca(u: &Unit, f: &Function) -> bool {
    let mut any = false;
    visit(u, Node::Stmt(f.body), &mut |n| {
        if let Node::Expr(e) = n {
            if let ExprKind::Ident(s) = u.expr(e).kind {
                any |= is_alloca(u.sym(s));
            }
        }
        true
    });
    any
}
