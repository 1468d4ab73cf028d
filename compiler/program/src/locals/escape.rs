//! Which locals have addresses that outlive the expression they are taken in.
//!
//! An address may be dereferenced, compared, or handed to a function that does not keep it; if it
//! flows anywhere else the object needs a stable place: the shadow stack.  For parameters of the
//! program's own functions the answer is a summary, found by iteration: a parameter is kept if it is
//! stored, returned, handed on to something that keeps it, or needed after a point.

use crate::callgraph::CallGraph;
use crate::cfg::{self, Cfg};
use crate::groups::GroupId;
use crate::liveness::{self, Liveness};
use crate::points::{PointAt, Points};
use crate::program::{is_local, Callee, FnId, Program};
use crate::tables;
use crate::walk::{visit, Node};
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

pub struct Escapes {
    /// Per function: locals and parameters whose address escapes.
    pub escaping: Vec<HashSet<SymId>>,
    /// Per function: locals whose address is taken at all.
    pub taken: Vec<HashSet<SymId>>,
    /// Compound literals whose address escapes.
    pub literals: Vec<HashSet<ExprId>>,
    /// Per function and parameter: kept beyond the call?
    pub kept: Vec<Vec<bool>>,
    /// Likewise: compared with another address?
    pub compared: Vec<Vec<bool>>,
}

/// Where the value of an expression goes.
#[derive(Clone, Copy)]
enum Flow {
    /// Used on the spot.
    Direct,
    /// As that, to tell it from another address.
    Compared,
    /// Assigned to this variable.
    Var(SymId),
    Away,
    Arg(GroupId, usize),
}

impl Flow {
    fn stays(self) -> bool {
        matches!(self, Flow::Direct | Flow::Compared)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Source {
    Local(FnId, SymId),
    Literal(FnId, ExprId),
    Param(FnId, usize),
    /// What the calls of a group are given.
    Handed(GroupId, usize),
}

pub fn analyse(p: &Program, g: &CallGraph, points: &[Points]) -> Escapes {
    let mut w = Walker {
        p,
        g,
        f: FnId(0),
        away: HashSet::new(),
        compared: HashSet::new(),
        edges: HashMap::new(),
        handed: HashSet::new(),
        taken: vec![HashSet::new(); p.fns.len()],
    };
    for f in p.ids() {
        w.f = f;
        w.function();
        if !points[f.index()].is_empty() {
            let cfg = cfg::build(p.unit(f), p.func(f));
            let live = liveness::analyse(&cfg);
            w.params_across_points(&cfg, &live, &points[f.index()]);
        }
    }
    // A source that reaches a kept parameter is kept itself, and so it is with compared ones.
    for set in [&mut w.away, &mut w.compared] {
        let mut todo: Vec<Source> = set.iter().copied().collect();
        while let Some(s) = todo.pop() {
            for from in w.edges.get(&s).into_iter().flatten() {
                if set.insert(*from) {
                    todo.push(*from);
                }
            }
        }
    }
    let none = || p.ids().map(|f| vec![false; p.func(f).params.len()]);
    let mut r = Escapes {
        escaping: vec![HashSet::new(); p.fns.len()],
        taken: w.taken,
        literals: vec![HashSet::new(); p.fns.len()],
        kept: none().collect(),
        compared: none().collect(),
    };
    for s in w.away {
        match s {
            Source::Local(f, x) => {
                r.escaping[f.index()].insert(x);
            }
            Source::Literal(f, e) => {
                r.literals[f.index()].insert(e);
            }
            Source::Param(f, i) => r.kept[f.index()][i] = true,
            Source::Handed(..) => {}
        }
    }
    for s in w.compared {
        if let Source::Param(f, i) = s {
            r.compared[f.index()][i] = true;
        }
    }
    r
}

struct Walker<'a> {
    p: &'a Program<'a>,
    g: &'a CallGraph,
    f: FnId,
    away: HashSet<Source>,
    compared: HashSet<Source>,
    /// Parameter → what flows into it.
    edges: HashMap<Source, Vec<Source>>,
    /// Groups and arguments that have their edges.
    handed: HashSet<(GroupId, usize)>,
    taken: Vec<HashSet<SymId>>,
}

impl<'a> Walker<'a> {
    fn u(&self) -> &'a Unit {
        self.p.unit(self.f)
    }

    fn function(&mut self) {
        self.stmt(self.p.func(self.f).body);
    }

    fn params_across_points(&mut self, cfg: &Cfg, live: &Liveness, points: &Points) {
        let params = &self.p.func(self.f).params;
        for (i, s) in params.iter().enumerate() {
            let bit = cfg.index[s];
            let in_expr = live.after.iter().any(|(e, b)| {
                points.in_expr(*e)
                    && (b.contains(bit) || used_after_point(self.u(), *e, *s, points))
            });
            let at_location = live
                .after_location
                .iter()
                .any(|(st, b)| points.in_stmt(*st) && b.contains(bit));
            if in_expr || at_location {
                self.away.insert(Source::Param(self.f, i));
            }
        }
    }

    fn note(&mut self, s: Source, to: Flow) {
        match to {
            Flow::Direct => {}
            Flow::Compared => _ = self.compared.insert(s),
            Flow::Away => {
                self.away.insert(s);
            }
            Flow::Var(v) => {
                let own = match s {
                    Source::Param(f, i) => self.p.func(f).params[i] == v,
                    _ => false,
                };
                if !own {
                    self.away.insert(s);
                }
            }
            Flow::Arg(group, i) => {
                let handed = Source::Handed(group, i);
                if self.handed.insert((group, i)) {
                    for t in self.g.groups.functions(group) {
                        if i < self.p.func(*t).params.len() {
                            let param = Source::Param(*t, i);
                            self.edges.entry(param).or_default().push(handed);
                        } else {
                            self.away.insert(handed);
                        }
                    }
                }
                self.edges.entry(handed).or_default().push(s);
            }
        }
    }

    fn is_array(&self, e: ExprId) -> bool {
        matches!(self.u().ty(self.u().expr(e).ty.ty), Type::Array { .. })
    }

    /// The value of `e` flows to `to`.
    fn value(&mut self, e: ExprId, to: Flow) {
        use ExprKind::*;
        let u = self.u();
        match &u.expr(e).kind {
            Ident(s) => {
                if self.is_array(e) {
                    self.address(e, to);
                } else if let Some(i) = self.p.func(self.f).params.iter().position(|x| x == s) {
                    self.note(Source::Param(self.f, i), to);
                }
            }
            AddrOf(x) => self.address(*x, to),
            Deref(x) => self.through(*x, if self.is_array(e) { to } else { Flow::Direct }),
            Index { .. } | Member { .. } => {
                let array = self.is_array(e);
                self.address(e, if array { to } else { Flow::Direct });
            }
            Cast { arg, .. } => {
                self.lengths(e);
                self.value(*arg, to);
            }
            Binary { op, lhs, rhs } => {
                let inner = match op {
                    BinOp::Add | BinOp::Sub | BinOp::And | BinOp::Or | BinOp::Xor => to,
                    _ => Flow::Direct,
                };
                let both = self.is_pointer(*lhs) && self.is_pointer(*rhs);
                let inner = match both {
                    true if op.compares() => Flow::Compared,
                    true => Flow::Direct,
                    false => inner,
                };
                self.value(*lhs, inner);
                self.value(*rhs, inner);
            }
            Cond { cond, then, els } => {
                match then {
                    Some(t) => {
                        self.value(*cond, Flow::Direct);
                        self.value(*t, to);
                    }
                    None => self.value(*cond, to),
                }
                self.value(*els, to);
            }
            Comma(list) => {
                for (i, x) in list.iter().enumerate() {
                    self.value(
                        *x,
                        if i + 1 == list.len() {
                            to
                        } else {
                            Flow::Direct
                        },
                    );
                }
            }
            Assign { op, lhs, rhs } => {
                self.address(*lhs, Flow::Direct);
                let into = match (u.expr(*lhs).kind.clone(), op) {
                    (Ident(s), _) => Flow::Var(s),
                    (_, None) => Flow::Away,
                    // `*p += q`: an offset, not an address.
                    (_, Some(_)) => Flow::Away,
                };
                self.value(*rhs, into);
                // The value of the assignment is that of its left side.
                if let Ident(_) = u.expr(*lhs).kind {
                    self.value(*lhs, to);
                }
            }
            Unary { op, arg } => match op {
                UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec => {
                    self.address(*arg, Flow::Direct);
                    if let Ident(_) = u.expr(*arg).kind {
                        self.value(*arg, to);
                    }
                }
                _ => self.value(*arg, Flow::Direct),
            },
            Call { callee, args } => self.call(e, *callee, args, to),
            CompoundLit { init, .. } => {
                if self.is_array(e) {
                    self.note(Source::Literal(self.f, e), to);
                }
                self.init(init, Flow::Away);
            }
            StmtExpr(s) => self.stmt_expr(*s, to),
            VaArg { list, .. } => self.address(*list, Flow::Direct),
            Generic { chosen, .. } => self.value(*chosen, to),
            Int(_) | Float | Str { .. } | SizeofExpr(_) | Alignof | LabelAddr(_) | Builtin => {}
            SizeofType(_) | Offsetof { .. } => self.lengths(e),
        }
    }

    /// Lengths that a type name computes.
    fn lengths(&mut self, e: ExprId) {
        for len in crate::walk::written_lengths(self.u(), e) {
            self.value(len, Flow::Direct);
        }
    }

    /// `e` is dereferenced.  An address that is chosen at run time may be held in a temporary across a point.
    fn through(&mut self, e: ExprId, to: Flow) {
        let mut x = e;
        while let ExprKind::Cast { arg, .. } = self.u().expr(x).kind {
            x = arg;
        }
        let chosen = matches!(
            self.u().expr(x).kind,
            ExprKind::Cond { .. } | ExprKind::StmtExpr(_) | ExprKind::Comma(_)
        );
        self.value(e, if chosen && to.stays() { Flow::Away } else { to });
    }

    fn is_pointer(&self, e: ExprId) -> bool {
        matches!(
            self.u().ty(self.u().expr(e).ty.ty),
            Type::Pointer(_) | Type::Array { .. }
        )
    }

    /// The address of lvalue `e` flows to `to`.
    fn address(&mut self, e: ExprId, to: Flow) {
        use ExprKind::*;
        let u = self.u();
        match &u.expr(e).kind {
            Ident(s) => {
                if is_local(u.sym(*s)) {
                    if !to.stays() {
                        self.taken[self.f.index()].insert(*s);
                        if let Some(i) = self.p.func(self.f).params.iter().position(|x| x == s) {
                            // Whoever has the parameter's address can read it.
                            self.away.insert(Source::Param(self.f, i));
                        }
                    }
                    self.note(Source::Local(self.f, *s), to);
                }
            }
            Member { base, arrow, .. } => {
                if *arrow {
                    self.through(*base, to);
                } else {
                    self.address(*base, to);
                }
            }
            Index { base, index } => {
                // `a[i]` and `i[a]` alike.
                let (b, i) = if self.is_pointer(*base) || is_vector(u, *base) {
                    (*base, *index)
                } else {
                    (*index, *base)
                };
                match is_vector(u, b) {
                    true => self.address(b, to),
                    false => self.through(b, to),
                }
                self.value(i, Flow::Direct);
            }
            Deref(p) => self.through(*p, to),
            CompoundLit { init, .. } => {
                self.note(Source::Literal(self.f, e), to);
                self.init(init, Flow::Away);
            }
            Unary {
                op: UnOp::Real | UnOp::Imag,
                arg,
            } => self.address(*arg, to),
            Generic { chosen, .. } => self.address(*chosen, to),
            _ => self.value(e, to),
        }
    }

    fn call(&mut self, e: ExprId, callee: ExprId, args: &'a [ExprId], to: Flow) {
        let u = self.u();
        let (p, g) = (self.p, self.g);
        let unit = p.fns[self.f.index()].0;
        match p.direct(unit, callee) {
            Some((_, Callee::External(name))) => {
                self.value(callee, Flow::Direct);
                let returns_pointer = matches!(u.ty(u.expr(e).ty.ty), Type::Pointer(_));
                for (i, a) in args.iter().enumerate() {
                    // strtol and its like store one argument through another.
                    let stored = args
                        .iter()
                        .enumerate()
                        .any(|(j, b)| j != i && self.points_to_pointer(*b))
                        && !tables::is_mpi(&name);
                    let into = if p.keeps_pointers(&name) || (stored && self.is_pointer(*a)) {
                        Flow::Away
                    } else if returns_pointer {
                        to
                    } else {
                        Flow::Direct
                    };
                    self.value(*a, into);
                    // Taking an address for a call makes the variable's value change there.
                    self.mark_taken(*a);
                }
            }
            _ => {
                self.value(callee, Flow::Direct);
                let group = g.groups.of_call(unit, e);
                let known = group.filter(|id| !g.groups.functions(*id).is_empty());
                for (i, a) in args.iter().enumerate() {
                    self.value(*a, known.map_or(Flow::Away, |id| Flow::Arg(id, i)));
                    self.mark_taken(*a);
                }
            }
        }
    }

    fn mark_taken(&mut self, a: ExprId) {
        let u = self.u();
        let f = self.f.index();
        let taken = &mut self.taken;
        visit(u, Node::Expr(a), &mut |n| {
            if let Node::Expr(x) = n {
                if let ExprKind::AddrOf(y) = &u.expr(x).kind {
                    let mut y = *y;
                    // `&p[i]` takes the address of an array's element, but none of a pointer.
                    let part = |e: ExprId| {
                        matches!(u.ty(u.expr(e).ty.ty), Type::Array { .. }) || is_vector(u, e)
                    };
                    loop {
                        match u.expr(y).kind {
                            ExprKind::Member {
                                base, arrow: false, ..
                            } => y = base,
                            ExprKind::Index { base, .. } if part(base) => y = base,
                            ExprKind::Index { index, .. } if part(index) => y = index,
                            ExprKind::Unary {
                                op: UnOp::Real | UnOp::Imag,
                                arg,
                            }
                            | ExprKind::Generic { chosen: arg, .. } => y = arg,
                            _ => break,
                        }
                    }
                    if let ExprKind::Ident(s) = u.expr(y).kind {
                        taken[f].insert(s);
                    }
                }
            }
            true
        });
    }

    /// A pointer (not `const`) to pointers to data.
    fn points_to_pointer(&self, e: ExprId) -> bool {
        let u = self.u();
        match u.ty(u.expr(e).ty.ty) {
            Type::Pointer(q) | Type::Array { elem: q, .. } => {
                !q.is_const
                    && matches!(u.ty(q.ty), Type::Pointer(t) if !matches!(u.ty(t.ty), Type::Function { .. }))
            }
            _ => false,
        }
    }

    fn init(&mut self, i: &'a Init, to: Flow) {
        match i {
            Init::Expr(e) => self.value(*e, to),
            Init::List { items, .. } => items.iter().for_each(|x| self.init(&x.value, to)),
        }
    }

    fn decl(&mut self, d: &'a DeclGroup) {
        for v in &d.vars {
            v.vla_lens.iter().for_each(|x| self.value(*x, Flow::Direct));
            if let Some(i) = &v.init {
                self.init(i, Flow::Var(v.sym));
            }
        }
    }

    fn stmt_expr(&mut self, s: StmtId, to: Flow) {
        let u = self.u();
        let StmtKind::Block(list) = &u.stmt(s).kind else {
            return self.stmt(s);
        };
        for (i, x) in list.iter().enumerate() {
            match &u.stmt(*x).kind {
                StmtKind::Expr(Some(e)) if i + 1 == list.len() => self.value(*e, to),
                _ => self.stmt(*x),
            }
        }
    }

    fn stmt(&mut self, s: StmtId) {
        let u = self.u();
        match &u.stmt(s).kind {
            StmtKind::Decl(d) => self.decl(d),
            StmtKind::Return(Some(e)) => self.value(*e, Flow::Away),
            StmtKind::Asm(list) => {
                for e in list {
                    self.mark_taken(*e);
                    self.value(*e, Flow::Away);
                }
            }
            StmtKind::For {
                init: ForInit::Decl(d),
                cond,
                step,
                body,
            } => {
                self.decl(d);
                cond.iter()
                    .chain(step)
                    .for_each(|e| self.value(*e, Flow::Direct));
                self.stmt(*body);
            }
            _ => {
                let mut list = Vec::new();
                crate::walk::stmt_children(u, s, &mut |c| list.push(c));
                for c in list {
                    match c {
                        Node::Expr(e) => self.value(e, Flow::Direct),
                        Node::Stmt(x) => self.stmt(x),
                    }
                }
            }
        }
    }
}

/// Is the variable named where its value may be used after a point in the expression?  Not if each
/// mention lies within each of the calls that are points: all of them come later.
fn used_after_point(u: &Unit, e: ExprId, s: SymId, points: &Points) -> bool {
    let whole = &u.expr(e).span;
    let inside = |a: &Span, b: &Span| b.start <= a.start && a.end <= b.end;
    let mut any = false;
    visit(u, Node::Expr(e), &mut |x| {
        if let Node::Expr(x) = x {
            if matches!(u.expr(x).kind, ExprKind::Ident(y) if y == s) {
                let at = &u.expr(x).span;
                let mut list = points.list.iter().filter(|p| inside(&p.span, whole));
                any |= list.any(|p| matches!(p.at, PointAt::Location(_)) || !inside(at, &p.span));
            }
        }
        true
    });
    any
}

/// Its elements are parts of it, as an array's are of that.
pub(crate) fn is_vector(u: &Unit, e: ExprId) -> bool {
    matches!(u.ty(u.expr(e).ty.ty), Type::Vector { .. })
}
