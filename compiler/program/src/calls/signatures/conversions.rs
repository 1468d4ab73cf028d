//! Conversions that the program makes: casts, assignments, arguments, results, initialisers.

use super::spelling::{constant, function, is_word, pointee};
use super::{Builder, NodeId, Typed, ANYTHING};
use crate::initialiser::leaves;
use crate::program::Callee;
use crate::walk::{strip_casts, visit, Node};
use pc3_syntax::tree::*;

impl<'a> Builder<'a> {
    pub fn body(&mut self, unit: usize, u: &'a Unit, f: &'a Function) {
        visit(u, Node::Stmt(f.body), &mut |n| {
            if let Node::Stmt(s) = n {
                match &u.stmt(s).kind {
                    StmtKind::Return(Some(e)) => self.value(unit, u, *e, (unit, u, f.ret.ty)),
                    StmtKind::Decl(d) => self.decl(unit, u, d),
                    StmtKind::For {
                        init: ForInit::Decl(d),
                        ..
                    } => self.decl(unit, u, d),
                    StmtKind::Asm(list) => {
                        for e in list {
                            if let Some(t) = function(u, u.expr(*e).ty.ty) {
                                let n = self.node((unit, u, t));
                                self.both(n, ANYTHING);
                            }
                        }
                    }
                    _ => {}
                }
            }
            true
        });
    }

    pub fn decl(&mut self, unit: usize, u: &'a Unit, d: &DeclGroup) {
        for v in &d.vars {
            if let Some(init) = &v.init {
                self.initialiser(unit, u, u.sym(v.sym).ty, init);
            }
        }
    }

    fn initialiser(&mut self, unit: usize, u: &'a Unit, q: QualType, init: &Init) {
        for leaf in leaves(u, q, init) {
            self.value(unit, u, leaf.expr, (unit, u, leaf.ty.ty));
        }
    }

    pub fn expr(&mut self, unit: usize, u: &'a Unit, e: ExprId) {
        let x = u.expr(e);
        let own = (unit, u, x.ty.ty);
        match &x.kind {
            ExprKind::Ident(s) if u.sym(*s).kind == SymKind::Func => {
                if let Callee::Defined(f) = self.p.resolve(unit, *s) {
                    let (n, declared) = (self.of_function(f), self.node(own));
                    self.edge(n, declared);
                }
            }
            ExprKind::Cast { arg, .. } => self.value(unit, u, *arg, own),
            ExprKind::Assign { op: None, lhs, rhs } => {
                self.value(unit, u, *rhs, (unit, u, u.expr(*lhs).ty.ty));
            }
            ExprKind::Cond { cond, then, els } => {
                self.value(unit, u, then.unwrap_or(*cond), own);
                self.value(unit, u, *els, own);
            }
            ExprKind::CompoundLit { ty, init } => self.initialiser(unit, u, *ty, init),
            ExprKind::VaArg { .. } => {
                if let Some(t) = function(u, x.ty.ty) {
                    let n = self.node((unit, u, t));
                    self.edge(ANYTHING, n);
                }
            }
            ExprKind::Call { callee, args } => self.call(unit, u, *callee, args),
            _ => {}
        }
    }

    fn call(&mut self, unit: usize, u: &'a Unit, callee: ExprId, args: &[ExprId]) {
        if let (Some((_, Callee::External(name))), [to, from, ..]) =
            (self.p.direct(unit, callee), args)
        {
            if name.trim_start_matches("__builtin_").starts_with("mem") {
                self.copied(unit, u, *to, *from);
            }
        }
        let params: &[QualType] = match function(u, u.expr(callee).ty.ty).map(|t| u.ty(t)) {
            Some(Type::Function {
                params,
                prototype: true,
                ..
            }) => params,
            _ => &[],
        };
        let definition = match self.p.direct(unit, callee) {
            Some((_, Callee::Defined(f))) => Some(f),
            _ => None,
        };
        for (i, a) in args.iter().enumerate() {
            match params.get(i) {
                Some(q) => self.value(unit, u, *a, (unit, u, q.ty)),
                None => self.unseen(unit, u, *a),
            }
            let Some(f) = definition else { continue };
            if let Some(s) = self.p.func(f).params.get(i) {
                let to = self.p.unit(f);
                self.value(unit, u, *a, (self.p.fns[f.index()].0, to, to.sym(*s).ty.ty));
            }
        }
    }

    /// `memcpy` and the like.
    fn copied(&mut self, unit: usize, u: &'a Unit, to: ExprId, from: ExprId) {
        let memory = |e: ExprId| pointee(u, u.expr(strip_casts(u, e)).ty.ty);
        if let (Some(a), Some(b)) = (memory(to), memory(from)) {
            self.pun((unit, u, a), (unit, u, b));
        }
    }

    /// A variable argument.
    fn unseen(&mut self, unit: usize, u: &'a Unit, e: ExprId) {
        if let Some(t) = function(u, u.expr(e).ty.ty) {
            let from = self.named(unit, u, e);
            let from = from.unwrap_or_else(|| self.node((unit, u, t)));
            self.edge(from, ANYTHING);
        }
    }

    /// The function that an expression names.
    fn named(&mut self, unit: usize, u: &'a Unit, e: ExprId) -> Option<NodeId> {
        let mut e = strip_casts(u, e);
        while let ExprKind::AddrOf(x) | ExprKind::Deref(x) = &u.expr(e).kind {
            e = strip_casts(u, *x);
        }
        match &u.expr(e).kind {
            ExprKind::Ident(s) if u.sym(*s).kind == SymKind::Func => {
                match self.p.resolve(unit, *s) {
                    Callee::Defined(f) => Some(self.of_function(f)),
                    Callee::External(_) => None,
                }
            }
            _ => None,
        }
    }

    /// The value of `e` becomes a `to`.
    fn value(&mut self, unit: usize, u: &'a Unit, e: ExprId, to: Typed<'a>) {
        let from = (unit, u, u.expr(e).ty.ty);
        if constant(u, e) || (from.0, from.2) == (to.0, to.2) {
            return;
        }
        let Some(f) = self.named(unit, u, e) else {
            return self.convert(from, to);
        };
        // Of its type only this function goes there.
        match (function(u, from.2), function(to.1, to.2)) {
            (Some(a), Some(b)) => {
                let target = self.node((to.0, to.1, b));
                self.edge(f, target);
                self.handed((from.0, u, a), (to.0, to.1, b));
            }
            _ if is_word(to.1, to.2) => self.edge(f, ANYTHING),
            _ => {}
        }
    }

    pub fn convert(&mut self, from: Typed<'a>, to: Typed<'a>) {
        if !self.converted.insert((from.0, from.2, to.0, to.2)) {
            return;
        }
        match (function(from.1, from.2), function(to.1, to.2)) {
            (Some(a), Some(b)) => self.recast((from.0, from.1, a), (to.0, to.1, b)),
            (Some(a), None) if is_word(to.1, to.2) => {
                let a = self.node((from.0, from.1, a));
                self.edge(a, ANYTHING);
            }
            (None, Some(b)) if is_word(from.1, from.2) => {
                let b = self.node((to.0, to.1, b));
                self.edge(ANYTHING, b);
            }
            (None, None) => {
                if let (Some(a), Some(b)) = (pointee(from.1, from.2), pointee(to.1, to.2)) {
                    self.pun((from.0, from.1, a), (to.0, to.1, b));
                }
            }
            _ => {}
        }
    }

    /// One function type becomes another.
    fn recast(&mut self, from: Typed<'a>, to: Typed<'a>) {
        let (a, b) = (self.node(from), self.node(to));
        if a != b {
            self.edge(a, b);
            self.handed(from, to);
        }
    }

    /// What is handed to and returned by a function that is called through another type is converted.
    fn handed(&mut self, from: Typed<'a>, to: Typed<'a>) {
        let (
            Type::Function {
                ret: r1,
                params: p1,
                prototype: known1,
                ..
            },
            Type::Function {
                ret: r2,
                params: p2,
                prototype: known2,
                ..
            },
        ) = (from.1.ty(from.2), to.1.ty(to.2))
        else {
            return;
        };
        self.convert((from.0, from.1, r1.ty), (to.0, to.1, r2.ty));
        for (i, q) in p1.iter().enumerate() {
            match p2.get(i) {
                Some(given) => self.convert((to.0, to.1, given.ty), (from.0, from.1, q.ty)),
                None => self.anything_becomes((from.0, from.1, q.ty)),
            }
        }
        if !known1 || !known2 {
            p2.iter()
                .for_each(|q| self.anything_becomes((to.0, to.1, q.ty)));
        }
    }

    fn anything_becomes(&mut self, to: Typed<'a>) {
        if let Some(t) = function(to.1, to.2) {
            let n = self.node((to.0, to.1, t));
            self.both(ANYTHING, n);
        }
    }
}
