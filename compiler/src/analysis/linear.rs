//! Full expressions that contain points, taken apart.
//!
//! `a[i] + f(x) * g(y)` becomes
//! ```text
//! t1 = a[i];  t2 = f(x) [point 1];  t3 = g(y) [point 2];   value: t1 + t2 * t3
//! ```
//! Only what is evaluated before a point and could change until it is used goes to a temporary.  The
//! order is gcc's, so that a sequential program computes what the plain build computes: operands left to
//! right, except that a plain variable before an operand with effects of a commutative operator
//! comes second; the right side of an assignment before its left side, unless it is a plain call stored as it
//! is; arguments right to left.  Hot and resume clone are printed from the same list.

use super::initialiser::in_order;
use super::points::Points;
use super::walk::{visit, Node};
use crate::tree::*;
use std::collections::{BTreeSet, HashMap, HashSet};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TempTy {
    Value(QualType),
    /// A decayed array (its element) or function.
    PointerTo(QualType),
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
    pub temps: Vec<TempTy>,
    pub linear: HashMap<Root, Linear>,
    /// Per label.
    pub needed: HashMap<u32, Needed>,
}

impl<'a> Ctx<'a> {
    /// Takes the full expression apart.  `outer`: what an enclosing statement expression needs afterwards.
    pub fn full(&mut self, root: Root, exprs: &[ExprId], used: bool, outer: &Needed) {
        let mut b = Builder {
            modified: modified(self.u, exprs),
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
                super::walk::expr_children(self.u, e, &mut |c| list.push(c));
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
            Return(Some(e)) => self.one(*e, !is_void(u, *e), outer),
            Decl(d) => self.decl(d, outer),
            Block(list) => list.iter().for_each(|x| self.stmt(*x, outer)),
            If { cond, then, els } => {
                self.one(*cond, true, outer);
                self.stmt(*then, outer);
                els.iter().for_each(|x| self.stmt(*x, outer));
            }
            While { cond, body } | Switch { cond, body } | DoWhile { body, cond } => {
                self.one(*cond, true, outer);
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
                cond.iter().for_each(|e| self.one(*e, true, outer));
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
        if self.points.in_expr(e) {
            self.full(Root::Expr(e), &[e], used, outer);
        }
    }

    fn decl(&mut self, d: &DeclGroup, outer: &Needed) {
        let u = self.u;
        for v in &d.vars {
            v.vla_lens.iter().for_each(|e| self.one(*e, true, outer));
            match &v.init {
                Some(Init::Expr(e)) => self.one(*e, true, outer),
                Some(list) => {
                    let exprs = in_order(u, u.sym(v.sym).ty, list);
                    if exprs.iter().any(|e| self.points.in_expr(*e)) {
                        self.full(Root::Init(v.sym), &exprs, true, outer);
                    }
                }
                None => {}
            }
        }
    }
}

fn is_void(u: &Unit, e: ExprId) -> bool {
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
fn modified(u: &Unit, exprs: &[ExprId]) -> HashSet<SymId> {
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
                if let Some(mut t) = target {
                    while let ExprKind::Member {
                        base, arrow: false, ..
                    }
                    | ExprKind::Index { base, .. } = &u.expr(t).kind
                    {
                        t = *base;
                    }
                    if let ExprKind::Ident(s) = u.expr(t).kind {
                        set.insert(s);
                    }
                }
            }
            true
        });
    }
    set
}

struct Builder<'c, 'a> {
    c: &'c mut Ctx<'a>,
    modified: HashSet<SymId>,
    subst: HashMap<ExprId, Subst>,
}

impl Builder<'_, '_> {
    fn has(&self, e: ExprId) -> bool {
        self.c.points.in_expr(e)
    }
    fn kind(&self, e: ExprId) -> ExprKind {
        self.c.u.expr(e).kind.clone()
    }

    fn temp(&mut self, ty: TempTy) -> usize {
        self.c.temps.push(ty);
        self.c.temps.len() - 1
    }

    /// The type of a temporary that holds `e`'s value.
    fn value_type(&self, e: ExprId) -> TempTy {
        let u = self.c.u;
        let q = u.expr(e).ty;
        match u.ty(q.ty) {
            Type::Array { elem, .. } => return TempTy::PointerTo(*elem),
            Type::Function { .. } => return TempTy::PointerTo(q),
            _ => {}
        }
        if let ExprKind::Member { base, arrow, name } = &u.expr(e).kind {
            let mut t = u.expr(*base).ty.ty;
            if let (true, Type::Pointer(q)) = (*arrow, u.ty(t)) {
                t = q.ty;
            }
            if let Some(w) = field_width(u, t, name) {
                // A narrow bit-field promotes to int.
                if w < u.target.int_bits
                    || (w == u.target.int_bits
                        && matches!(u.ty(q.ty), Type::Int(k) if u.target.signed(*k)))
                {
                    return TempTy::Int;
                }
            }
        }
        TempTy::Value(q)
    }

    /// Puts the value of `e` into a temporary now.
    fn spill(&mut self, e: ExprId, ops: &mut Vec<Op>) {
        if self.subst.contains_key(&e) || is_void(self.c.u, e) {
            return;
        }
        let temp = self.temp(self.value_type(e));
        ops.push(Op::Eval { temp, expr: e });
        self.subst.insert(e, Subst::Temp(temp));
    }

    /// Operands in the order they are evaluated.
    fn sequence(&mut self, list: &[ExprId], ops: &mut Vec<Op>) {
        let Some(last) = list.iter().rposition(|e| self.has(*e)) else {
            return;
        };
        for (i, e) in list[..=last].iter().enumerate() {
            if self.has(*e) {
                self.expr(*e, true, ops);
            }
            if i < last && !self.stable(*e) {
                self.spill(*e, ops);
            }
        }
    }

    /// After this, evaluating `e` with the substitutions applied passes no point. `used`: its value is wanted.
    fn expr(&mut self, e: ExprId, used: bool, ops: &mut Vec<Op>) {
        use ExprKind::*;
        if !self.has(e) {
            return;
        }
        match self.kind(e) {
            Call { callee, args } => {
                let mut order = vec![callee];
                order.extend(args.iter().rev());
                self.sequence(&order, ops);
                if let Some(label) = self.c.points.calls.get(&e).copied() {
                    let temp =
                        (used && !is_void(self.c.u, e)).then(|| self.temp(self.value_type(e)));
                    ops.push(Op::Point {
                        label,
                        call: e,
                        temp,
                    });
                    self.subst
                        .insert(e, temp.map_or(Subst::Nothing, Subst::Temp));
                }
            }
            Binary {
                op: op @ (BinOp::LogAnd | BinOp::LogOr),
                lhs,
                rhs,
            } => {
                self.expr(lhs, true, ops);
                if self.has(rhs) {
                    let temp = self.temp(TempTy::Int);
                    ops.push(Op::Truth { temp, expr: lhs });
                    let mut then = Vec::new();
                    self.expr(rhs, true, &mut then);
                    then.push(Op::Truth { temp, expr: rhs });
                    let cond = if op == BinOp::LogAnd {
                        self::Cond::Temp(temp)
                    } else {
                        self::Cond::NotTemp(temp)
                    };
                    ops.push(Op::If {
                        cond,
                        then,
                        els: Vec::new(),
                    });
                    self.subst.insert(e, Subst::Temp(temp));
                }
            }
            Binary { op, lhs, rhs } => {
                if self.swapped(op, lhs, rhs, e) {
                    self.sequence(&[rhs, lhs], ops);
                } else {
                    self.sequence(&[lhs, rhs], ops);
                }
            }
            Cond { cond, then, els } => self.conditional(e, cond, then, els, used, ops),
            Comma(list) => {
                let last = list.iter().rposition(|x| self.has(*x)).unwrap_or(0);
                for (i, x) in list[..=last].iter().enumerate() {
                    let wanted = used && i + 1 == list.len();
                    if self.has(*x) {
                        self.expr(*x, wanted, ops);
                    }
                    if i < last || !wanted {
                        if !self.subst.contains_key(x) {
                            ops.push(Op::Do(*x));
                            self.subst.insert(*x, Subst::Nothing);
                        } else if i + 1 < list.len() {
                            self.subst.insert(*x, Subst::Nothing);
                        }
                    }
                }
            }
            Assign { op, lhs, rhs } => match op {
                // gcc computes the address first only for a call stored as it is.
                None if self.direct_store(lhs, rhs) => {
                    if self.has(lhs) {
                        self.expr(lhs, true, ops);
                    }
                    if self.has(rhs) {
                        self.fix_place(lhs, ops);
                        self.expr(rhs, true, ops);
                    }
                }
                _ => {
                    self.expr(rhs, true, ops);
                    if self.has(lhs) {
                        if !self.stable(rhs) {
                            self.spill(rhs, ops);
                        }
                        self.expr(lhs, true, ops);
                    }
                }
            },
            Index { base, index } => self.sequence(&[base, index], ops),
            Member { base: a, .. }
            | AddrOf(a)
            | Deref(a)
            | Unary { arg: a, .. }
            | Cast { arg: a, .. } => self.expr(a, true, ops),
            Generic { chosen, .. } => self.expr(chosen, used, ops),
            VaArg { list, .. } => self.expr(list, true, ops),
            CompoundLit { init, ty } => {
                let list = in_order(self.c.u, ty, &init);
                self.sequence(&list, ops);
            }
            StmtExpr(stmt) => {
                let temp = (used && !is_void(self.c.u, e)).then(|| self.temp(self.value_type(e)));
                ops.push(Op::Block { stmt, temp });
                self.subst
                    .insert(e, temp.map_or(Subst::Nothing, Subst::Temp));
            }
            Ident(_)
            | Int(_)
            | Float
            | Str { .. }
            | SizeofExpr(_)
            | SizeofType(_)
            | Alignof
            | Offsetof { .. }
            | LabelAddr(_)
            | Builtin => {}
        }
    }

    fn conditional(
        &mut self,
        e: ExprId,
        cond: ExprId,
        then: Option<ExprId>,
        els: ExprId,
        used: bool,
        ops: &mut Vec<Op>,
    ) {
        self.expr(cond, true, ops);
        if !then.is_some_and(|t| self.has(t)) && !self.has(els) {
            return;
        }
        let result = (used && !is_void(self.c.u, e)).then(|| self.temp(self.value_type(e)));
        let (mut a, mut b) = (Vec::new(), Vec::new());
        let test = match then {
            Some(t) => {
                self.arm(t, result, &mut a);
                self::Cond::Expr(cond)
            }
            None => {
                // `c ?: e`: the condition's value is the result.
                self.spill(cond, ops);
                match (self.subst.get(&cond), result) {
                    (Some(Subst::Temp(c)), Some(r)) => {
                        a.push(Op::Copy { temp: r, from: *c });
                        self::Cond::Temp(*c)
                    }
                    (Some(Subst::Temp(c)), None) => self::Cond::Temp(*c),
                    _ => self::Cond::Expr(cond),
                }
            }
        };
        self.arm(els, result, &mut b);
        ops.push(Op::If {
            cond: test,
            then: a,
            els: b,
        });
        self.subst
            .insert(e, result.map_or(Subst::Nothing, Subst::Temp));
    }

    fn arm(&mut self, e: ExprId, result: Option<usize>, ops: &mut Vec<Op>) {
        self.expr(e, result.is_some(), ops);
        match result {
            Some(temp) => ops.push(Op::Eval { temp, expr: e }),
            None if self.subst.contains_key(&e) => {}
            None => ops.push(Op::Do(e)),
        }
    }

    fn direct_store(&self, lhs: ExprId, rhs: ExprId) -> bool {
        let u = self.c.u;
        matches!(
            u.expr(rhs).kind,
            ExprKind::Call { .. } | ExprKind::StmtExpr(_)
        ) && u.expr(lhs).ty.ty == u.expr(rhs).ty.ty
    }

    /// gcc evaluates a plain variable after the other operand of a commutative operator.
    fn swapped(&self, op: BinOp, lhs: ExprId, rhs: ExprId, e: ExprId) -> bool {
        let u = self.c.u;
        let commutes = matches!(
            op,
            BinOp::Add | BinOp::Mul | BinOp::And | BinOp::Or | BinOp::Xor
        );
        let compares = matches!(
            op,
            BinOp::Lt | BinOp::Gt | BinOp::Le | BinOp::Ge | BinOp::Eq | BinOp::Ne
        );
        let variable =
            |x| matches!(u.expr(x).kind, ExprKind::Ident(s) if u.sym(s).kind != SymKind::Func);
        if !variable(lhs) || variable(rhs) {
            return false;
        }
        // A converted variable is no plain variable any more.
        let l = u.expr(lhs).ty.ty;
        (commutes && l == u.expr(e).ty.ty) || (compares && l == u.expr(rhs).ty.ty)
    }

    /// Makes the address of an assignment's left side independent of what happens until the store.
    fn fix_place(&mut self, lv: ExprId, ops: &mut Vec<Op>) {
        if self.stable_place(lv) {
            return;
        }
        match self.kind(lv) {
            ExprKind::Index { base, index } => {
                if matches!(self.c.u.ty(self.c.u.expr(base).ty.ty), Type::Array { .. }) {
                    self.fix_place(base, ops);
                } else if !self.stable(base) {
                    self.spill(base, ops);
                }
                if !self.stable(index) {
                    self.spill(index, ops);
                }
            }
            ExprKind::Member {
                base, arrow: true, ..
            }
            | ExprKind::Deref(base)
                if !self.stable(base) =>
            {
                self.spill(base, ops);
            }
            ExprKind::Member {
                base, arrow: false, ..
            } => self.fix_place(base, ops),
            ExprKind::Unary { arg, .. } => self.fix_place(arg, ops),
            ExprKind::Generic { chosen, .. } => self.fix_place(chosen, ops),
            _ => {}
        }
    }

    /// Does `e` have the same value whenever it is evaluated in this full expression?
    fn stable(&self, e: ExprId) -> bool {
        use ExprKind::*;
        let u = self.c.u;
        if let Some(s) = self.subst.get(&e) {
            return matches!(s, Subst::Temp(_));
        }
        let x = u.expr(e);
        match &x.kind {
            Int(_)
            | Float
            | Str { .. }
            | SizeofExpr(_)
            | SizeofType(_)
            | Alignof
            | Offsetof { .. }
            | LabelAddr(_)
            | Builtin => true,
            Ident(s) => {
                let sym = u.sym(*s);
                if matches!(sym.kind, SymKind::Func | SymKind::EnumConst)
                    || matches!(u.ty(x.ty.ty), Type::Array { .. })
                {
                    return true;
                }
                if x.ty.is_volatile || x.ty.is_atomic {
                    return false;
                }
                super::program::is_local(sym)
                    && !self.modified.contains(s)
                    && !self.c.escaping.contains(s)
            }
            Unary {
                op: UnOp::Plus | UnOp::Minus | UnOp::BitNot | UnOp::Not | UnOp::Real | UnOp::Imag,
                arg,
            }
            | Cast { arg, .. } => self.stable(*arg),
            Binary { lhs, rhs, .. } => self.stable(*lhs) && self.stable(*rhs),
            Cond { cond, then, els } => {
                self.stable(*cond) && then.is_none_or(|t| self.stable(t)) && self.stable(*els)
            }
            AddrOf(a) => self.stable_place(*a),
            Member {
                base, arrow: false, ..
            } if !matches!(u.ty(x.ty.ty), Type::Array { .. }) => self.stable(*base),
            Member { .. } | Index { .. } | Deref(_)
                if matches!(u.ty(x.ty.ty), Type::Array { .. }) =>
            {
                self.stable_place(e)
            }
            Generic { chosen, .. } => self.stable(*chosen),
            _ => false,
        }
    }

    fn stable_place(&self, e: ExprId) -> bool {
        use ExprKind::*;
        let u = self.c.u;
        if let Some(s) = self.subst.get(&e) {
            return matches!(s, Subst::Temp(_));
        }
        match &u.expr(e).kind {
            Ident(_) | Str { .. } => true,
            Member {
                base, arrow: false, ..
            } => self.stable_place(*base),
            Member {
                base, arrow: true, ..
            }
            | Deref(base) => self.stable(*base),
            Index { base, index } => {
                let b = match u.ty(u.expr(*base).ty.ty) {
                    Type::Array { .. } => self.stable_place(*base),
                    _ => self.stable(*base),
                };
                b && self.stable(*index)
            }
            Unary {
                op: UnOp::Real | UnOp::Imag,
                arg,
            } => self.stable_place(*arg),
            _ => false,
        }
    }
}

/// Width of a bit-field, found through anonymous members.
pub fn field_width(u: &Unit, t: TypeId, name: &str) -> Option<u32> {
    let Type::Record(r) = u.ty(t) else {
        return None;
    };
    for f in u.records[r.index()].fields.iter().flatten() {
        match &f.name {
            Some(n) if n == name => return f.bit_width.as_ref().and(f.width.or(Some(0))),
            None => {
                if let Some(w) = field_width(u, f.ty.ty, name) {
                    return Some(w);
                }
            }
            _ => {}
        }
    }
    None
}
