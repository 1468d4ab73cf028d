//! Full expressions that contain points, taken apart.
//!
//! `a[i] + f(x) * g(y)` becomes
//! ```text
//! t1 = a[i];  t2 = f(x) [point 1];  t3 = g(y) [point 2];   value: t1 + t2 * t3
//! ```
//! Only what is evaluated before a point and could change until it is used goes to a temporary.  The
//! order is the compiler's, so that a sequential program computes what the plain build computes.  gcc's: operands
//! left to right, except that a plain variable before an operand with effects of a commutative operator
//! comes second (see [`super::commuted`]), and so does an offset or index before its address; the right side of an
//! assignment before its left side, unless it is a plain call stored as it is; arguments right to left.  clang's: all
//! left to right, but for the right side of an assignment, unless structs are assigned.  Hot and resume clone are
//! printed from the same list.

use super::commuted::{commuted, Target};
use super::linearise::Builder;
use crate::initialiser::in_order;
use crate::points::Points;
use crate::walk::{visit, Node};
use pc3_syntax::tree::*;
use std::collections::{BTreeSet, HashMap, HashSet};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TempTy {
    Value(QualType),
    /// A decayed array (its element) or function.
    PointerTo(QualType),
    /// An integer without a name: kept in a `long long`, used as the type of the expression it stands for.
    Odd,
    /// `int`: truth values and promoted bit-fields.
    Int,
}

#[derive(Clone, Debug)]
pub enum Cond {
    Expr(ExprId),
    Temp(usize),
    NotTemp(usize),
}

#[derive(Clone, Debug)]
pub enum Op {
    /// `t = expr`
    Eval {
        temp: usize,
        expr: ExprId,
    },
    /// `t = (expr) != 0`
    Truth {
        temp: usize,
        expr: ExprId,
    },
    Copy {
        temp: usize,
        from: usize,
    },
    /// `(void)expr`
    Do(ExprId),
    Point {
        label: u32,
        call: ExprId,
        temp: Option<usize>,
    },
    If {
        cond: Cond,
        then: Vec<Op>,
        els: Vec<Op>,
    },
    /// A user's statement expression with points in its statements.
    Block {
        stmt: StmtId,
        temp: Option<usize>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subst {
    Temp(usize),
    /// Its effects have happened and it has no value.
    Nothing,
}

/// What a linearised full expression is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Root {
    Expr(ExprId),
    /// The braced initialiser of a variable.
    Init(SymId),
}

#[derive(Clone, Debug, Default)]
pub struct Linear {
    pub ops: Vec<Op>,
    pub subst: HashMap<ExprId, Subst>,
}

/// What is needed after a point, besides what is live after the full expression.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Needed {
    pub syms: BTreeSet<SymId>,
    pub temps: BTreeSet<usize>,
}

pub struct Ctx<'a> {
    pub u: &'a Unit,
    pub points: &'a Points,
    /// Locals that may change under a call.
    pub escaping: &'a HashSet<SymId>,
    pub taken: &'a HashSet<SymId>,
    /// See [`value_statements`].
    pub values: HashSet<StmtId>,
    /// As clang evaluates; else in gcc's order.
    pub left_to_right: bool,
    /// What the function returns.
    result: Target,
    pub temps: Vec<TempTy>,
    /// Of each temporary, what it has the value of.
    pub origins: Vec<ExprId>,
    pub linear: HashMap<Root, Linear>,
    /// Per label.
    pub needed: HashMap<u32, Needed>,
}

impl<'a> Ctx<'a> {
    /// `escaping`, `taken`: of the function.
    pub fn new(
        u: &'a Unit,
        func: &Function,
        points: &'a Points,
        (escaping, taken): (&'a HashSet<SymId>, &'a HashSet<SymId>),
        left_to_right: bool,
    ) -> Self {
        let result = match u.ty(u.sym(func.sym).ty.ty) {
            Type::Function { ret, .. } => Target::Type(ret.ty),
            _ => Target::None,
        };
        Ctx {
            u,
            points,
            escaping,
            taken,
            values: value_statements(u, func),
            left_to_right,
            result,
            temps: Vec::new(),
            origins: Vec::new(),
            linear: HashMap::new(),
            needed: HashMap::new(),
        }
    }

    /// What the temporaries that are needed at a point have the values of.
    fn held(&self, label: u32) -> Vec<ExprId> {
        let temps = self.needed.get(&label).into_iter().flat_map(|n| &n.temps);
        temps.map(|t| self.origins[*t]).collect()
    }

    /// Points at which other values are held than in the other order.
    pub fn differing(&self, other: &Ctx) -> HashSet<u32> {
        let labels = self.needed.keys().copied();
        labels.filter(|l| self.held(*l) != other.held(*l)).collect()
    }

    /// Takes the full expression apart.  `outer`: what an enclosing statement expression needs afterwards.
    fn full(&mut self, root: Root, exprs: &[ExprId], used: bool, target: Target, outer: &Needed) {
        let commuted = exprs.iter().flat_map(|e| commuted(self.u, *e, target));
        let mut b = Builder {
            modified: modified(self.u, exprs),
            commuted: commuted.collect(),
            c: self,
            subst: HashMap::new(),
        };
        let mut ops = Vec::new();
        match exprs {
            [e] => b.expr(*e, used, &mut ops),
            list => b.sequence(list, &mut ops),
        }
        let subst = b.subst;
        let mut needed = outer.clone();
        for e in exprs {
            // A discarded temporary is not needed.
            if used || !subst.contains_key(e) {
                self.reads(*e, &subst, true, &mut needed);
            }
        }
        self.backward(&ops, &subst, &mut needed);
        self.linear.insert(root, Linear { ops, subst });
    }

    fn backward(&mut self, ops: &[Op], subst: &HashMap<ExprId, Subst>, live: &mut Needed) {
        for op in ops.iter().rev() {
            match op {
                Op::Eval { temp, expr } => {
                    live.temps.remove(temp);
                    let own = subst.get(expr) == Some(&Subst::Temp(*temp));
                    self.reads(*expr, subst, !own, live);
                }
                Op::Truth { temp, expr } => {
                    live.temps.remove(temp);
                    self.reads(*expr, subst, true, live);
                }
                Op::Copy { temp, from } => {
                    live.temps.remove(temp);
                    live.temps.insert(*from);
                }
                Op::Do(e) => self.reads(*e, subst, false, live),
                Op::Point { label, call, temp } => {
                    if let Some(t) = temp {
                        live.temps.remove(t);
                    }
                    self.needed.insert(*label, live.clone());
                    self.reads(*call, subst, false, live);
                }
                Op::If { cond, then, els } => {
                    let mut other = live.clone();
                    self.backward(then, subst, live);
                    self.backward(els, subst, &mut other);
                    live.syms.extend(other.syms);
                    live.temps.extend(other.temps);
                    match cond {
                        Cond::Expr(e) => self.reads(*e, subst, true, live),
                        Cond::Temp(t) | Cond::NotTemp(t) => {
                            live.temps.insert(*t);
                        }
                    }
                }
                Op::Block { stmt, temp } => {
                    if let Some(t) = temp {
                        live.temps.remove(t);
                    }
                    // Statements inside may be left and come back to in any order: all they name is needed.
                    visit(self.u, Node::Stmt(*stmt), &mut |n| {
                        if let Node::Expr(x) = n {
                            if let ExprKind::Ident(s) = self.u.expr(x).kind {
                                live.syms.insert(s);
                            }
                        }
                        true
                    });
                    self.stmt(*stmt, live);
                }
            }
        }
    }

    /// Adds what evaluating `e` reads. `whole`: a substitution of `e` itself counts.
    fn reads(&self, e: ExprId, subst: &HashMap<ExprId, Subst>, whole: bool, out: &mut Needed) {
        if whole {
            match subst.get(&e) {
                Some(Subst::Temp(t)) => {
                    out.temps.insert(*t);
                    return;
                }
                Some(Subst::Nothing) => return,
                None => {}
            }
        }
        match &self.u.expr(e).kind {
            ExprKind::Ident(s) => {
                out.syms.insert(*s);
            }
            ExprKind::Assign { op: None, lhs, rhs } => {
                if !matches!(self.u.expr(*lhs).kind, ExprKind::Ident(_)) {
                    self.reads(*lhs, subst, true, out);
                }
                self.reads(*rhs, subst, true, out);
            }
            ExprKind::SizeofExpr(x) => {
                if let Type::Array {
                    len: ArrayLen::Vla(_),
                    ..
                } = self.u.ty(self.u.expr(*x).ty.ty)
                {
                    self.reads(*x, subst, true, out);
                }
            }
            _ => {
                let mut list = Vec::new();
                crate::walk::expr_children(self.u, e, &mut |c| list.push(c));
                for c in list {
                    match c {
                        Node::Expr(x) => self.reads(x, subst, true, out),
                        Node::Stmt(s) => {
                            visit(self.u, Node::Stmt(s), &mut |n| {
                                if let Node::Expr(x) = n {
                                    if let ExprKind::Ident(s) = self.u.expr(x).kind {
                                        out.syms.insert(s);
                                    }
                                }
                                true
                            });
                        }
                    }
                }
            }
        }
    }

    /// All full expressions with points in a statement (of a function body or statement expression).
    pub fn stmt(&mut self, s: StmtId, outer: &Needed) {
        if !self.points.in_stmt(s) {
            return;
        }
        let u = self.u;
        use StmtKind::*;
        match &u.stmt(s).kind {
            Expr(Some(e)) => self.one(*e, self.values.contains(&s) && !is_void(u, *e), outer),
            Return(Some(e)) => self.converted(*e, !is_void(u, *e), self.result, outer),
            Decl(d) => self.decl(d, outer),
            Block(list) => list.iter().for_each(|x| self.stmt(*x, outer)),
            If { cond, then, els } => {
                self.converted(*cond, true, Target::Truth, outer);
                self.stmt(*then, outer);
                els.iter().for_each(|x| self.stmt(*x, outer));
            }
            Switch { cond, body } => {
                self.one(*cond, true, outer);
                self.stmt(*body, outer);
            }
            While { cond, body } | DoWhile { body, cond } => {
                self.converted(*cond, true, Target::Truth, outer);
                self.stmt(*body, outer);
            }
            For {
                init,
                cond,
                step,
                body,
            } => {
                match init {
                    ForInit::None => {}
                    ForInit::Expr(e) => self.one(*e, false, outer),
                    ForInit::Decl(d) => self.decl(d, outer),
                }
                cond.iter()
                    .for_each(|e| self.converted(*e, true, Target::Truth, outer));
                step.iter().for_each(|e| self.one(*e, false, outer));
                self.stmt(*body, outer);
            }
            Case { stmt, .. } | Default(stmt) | Label { stmt, .. } => self.stmt(*stmt, outer),
            GotoComputed(e) => self.one(*e, true, outer),
            Checkpoint => {
                if let Some((label, _)) = self.points.stmts.get(&s) {
                    self.needed.insert(*label, outer.clone());
                }
            }
            _ => {}
        }
    }

    fn one(&mut self, e: ExprId, used: bool, outer: &Needed) {
        self.converted(e, used, Target::None, outer);
    }

    fn converted(&mut self, e: ExprId, used: bool, target: Target, outer: &Needed) {
        if self.points.in_expr(e) {
            self.full(Root::Expr(e), &[e], used, target, outer);
        }
    }

    fn decl(&mut self, d: &DeclGroup, outer: &Needed) {
        let u = self.u;
        for v in &d.vars {
            v.vla_lens.iter().for_each(|e| self.one(*e, true, outer));
            match &v.init {
                Some(Init::Expr(e)) => {
                    self.converted(*e, true, Target::Type(u.sym(v.sym).ty.ty), outer)
                }
                Some(list) => {
                    let exprs = in_order(u, u.sym(v.sym).ty, list);
                    if exprs.iter().any(|e| self.points.in_expr(*e)) {
                        self.full(Root::Init(v.sym), &exprs, true, Target::None, outer);
                    }
                }
                None => {}
            }
        }
    }
}

pub(super) fn is_void(u: &Unit, e: ExprId) -> bool {
    matches!(u.ty(u.expr(e).ty.ty), Type::Void)
}

/// Statements whose value is the value of a statement expression; elsewhere values are discarded.
pub fn value_statements(u: &Unit, f: &Function) -> HashSet<StmtId> {
    let mut set = HashSet::new();
    visit(u, Node::Stmt(f.body), &mut |n| {
        if let Node::Expr(x) = n {
            if let ExprKind::StmtExpr(b) = &u.expr(x).kind {
                if let StmtKind::Block(list) = &u.stmt(*b).kind {
                    set.extend(list.last());
                }
            }
        }
        true
    });
    set
}

/// Variables that the expressions assign.
pub(super) fn modified(u: &Unit, exprs: &[ExprId]) -> HashSet<SymId> {
    let mut set = HashSet::new();
    for e in exprs {
        visit(u, Node::Expr(*e), &mut |n| {
            if let Node::Expr(x) = n {
                let target = match &u.expr(x).kind {
                    ExprKind::Assign { lhs, .. } => Some(*lhs),
                    ExprKind::Unary {
                        op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                        arg,
                    } => Some(*arg),
                    ExprKind::AddrOf(a) => Some(*a),
                    _ => None,
                };
                set.extend(target.and_then(|t| crate::untouched::root(u, t)));
            }
            true
        });
    }
    set
}
