//! Which functions a parameter may stand for: those that the callers pass.
//!
//! ```c
//! int create(op_function *function, MPI_Op *op) { return MPI_Op_create((MPI_User_function *)function, 1, op); }
//! ```
//!
//! Here nothing but what `create` is called with can be called back, whatever else has the same signature.
//! Known only where all callers are: the function's address is not taken, and the parameter keeps its value.

use super::program::{Callee, FnId, Program};
use super::walk::{strip_casts, visit, Node};
use crate::tree::*;
use std::collections::{BTreeSet, HashMap, HashSet};

pub struct Passed<'a> {
    p: &'a Program<'a>,
    address_taken: &'a BTreeSet<FnId>,
    /// Direct calls of each function: who calls, and with what.
    callers: HashMap<FnId, Vec<(FnId, &'a [ExprId])>>,
}

impl<'a> Passed<'a> {
    pub fn new(p: &'a Program<'a>, address_taken: &'a BTreeSet<FnId>) -> Passed<'a> {
        let mut callers: HashMap<FnId, Vec<(FnId, &[ExprId])>> = HashMap::new();
        for f in p.ids() {
            let (unit, u) = (p.fns[f.index()].0, p.unit(f));
            visit(u, Node::Stmt(p.func(f).body), &mut |n| {
                if let Node::Expr(e) = n {
                    if let ExprKind::Call { callee, args } = &u.expr(e).kind {
                        if let Some((_, Callee::Defined(t))) = p.direct(unit, *callee) {
                            callers.entry(t).or_default().push((f, args));
                        }
                    }
                }
                true
            });
        }
        Passed {
            p,
            address_taken,
            callers,
        }
    }

    /// The functions that `e` in `f` may be, if that is known.
    pub fn functions(&self, f: FnId, e: ExprId) -> Option<BTreeSet<FnId>> {
        let mut found = BTreeSet::new();
        self.collect(f, e, &mut HashSet::new(), &mut found)
            .then_some(found)
    }

    fn collect(
        &self,
        f: FnId,
        e: ExprId,
        seen: &mut HashSet<(FnId, usize)>,
        found: &mut BTreeSet<FnId>,
    ) -> bool {
        let u = self.p.unit(f);
        match &u.expr(strip_casts(u, e)).kind {
            ExprKind::Int(0) => true,
            ExprKind::AddrOf(x) | ExprKind::Deref(x) => self.collect(f, *x, seen, found),
            ExprKind::Cond {
                then: Some(a),
                els: b,
                ..
            } => self.collect(f, *a, seen, found) && self.collect(f, *b, seen, found),
            ExprKind::Ident(s) if u.sym(*s).kind == SymKind::Func => {
                if let Callee::Defined(t) = self.p.resolve(self.p.fns[f.index()].0, *s) {
                    found.insert(t);
                }
                true
            }
            ExprKind::Ident(s) => {
                let Some(i) = self.p.func(f).params.iter().position(|x| x == s) else {
                    return false;
                };
                if self.address_taken.contains(&f) || !steady(u, self.p.func(f), *s) {
                    return false;
                }
                if !seen.insert((f, i)) {
                    return true;
                }
                let callers = self.callers.get(&f).map_or(&[][..], Vec::as_slice);
                callers.iter().all(|(caller, args)| match args.get(i) {
                    Some(a) => self.collect(*caller, *a, seen, found),
                    None => false,
                })
            }
            _ => false,
        }
    }
}

/// Does nothing in the function write `s` or take its address?
fn steady(u: &Unit, f: &Function, s: SymId) -> bool {
    let is = |e: ExprId| matches!(u.expr(strip_casts(u, e)).kind, ExprKind::Ident(x) if x == s);
    let mut steady = true;
    visit(u, Node::Stmt(f.body), &mut |n| {
        steady &= match n {
            Node::Expr(e) => match &u.expr(e).kind {
                ExprKind::Assign { lhs: x, .. }
                | ExprKind::AddrOf(x)
                | ExprKind::Unary {
                    op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                    arg: x,
                } => !is(*x),
                _ => true,
            },
            Node::Stmt(t) => match &u.stmt(t).kind {
                StmtKind::Asm(list) => !list.iter().any(|e| is(*e)),
                _ => true,
            },
        };
        steady
    });
    steady
}
