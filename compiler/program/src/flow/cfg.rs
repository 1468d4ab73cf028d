//! Control flow of one function over the tree.  A node is a full expression, a declarator or a
//! location; what happens inside a full expression is summarised by what it reads before it
//! surely writes (`uses`) and what it surely writes as a whole (`kills`).

use crate::bits::Bits;
use crate::program::is_local;
use crate::walk::{init_exprs, visit, Node};
use pc3_syntax::tree::*;
use std::collections::{BTreeSet, HashMap};

#[derive(Default)]
pub struct CfgNode {
    pub uses: Bits,
    pub kills: Bits,
    /// Declared here without a value.
    pub undefined: Bits,
    pub succ: Vec<usize>,
    /// Where control may go from the midst of it, before what it writes is written: calls of `setjmp` that return again.
    pub again: Vec<usize>,
    /// Full expressions evaluated here (several in a braced initialiser).
    pub exprs: Vec<ExprId>,
    pub location: Option<StmtId>,
    /// The only write is the last thing that happens: `x = ...;`
    pub assigns: Option<SymId>,
}

pub struct Cfg {
    pub nodes: Vec<CfgNode>,
    /// Local variables by bit.
    pub vars: Vec<SymId>,
    pub index: HashMap<SymId, usize>,
    pub entry: usize,
}

pub fn build(u: &Unit, f: &Function) -> Cfg {
    let mut vars: Vec<SymId> = f.params.clone();
    vars.extend(
        f.locals
            .iter()
            .copied()
            .filter(|s| is_local(u.sym(*s)) && !f.params.contains(s)),
    );
    let index = vars.iter().enumerate().map(|(i, s)| (*s, i)).collect();
    let mut b = Builder {
        u,
        cfg: Cfg {
            nodes: vec![CfgNode::default()],
            vars,
            index,
            entry: 0,
        },
        cur: 0,
        labels: HashMap::new(),
        breaks: Vec::new(),
        continues: Vec::new(),
        switches: Vec::new(),
        computed: Vec::new(),
    };
    for p in &f.params {
        let i = b.cfg.index[p];
        b.cfg.nodes[0].kills.insert(i);
    }
    b.stmt(f.body);
    let targets: Vec<usize> = b.labels.values().copied().collect();
    for n in b.computed.clone() {
        b.cfg.nodes[n].succ.extend(&targets);
    }
    returns_again(u, &mut b.cfg);
    b.cfg
}

/// From wherever a call of `setjmp` leads to, it may return again: something that is called there jumps, or a signal's handler.
fn returns_again(u: &Unit, cfg: &mut Cfg) {
    for i in 0..cfg.nodes.len() {
        let node = &cfg.nodes[i];
        if !node.exprs.iter().any(|e| calls_setjmp(u, *e)) {
            continue;
        }
        // Only what takes the result is assigned again.
        let mut kills = Bits::default();
        let mut assigned: Vec<SymId> = node.assigns.into_iter().collect();
        node.exprs
            .iter()
            .for_each(|e| takes_result(u, *e, &mut assigned));
        let bits = assigned.iter().filter_map(|s| cfg.index.get(s));
        bits.for_each(|i| kills.insert(*i));
        let (uses, succ) = (node.uses.clone(), node.succ.clone());
        let second = cfg.nodes.len();
        let mut nodes = reachable(cfg, &succ);
        nodes.insert(i);
        for n in nodes {
            cfg.nodes[n].again.push(second);
        }
        cfg.nodes.push(CfgNode {
            uses,
            kills,
            succ,
            ..CfgNode::default()
        });
    }
}

fn reachable(cfg: &Cfg, from: &[usize]) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    let mut todo = from.to_vec();
    while let Some(n) = todo.pop() {
        if seen.insert(n) {
            todo.extend(&cfg.nodes[n].succ);
        }
    }
    seen
}

fn takes_result(u: &Unit, e: ExprId, out: &mut Vec<SymId>) {
    visit(u, Node::Expr(e), &mut |n| {
        if let Node::Expr(x) = n {
            if let ExprKind::Assign { op: None, lhs, rhs } = &u.expr(x).kind {
                if let (ExprKind::Ident(s), true) = (&u.expr(*lhs).kind, calls_setjmp(u, *rhs)) {
                    out.push(*s);
                }
            }
        }
        true
    });
}

fn calls_setjmp(u: &Unit, e: ExprId) -> bool {
    let mut any = false;
    visit(u, Node::Expr(e), &mut |n| {
        if let Node::Expr(x) = n {
            if let ExprKind::Ident(s) = u.expr(x).kind {
                any |=
                    u.sym(s).kind == SymKind::Func && crate::tables::is_jump_target(&u.sym(s).name);
            }
        }
        true
    });
    any
}

struct Builder<'a> {
    u: &'a Unit,
    cfg: Cfg,
    cur: usize,
    labels: HashMap<LabelId, usize>,
    breaks: Vec<usize>,
    continues: Vec<usize>,
    /// Head node and whether a default was seen.
    switches: Vec<(usize, bool)>,
    computed: Vec<usize>,
}

impl Builder<'_> {
    fn fresh(&mut self) -> usize {
        self.cfg.nodes.push(CfgNode::default());
        self.cfg.nodes.len() - 1
    }
    fn edge(&mut self, a: usize, b: usize) {
        self.cfg.nodes[a].succ.push(b);
    }
    /// A node after the current one.
    fn next(&mut self) -> usize {
        let n = self.fresh();
        self.edge(self.cur, n);
        self.cur = n;
        n
    }
    fn goto(&mut self, n: usize) {
        self.edge(self.cur, n);
        self.cur = n;
    }
    /// What follows cannot be reached from here.
    fn stop(&mut self) {
        self.cur = self.fresh();
    }

    fn full(&mut self, e: ExprId) -> usize {
        let n = self.next();
        self.effects(n, e);
        n
    }

    fn effects(&mut self, n: usize, e: ExprId) {
        let mut fx = Effects {
            u: self.u,
            index: &self.cfg.index,
            uses: Bits::default(),
            kills: self.cfg.nodes[n].kills.clone(),
        };
        fx.read(e, true);
        let (uses, kills) = (fx.uses, fx.kills);
        let left = self.leaves(n, e);
        let node = &mut self.cfg.nodes[n];
        node.uses.union(&uses);
        node.exprs.push(e);
        if left {
            // What is assigned behind the jump may not be.
            return;
        }
        node.kills = kills;
        if let ExprKind::Assign { op: None, lhs, .. } = &self.u.expr(e).kind {
            if let ExprKind::Ident(s) = self.u.expr(*lhs).kind {
                node.assigns = Some(s);
            }
        }
    }

    /// Edges of the jumps in statement expressions of `e`; are there any?
    fn leaves(&mut self, n: usize, e: ExprId) -> bool {
        let (mut labels, mut targets) = (Vec::new(), Vec::new());
        visit(self.u, Node::Expr(e), &mut |x| {
            if let Node::Stmt(s) = x {
                match self.u.stmt(s).kind {
                    StmtKind::Goto(l) => labels.push(l),
                    // Of a loop inside or of one around.
                    StmtKind::Break => targets.extend(self.breaks.last()),
                    StmtKind::Continue => targets.extend(self.continues.last()),
                    _ => {}
                }
            }
            true
        });
        targets.extend(labels.into_iter().map(|l| self.label(l)));
        for to in &targets {
            self.edge(n, *to);
        }
        !targets.is_empty()
    }

    fn decl(&mut self, d: &DeclGroup) {
        for v in &d.vars {
            for x in &v.vla_lens {
                self.full(*x);
            }
            let Some(i) = self.cfg.index.get(&v.sym).copied() else {
                continue;
            };
            let n = self.next();
            match &v.init {
                Some(init) => {
                    let mut list = Vec::new();
                    init_exprs(init, &mut |e| list.push(e));
                    list.into_iter().for_each(|e| self.effects(n, e));
                    self.cfg.nodes[n].assigns = Some(v.sym);
                }
                None => self.cfg.nodes[n].undefined.insert(i),
            }
            self.cfg.nodes[n].kills.insert(i);
        }
    }

    fn label(&mut self, l: LabelId) -> usize {
        if let Some(n) = self.labels.get(&l) {
            return *n;
        }
        let n = self.fresh();
        self.labels.insert(l, n);
        n
    }

    fn stmt(&mut self, s: StmtId) {
        use StmtKind::*;
        let u = self.u;
        match &u.stmt(s).kind {
            Expr(Some(e)) => {
                self.full(*e);
                if crate::tables::never_returns(u, *e) {
                    self.stop();
                }
            }
            Expr(None) => {}
            Decl(d) => self.decl(d),
            Block(list) => list.iter().for_each(|s| self.stmt(*s)),
            If { cond, then, els } => {
                let c = self.full(*cond);
                self.stmt(*then);
                let t = self.cur;
                self.cur = c;
                if let Some(els) = els {
                    self.stmt(*els);
                }
                let end = self.next();
                self.edge(t, end);
            }
            While { .. } | DoWhile { .. } | For { .. } => self.repeated(s),
            Switch { cond, body } => self.switch(*cond, *body),
            Case { stmt, .. } => self.case(*stmt, false),
            Default(stmt) => self.case(*stmt, true),
            Label { label, stmt } => {
                let n = self.label(*label);
                self.goto(n);
                self.stmt(*stmt);
            }
            Goto(l) => {
                let n = self.label(*l);
                self.edge(self.cur, n);
                self.stop();
            }
            GotoComputed(e) => {
                let n = self.full(*e);
                self.computed.push(n);
                self.stop();
            }
            Continue => self.leave(self.continues.last().copied()),
            Break => self.leave(self.breaks.last().copied()),
            Return(e) => {
                if let Some(e) = e {
                    self.full(*e);
                }
                self.stop();
            }
            Asm(list) => self.asm(list),
            Checkpoint => {
                let n = self.next();
                self.cfg.nodes[n].location = Some(s);
            }
            // Nested functions stand in no function that has points.
            Nested { .. } | Other { .. } => {}
        }
    }

    /// A loop.
    fn repeated(&mut self, s: StmtId) {
        match &self.u.stmt(s).kind {
            StmtKind::While { cond, body } => {
                let head = self.next();
                let c = self.full(*cond);
                let end = self.fresh();
                self.edge(c, end);
                self.looped(*body, head, end);
                self.edge(self.cur, head);
                self.cur = end;
            }
            StmtKind::DoWhile { body, cond } => {
                let head = self.next();
                let (test, end) = (self.fresh(), self.fresh());
                self.looped(*body, test, end);
                self.goto(test);
                let c = self.full(*cond);
                self.edge(c, head);
                self.edge(c, end);
                self.cur = end;
            }
            StmtKind::For {
                init,
                cond,
                step,
                body,
            } => {
                match init {
                    ForInit::None => {}
                    ForInit::Expr(e) => {
                        self.full(*e);
                    }
                    ForInit::Decl(d) => self.decl(d),
                }
                let head = self.next();
                let end = self.fresh();
                if let Some(c) = cond {
                    let c = self.full(*c);
                    self.edge(c, end);
                }
                let next = self.fresh();
                self.looped(*body, next, end);
                self.goto(next);
                if let Some(st) = step {
                    self.full(*st);
                }
                self.edge(self.cur, head);
                self.cur = end;
            }
            _ => {}
        }
    }

    fn switch(&mut self, cond: ExprId, body: StmtId) {
        let c = self.full(cond);
        let end = self.fresh();
        self.stop();
        self.switches.push((c, false));
        self.breaks.push(end);
        self.stmt(body);
        self.breaks.pop();
        if let Some((_, false)) = self.switches.pop() {
            self.edge(c, end);
        }
        self.goto(end);
    }

    fn case(&mut self, stmt: StmtId, is_default: bool) {
        let n = self.next();
        if let Some((head, seen)) = self.switches.last_mut() {
            *seen |= is_default;
            let head = *head;
            self.edge(head, n);
        }
        self.stmt(stmt);
    }

    /// Goes on at a node, or nowhere that is known.
    fn leave(&mut self, to: Option<usize>) {
        if let Some(n) = to {
            self.edge(self.cur, n);
        }
        self.stop();
    }

    fn asm(&mut self, operands: &[ExprId]) {
        let n = self.next();
        for e in operands {
            let mut fx = Effects {
                u: self.u,
                index: &self.cfg.index,
                uses: Bits::default(),
                kills: self.cfg.nodes[n].kills.clone(),
            };
            fx.read(*e, false);
            let uses = fx.uses;
            self.cfg.nodes[n].uses.union(&uses);
        }
    }

    fn looped(&mut self, body: StmtId, cont: usize, end: usize) {
        self.continues.push(cont);
        self.breaks.push(end);
        self.stmt(body);
        self.breaks.pop();
        self.continues.pop();
    }
}

/// Reads and sure writes of an expression, in evaluation order.
struct Effects<'a> {
    u: &'a Unit,
    index: &'a HashMap<SymId, usize>,
    uses: Bits,
    kills: Bits,
}

impl Effects<'_> {
    fn read(&mut self, e: ExprId, sure: bool) {
        use ExprKind::*;
        match &self.u.expr(e).kind {
            Ident(s) => {
                if let Some(i) = self.index.get(s) {
                    if !self.kills.contains(*i) {
                        self.uses.insert(*i);
                    }
                }
            }
            Assign { op: None, lhs, rhs } => {
                self.place(*lhs, sure);
                self.read(*rhs, sure);
                if let Ident(s) = self.u.expr(*lhs).kind {
                    if let (Some(i), true) = (self.index.get(&s), sure) {
                        self.kills.insert(*i);
                    }
                }
            }
            Binary {
                op: BinOp::LogAnd | BinOp::LogOr,
                lhs,
                rhs,
            } => {
                self.read(*lhs, sure);
                self.read(*rhs, false);
            }
            Cond { cond, then, els } => {
                self.read(*cond, sure);
                then.iter().for_each(|t| self.read(*t, false));
                self.read(*els, false);
            }
            StmtExpr(s) => {
                // Order inside is not followed: everything it names counts as read.
                visit(self.u, Node::Stmt(*s), &mut |n| {
                    if let Node::Expr(x) = n {
                        if let Ident(s) = self.u.expr(x).kind {
                            if let Some(i) = self.index.get(&s) {
                                self.uses.insert(*i);
                            }
                        }
                    }
                    true
                });
            }
            SizeofExpr(x) => self.vla_size(*x),
            _ => {
                let mut list = Vec::new();
                crate::walk::expr_children(self.u, e, &mut |c| list.push(c));
                for c in list {
                    if let Node::Expr(c) = c {
                        self.read(c, sure);
                    }
                }
            }
        }
    }

    /// The operand of `sizeof` matters only if it is variably modified.
    fn vla_size(&mut self, e: ExprId) {
        if let Type::Array {
            len: ArrayLen::Vla(_),
            ..
        } = self.u.ty(self.u.expr(e).ty.ty)
        {
            self.read(e, false);
        }
    }

    /// The left side of an assignment: its address is computed, its value is not read.
    fn place(&mut self, e: ExprId, sure: bool) {
        match &self.u.expr(e).kind {
            ExprKind::Ident(_) => {}
            ExprKind::Member {
                base, arrow: false, ..
            } => self.place(*base, sure),
            ExprKind::Index { base, index }
                if matches!(self.u.ty(self.u.expr(*base).ty.ty), Type::Array { .. }) =>
            {
                self.place(*base, sure);
                self.read(*index, sure);
            }
            _ => self.read(e, sure),
        }
    }
}
