//! The whole program's call graph: which functions can reach a checkpoint location.
//!
//! A call through a pointer may reach every function whose address is taken, whose signature has the same shape and
//! that conversions bring to the pointer's type ([`crate::signatures`]); one through a parameter, what the callers pass, where that is known.  A library function that is handed a function which can reach a location would
//! call it from a frame that cannot be unwound: refused.  Where the author says that no checkpoint is taken below a function, it reaches none.  Below handlers of signals and at the end the runtime passes locations by: told.

use crate::groups::{GroupId, Groups};
use crate::pointers::{Pointers, PointsTo};
use crate::program::{base_name, Callee, FnId, Program};
use crate::signatures::{self, Signatures};
use crate::tables;
use crate::walk::{strip_casts, visit, Node};
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics};
use pc3_syntax::tree::*;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

pub struct CallSite {
    pub expr: ExprId,
    pub to: GroupId,
}

pub struct CallGraph {
    /// Per function, its calls of defined functions in source order.
    pub calls: Vec<Vec<CallSite>>,
    /// What the calls may reach.
    pub groups: Groups,
    pub address_taken: BTreeSet<FnId>,
    /// Library functions whose address is taken, per unit.
    pub external_taken: Vec<BTreeSet<SymId>>,
    /// Functions from which a location can be reached.
    pub reaches: Vec<bool>,
    /// Functions that come to locations and pass them by, with all that they call.
    pub passing: HashSet<FnId>,
    /// Functions whose locations do not count under `--checkpoint-everywhere`: called back by libraries,
    /// or such that hold what no checkpoint can.
    pub muted: Vec<bool>,
    /// Library functions that are given functions to call which reach a location.
    pub called_back: HashSet<String>,
    pub diagnostics: Diagnostics,
    /// Groups from which a location can be reached.
    points: Vec<bool>,
    shapes: HashMap<FnId, Shape>,
}

/// The shape of a function type: enough to exclude what no cast would make callable.
type Shape = Option<(char, Option<Vec<char>>)>;

fn shape(u: &Unit, t: TypeId) -> Shape {
    let class = |q: &QualType| match u.ty(q.ty) {
        Type::Void => 'v',
        Type::Bool | Type::Int(_) | Type::Enum(_) => 'i',
        Type::Float(_) => 'd',
        Type::Complex(_) | Type::ComplexInt(_) => 'c',
        Type::Record(_) => 'r',
        Type::Pointer(_) | Type::Array { .. } | Type::Function { .. } => 'p',
        _ => 'o',
    };
    match u.ty(t) {
        Type::Function {
            ret,
            params,
            prototype,
            variadic,
        } => {
            let p = (*prototype && !*variadic).then(|| params.iter().map(class).collect());
            Some((class(ret), p))
        }
        Type::Pointer(q) => shape(u, q.ty),
        _ => None,
    }
}

/// The shape as text.
pub(crate) fn rough(u: &Unit, t: TypeId) -> String {
    format!("{:?}", shape(u, t))
}

fn fits(call: &Shape, def: &Shape) -> bool {
    match (call, def) {
        (Some((r1, p1)), Some((r2, p2))) => {
            // A void call may well discard a result.
            (r1 == r2 || *r1 == 'v' || *r2 == 'v')
                && match (p1, p2) {
                    (Some(a), Some(b)) => a == b,
                    _ => true,
                }
        }
        _ => true,
    }
}

/// Is it the name of a nested function?
fn nested(u: &Unit, callee: ExprId) -> bool {
    matches!(u.expr(callee).kind, ExprKind::Ident(s) if matches!(u.ty(u.sym(s).ty.ty), Type::Function { .. }))
}

struct External {
    caller: FnId,
    span: Span,
    name: String,
    targets: Vec<GroupId>,
}

/// Functions that pointers may mean, by the pointers' types.
struct Like<'a> {
    p: &'a Program<'a>,
    signatures: Signatures,
    shapes: &'a HashMap<FnId, Shape>,
    address_taken: &'a BTreeSet<FnId>,
    known: HashMap<(usize, TypeId), GroupId>,
    /// Functions that may be wherever their types fit.
    escaped: &'a HashSet<FnId>,
    groups: Groups,
}

impl Like<'_> {
    fn group(&mut self, unit: usize, ty: TypeId) -> GroupId {
        if let Some(id) = self.known.get(&(unit, ty)) {
            return *id;
        }
        let u = &self.p.units[unit];
        let want = shape(u, ty);
        let leading = self.signatures.leading(unit, u, ty);
        let taken = self.address_taken.iter().copied();
        let list = taken.filter(|t| {
            fits(&want, &self.shapes[t]) && leading.as_ref().is_none_or(|l| l.contains(t))
        });
        let id = self.groups.group(list.collect());
        self.known.insert((unit, ty), id);
        id
    }

    /// What a pointer of this type means of which more than that is known.
    fn meant(&mut self, unit: usize, ty: TypeId, meant: &PointsTo) -> GroupId {
        let mut all = meant.functions.clone();
        if meant.in_memory && !self.escaped.is_empty() {
            let like = self.group(unit, ty);
            let more = self.groups.functions(like).iter().copied();
            all.extend(more.filter(|f| self.escaped.contains(f)));
            all.sort();
            all.dedup();
        }
        self.groups.group(all)
    }

    /// Functions that the argument `a` of a library call may stand for.
    fn callbacks(&mut self, unit: usize, a: ExprId) -> Option<GroupId> {
        let u = &self.p.units[unit];
        match &u.expr(a).kind {
            ExprKind::AddrOf(x) => {
                // The address of a variable that holds one is nothing that is called.
                let is_function = matches!(u.ty(u.expr(*x).ty.ty), Type::Function { .. });
                return is_function.then(|| self.callbacks(unit, strip_casts(u, *x)))?;
            }
            ExprKind::Ident(s) if u.sym(*s).kind == SymKind::Func => {
                return match self.p.resolve(unit, *s) {
                    Callee::Defined(f) => Some(self.groups.group(vec![f])),
                    Callee::External(_) => None,
                };
            }
            _ => {}
        }
        match u.ty(u.expr(a).ty.ty) {
            Type::Pointer(q) if matches!(u.ty(q.ty), Type::Function { .. }) => {
                Some(self.group(unit, q.ty))
            }
            _ => None,
        }
    }
}

pub fn analyse(p: &Program, everywhere: bool) -> CallGraph {
    let (address_taken, external_taken) = address_taken(p);
    let shapes: HashMap<FnId, _> = address_taken
        .iter()
        .map(|f| (*f, shape(p.unit(*f), p.unit(*f).sym(p.func(*f).sym).ty.ty)))
        .collect();

    let called_elsewhere = |f: &FnId| {
        let outside = !p.is_static(*f) && p.is_used_outside(p.name(*f));
        outside || p.name(*f) == "main" || address_taken.contains(f)
    };
    let called_elsewhere = p.ids().filter(called_elsewhere).collect();
    let signatures = signatures::analyse(p);
    let pointers = Pointers::new(p, &signatures, &called_elsewhere);
    let mut like = Like {
        p,
        signatures,
        shapes: &shapes,
        address_taken: &address_taken,
        known: HashMap::new(),
        escaped: &pointers.escaped,
        groups: Groups::default(),
    };
    let mut calls = Vec::new();
    let mut locations = Vec::new();
    let mut externals = Vec::new();
    for f in p.ids() {
        let (list, has_location) = calls_of(p, f, &pointers, &mut like, &mut externals);
        for c in &list {
            like.groups.call(p.fns[f.index()].0, c.expr, c.to);
        }
        calls.push(list);
        locations.push(has_location);
    }
    let groups = like.groups;
    let muted = match everywhere {
        true => muted(p, &calls, &groups, &externals),
        false => vec![false; p.fns.len()],
    };
    let own: Vec<bool> = locations
        .iter()
        .zip(&muted)
        .map(|(l, m)| *l && !*m)
        .collect();
    let (reaches, points) = reaching(p, &own, &calls, &groups);
    let passing = p.ids().filter(|f| {
        let comes = |c: &CallSite| points[c.to.index()];
        p.is_passing(*f) && (own[f.index()] || calls[f.index()].iter().any(comes))
    });
    let passing = passing.collect();
    let path = Path {
        p,
        calls: &calls,
        groups: &groups,
        locations: &locations,
        reaches: &reaches,
    };
    let (called_back, diagnostics) = called_back(&externals, &path);
    CallGraph {
        calls,
        groups,
        address_taken,
        external_taken,
        reaches,
        passing,
        muted,
        called_back,
        diagnostics,
        points,
        shapes,
    }
}

/// Functions whose names stand anywhere but in front of a call's parentheses: the program's, and of each unit the others.
fn address_taken(p: &Program) -> (BTreeSet<FnId>, Vec<BTreeSet<SymId>>) {
    let mut own = BTreeSet::new();
    let mut external = vec![BTreeSet::new(); p.units.len()];
    for (i, u) in p.units.iter().enumerate() {
        let mut called = HashSet::new();
        for e in &u.exprs {
            if let ExprKind::Call { callee, .. } = &e.kind {
                let mut c = *callee;
                while let ExprKind::Deref(a) | ExprKind::AddrOf(a) = &u.expr(c).kind {
                    c = *a;
                }
                called.insert(c);
            }
        }
        for (k, e) in u.exprs.iter().enumerate() {
            let ExprKind::Ident(s) = &e.kind else {
                continue;
            };
            if u.sym(*s).kind != SymKind::Func || called.contains(&ExprId(k as u32)) {
                continue;
            }
            match p.resolve(i, *s) {
                Callee::Defined(f) => own.insert(f),
                Callee::External(_) => external[i].insert(*s),
            };
        }
    }
    (own, external)
}

/// The calls of a function, and has it a location? Calls of functions that are not the program's, with functions as arguments,
/// come to `externals`.
fn calls_of(
    p: &Program,
    f: FnId,
    pointers: &Pointers,
    like: &mut Like,
    externals: &mut Vec<External>,
) -> (Vec<CallSite>, bool) {
    let (unit, u) = (p.fns[f.index()].0, p.unit(f));
    let mut list = Vec::new();
    let mut has_location = false;
    visit(u, Node::Stmt(p.func(f).body), &mut |n| {
        if p.is_replaced(f) {
            return false;
        }
        let e = match n {
            Node::Stmt(s) => {
                has_location |= matches!(u.stmt(s).kind, StmtKind::Checkpoint);
                return true;
            }
            Node::Expr(e) => e,
        };
        let ExprKind::Call { callee, args } = &u.expr(e).kind else {
            return true;
        };
        match p.direct(unit, *callee) {
            Some((_, Callee::Defined(t))) => {
                let to = like.groups.group(vec![t]);
                list.push(CallSite { expr: e, to });
            }
            Some((_, Callee::External(name))) => {
                let mut targets = Vec::new();
                for a in args {
                    targets.extend(match pointers.functions(unit, *a) {
                        Some(known) => {
                            let ty = u.expr(strip_casts(u, *a)).ty.ty;
                            Some(like.meant(unit, ty, &known))
                        }
                        None => like.callbacks(unit, strip_casts(u, *a)),
                    });
                }
                if !targets.is_empty() {
                    externals.push(External {
                        caller: f,
                        span: u.expr(e).span.clone(),
                        name,
                        targets,
                    });
                }
            }
            // What it calls is found where it stands.
            None if nested(u, *callee) => {}
            None => {
                let ty = u.expr(*callee).ty.ty;
                let to = match pointers.functions(unit, *callee) {
                    Some(known) => like.meant(unit, ty, &known),
                    None => like.group(unit, ty),
                };
                list.push(CallSite { expr: e, to });
            }
        }
        true
    });
    (list, has_location)
}

/// Library functions that may call back what reaches a location, and what is said of each.
fn called_back(externals: &[External], path: &Path) -> (HashSet<String>, Diagnostics) {
    let mut names = HashSet::new();
    let mut diagnostics = Diagnostics::default();
    let mut told = HashSet::new();
    for x in externals {
        let mut all = x.targets.iter().flat_map(|g| path.groups.functions(*g));
        if let Some(t) = all.find(|t| path.reaches[t.index()]) {
            names.insert(x.name.clone());
            let said = called_by(path.p, x, *t, path);
            // Of a handler for many signals once.
            if said.code == Code::Callback || told.insert(*t) {
                diagnostics.push(said);
            }
        }
    }
    (names, diagnostics)
}

/// Functions whose locations do not count, and all that they call.
fn muted(
    p: &Program,
    calls: &[Vec<CallSite>],
    groups: &Groups,
    externals: &[External],
) -> Vec<bool> {
    let mut muted = vec![false; p.fns.len()];
    let mut seen = vec![false; groups.count()];
    let mut todo: Vec<FnId> = Vec::new();
    let mut through = |g: GroupId, todo: &mut Vec<FnId>| {
        if !std::mem::replace(&mut seen[g.index()], true) {
            todo.extend(groups.functions(g));
        }
    };
    for x in externals {
        x.targets.iter().for_each(|g| through(*g, &mut todo));
    }
    todo.extend(p.ids().filter(|f| crate::quiet::is_quiet(p, *f)));
    while let Some(f) = todo.pop() {
        if !std::mem::replace(&mut muted[f.index()], true) {
            for c in &calls[f.index()] {
                through(c.to, &mut todo);
            }
        }
    }
    muted
}

/// From which functions, and by which groups, locations are reached; `own`: functions that have some.
fn reaching(
    p: &Program,
    own: &[bool],
    calls: &[Vec<CallSite>],
    groups: &Groups,
) -> (Vec<bool>, Vec<bool>) {
    let mut points = vec![false; groups.count()];
    let mut reaches: Vec<bool> = p
        .ids()
        .map(|f| own[f.index()] && !p.is_passing(f))
        .collect();
    let mut callers: Vec<Vec<FnId>> = vec![Vec::new(); groups.count()];
    for (f, list) in calls.iter().enumerate() {
        list.iter()
            .for_each(|c| callers[c.to.index()].push(FnId(f as u32)));
    }
    let all = (0..reaches.len() as u32).map(FnId);
    let mut todo: Vec<FnId> = all.filter(|f| reaches[f.index()]).collect();
    while let Some(f) = todo.pop() {
        for g in groups.of(f) {
            if std::mem::replace(&mut points[g.index()], true) {
                continue;
            }
            for caller in &callers[g.index()] {
                if !p.is_passing(*caller) && !std::mem::replace(&mut reaches[caller.index()], true)
                {
                    todo.push(*caller);
                }
            }
        }
    }
    (reaches, points)
}

/// How functions come to locations.
struct Path<'a> {
    p: &'a Program<'a>,
    calls: &'a [Vec<CallSite>],
    groups: &'a Groups,
    locations: &'a [bool],
    reaches: &'a [bool],
}

impl Path<'_> {
    /// The shortest way, in words; of a function that has a location itself none are needed.
    fn from(&self, start: FnId) -> String {
        let mut before: HashMap<FnId, FnId> = HashMap::new();
        let mut seen: HashSet<GroupId> = HashSet::new();
        let mut todo = VecDeque::from([start]);
        while let Some(f) = todo.pop_front() {
            if self.locations[f.index()] {
                let mut list = vec![f];
                while let Some(up) = list.last().and_then(|f| before.get(f)) {
                    list.push(*up);
                }
                return self.call_path(list);
            }
            for c in &self.calls[f.index()] {
                if !seen.insert(c.to) {
                    continue;
                }
                for t in self.groups.functions(c.to) {
                    let new = *t != start && !before.contains_key(t);
                    if new && self.reaches[t.index()] {
                        before.insert(*t, f);
                        todo.push_back(*t);
                    }
                }
            }
        }
        String::new()
    }

    /// From the last function up.
    fn call_path(&self, list: Vec<FnId>) -> String {
        const SHOWN: usize = 6;
        if list.len() < 2 {
            return String::new();
        }
        let mut names: Vec<String> = list.iter().rev().skip(1).map(|f| self.step(*f)).collect();
        if names.len() > SHOWN {
            let left = names.len() - SHOWN;
            names.splice(SHOWN / 2..SHOWN / 2 + left, [format!("{left} more")]);
        }
        format!(" (through {})", names.join(", "))
    }

    fn step(&self, f: FnId) -> String {
        let (u, s) = (self.p.unit(f), self.p.unit(f).sym(self.p.func(f).sym));
        let at = u.lines.position(s.decls.last().map_or(0, |d| d.start));
        format!("`{}` at {}:{}", s.name, base_name(&at.file), at.line)
    }
}

/// What is said of a function that reaches a location and is given to the library.
fn called_by(p: &Program, x: &External, t: FnId, path: &Path) -> Diagnostic {
    let (name, way) = (p.name(t), path.from(t));
    let librarys = p.is_librarys(&x.name);
    let when = match x.name.as_str() {
        "signal" | "bsd_signal" | "ssignal" | "sysv_signal" | "__sysv_signal" | "sigset" => {
            "handles a signal"
        }
        "atexit" | "on_exit" => "is called at the end",
        "pthread_create" | "thrd_create" if librarys => "runs in another thread",
        // `pthread_key_create` as our library's unit means it: for threads that are no ranks.
        "native_create" if pc3_libc::is_own(&p.unit(x.caller).path) => "is called where another thread ends",
        mpi if librarys && tables::is_mpi(mpi) => "is called by MPI",
        _ => return Diagnostic::refusal(
            p.unit(x.caller),
            &x.span,
            Code::Callback,
            format!("`{name}` can reach a checkpoint location{way} but is called back by the library function `{}`", x.name),
            format!("a library function's frame cannot be saved: move the checkpoint location out of the callback, or say `#pragma pc3 no checkpoint below {name}`: locations there are passed by"),
        ),
    };
    // What one of the library's units calls is told where it stands itself.
    let (u, at) = match pc3_libc::is_own(&p.unit(x.caller).path) {
        true => (p.unit(t), p.unit(t).sym(p.func(t).sym).decls.last()),
        false => (p.unit(x.caller), Some(&x.span)),
    };
    Diagnostic::advice(
        u,
        at.unwrap_or(&p.func(t).span),
        Code::LocationPostponed,
        format!(
            "`{name}` can reach a checkpoint location{way} and {when}: no checkpoint is taken there"
        ),
        "the next location outside of it takes the checkpoint: nothing to do where there is one",
    )
}

impl CallGraph {
    /// Can the call lead to a location?
    pub(crate) fn is_point(&self, site: &CallSite) -> bool {
        self.points[site.to.index()]
    }

    /// What a call may reach.
    pub fn targets(&self, site: &CallSite) -> &[FnId] {
        self.groups.functions(site.to)
    }

    /// Can this call of a unit lead to a location?
    pub fn is_point_at(&self, unit: usize, call: ExprId) -> bool {
        let group = self.groups.of_call(unit, call);
        group.is_some_and(|g| self.points[g.index()])
    }

    /// A function that reaches a location and that a pointer to this type may mean.
    pub fn reaching_like(&self, u: &Unit, function: TypeId) -> Option<FnId> {
        let want = shape(u, function);
        let mut like = self.address_taken.iter().copied();
        like.find(|f| self.reaches[f.index()] && fits(&want, &self.shapes[f]))
    }

    pub fn to_text(&self, p: &Program) -> String {
        let mut out = String::new();
        for f in p.ids() {
            let mut names: Vec<&str> = self.calls[f.index()]
                .iter()
                .flat_map(|c| self.targets(c))
                .map(|t| p.name(*t))
                .collect();
            names.dedup();
            let mark = if self.reaches[f.index()] { "*" } else { "" };
            out += &format!("{}{mark}: {}\n", p.name(f), names.join(" "));
        }
        out
    }
}
