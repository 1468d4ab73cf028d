//! Which functions a parameter may stand for, and a table: those that the callers pass, those that it is initialised with.
//!
//! ```c
//! int create(op_function *function, MPI_Op *op) { return MPI_Op_create((MPI_User_function *)function, 1, op); }
//! ```
//!
//! Here nothing but what `create` is called with can be called back, whatever else has the same signature.
//! Known only where all callers are: the function's address is not taken, and the parameter keeps its value. A table is one of
//! internal linkage that nobody writes (`static op *const ops[] = {first, second}`).

use super::program::{Callee, FnId, Program};
use super::untouched;
use super::walk::{strip_casts, visit, Node};
use crate::tree::*;
use std::collections::{BTreeSet, HashMap, HashSet};

pub struct Passed<'a> {
    p: &'a Program<'a>,
    address_taken: &'a BTreeSet<FnId>,
    /// Direct calls of each function: who calls, and with what.
    callers: HashMap<FnId, Vec<(FnId, &'a [ExprId])>>,
    /// The elements of tables, by unit.
    tables: Vec<HashMap<SymId, Vec<ExprId>>>,
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
            tables: p.units.iter().map(tables).collect(),
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
            ExprKind::Index { base, index } => {
                let ExprKind::Ident(s) = u.expr(strip_casts(u, *base)).kind else {
                    return false;
                };
                let Some(list) = self.tables[self.p.fns[f.index()].0].get(&s) else {
                    return false;
                };
                let one = u.view().eval(*index).and_then(|i| usize::try_from(i).ok());
                match one.and_then(|i| list.get(i)) {
                    Some(x) => self.collect(f, *x, seen, found),
                    None => list.iter().all(|x| self.collect(f, *x, seen, found)),
                }
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

/// Arrays that keep what they are initialised with, element by element in the order of the text.
fn tables(u: &Unit) -> HashMap<SymId, Vec<ExprId>> {
    let untouched = untouched::analyse(u);
    let elements = |init: &Option<Init>| match init {
        Some(Init::List { items, .. }) => {
            let one = |x: &InitItem| match x.value {
                Init::Expr(e) if x.designators.is_empty() => Some(e),
                _ => None,
            };
            items.iter().map(one).collect::<Option<Vec<_>>>()
        }
        _ => None,
    };
    let mut all = HashMap::new();
    let mut add = |d: &DeclGroup| {
        for v in d.vars.iter().filter(|v| untouched.contains(&v.sym)) {
            let pointers = matches!(u.ty(u.sym(v.sym).ty.ty), Type::Array { elem, .. }
                if matches!(u.ty(elem.ty), Type::Pointer(_)));
            if let Some(list) = elements(&v.init).filter(|_| pointers) {
                all.insert(v.sym, list);
            }
        }
    };
    for item in &u.items {
        if let TopItem::Decl(d) = item {
            add(d);
        }
    }
    for s in &u.stmts {
        if let StmtKind::Decl(d) = &s.kind {
            add(d);
        }
    }
    all
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
