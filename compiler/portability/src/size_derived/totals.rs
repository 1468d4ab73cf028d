//! Totals of what the program has allocated: numbers to which functions add what they ask an allocator for, and from which that is
//! taken away. A restart knows all blocks, so it can tell whether such a number is their total, and what that is here.
//!
//! A total may be in two members of a struct, if the program itself divides it at any value (`t = s->rest + s->part;
//! s->rest = t - n; s->part = n;`). Then a restart keeps the part, and the rest has what makes the total.

use crate::addresses::{has_sizeof, named, NumberPlace};
use crate::heap::{Heap, Site};
use crate::lints::layout;
use pc3_program::program::{is_local, FnId, Program};
use pc3_program::walk::{init_exprs, strip_casts, visit, visit_decls, Node};
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

/// What of a total is in a number; members are of the same struct.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Share {
    Whole,
    /// The member that has the rest.
    Part(String),
    /// The member that has the part.
    Rest(String),
}

impl Share {
    /// In front of the other member's name, for a restart: see `typemetric`'s `plan/compile/sizes`.
    pub fn line(&self) -> String {
        match self {
            Share::Whole => "=".into(),
            Share::Part(rest) => format!("+{rest}"),
            Share::Rest(part) => format!("={part}"),
        }
    }
}

pub(super) fn find(p: &Program, heap: &Heap) -> HashMap<NumberPlace, Share> {
    let asked = heap.sites.iter().flatten().filter(|s| !s.in_wrapper);
    if !asked.into_iter().all(|s| is_multiple(p, s)) {
        return HashMap::new();
    }
    let (mut counters, mut lowered) = (HashSet::new(), HashSet::new());
    for f in p.ids() {
        changes(p, f, &mut |c| {
            let sizes = heap.wrappers.get(&f).map(Vec::as_slice);
            let params = &p.func(f).params;
            let is_size = |s: SymId| matches!(sizes, Some([i]) if params.get(*i) == Some(&s));
            if matches!(c.more[..], [s] if is_size(s)) {
                counters.insert(c.to.clone());
            }
            if !c.less.is_empty() {
                lowered.insert(c.to);
            }
        });
    }
    // What is never taken away is no more all that is there once something has been freed.
    counters.retain(|x| lowered.contains(x));
    let mut all = HashMap::new();
    for x in &counters {
        let NumberPlace::Member(holder, part) = x else {
            all.insert(x.clone(), Share::Whole);
            continue;
        };
        let mut beside = beside(p, x).into_iter();
        let (rest, more) = (beside.next(), beside.next());
        match (rest, more) {
            (None, _) => _ = all.insert(x.clone(), Share::Whole),
            (Some(rest), None) => {
                let y = NumberPlace::Member(holder.clone(), rest.clone());
                if !counters.contains(&y) && divided(p, x, &y) {
                    all.insert(y, Share::Rest(part.clone()));
                    all.insert(x.clone(), Share::Part(rest));
                }
            }
            _ => {}
        }
    }
    all
}

/// Is as much asked for, on each architecture, as a restart makes of it there: so many of what it is, by a `sizeof` in the call?
fn is_multiple(p: &Program, site: &Site) -> bool {
    let u = &p.units[site.unit];
    let Some(elem) = site.elem else { return false };
    if !layout::may_vary(u, elem.ty) {
        return true;
    }
    let ExprKind::Call { args, .. } = &u.expr(site.call).kind else {
        return false;
    };
    let mut sizes = args.iter().filter(|a| has_sizeof(u, **a)).peekable();
    sizes.peek().is_some() && sizes.all(|a| is_product(u, *a, elem.ty))
}

/// A product of such a type's size and numbers.
fn is_product(u: &Unit, e: ExprId, of: TypeId) -> bool {
    let same = |t: TypeId| {
        let sizes = layout::sizes(u, t);
        sizes.is_some() && sizes == layout::sizes(u, of)
    };
    match u.expr(strip_casts(u, e)).kind {
        ExprKind::SizeofType(ref q) => same(q.ty),
        ExprKind::SizeofExpr(x) => same(u.expr(x).ty.ty),
        ExprKind::Binary {
            op: BinOp::Mul,
            lhs: a,
            rhs: b,
        } => {
            let product = |a: ExprId, b: ExprId| is_product(u, a, of) && !has_sizeof(u, b);
            product(a, b) || product(b, a)
        }
        _ => false,
    }
}

/// A number becomes more and less by parameters of a function, which nothing in it changes.
struct Change {
    to: NumberPlace,
    more: Vec<SymId>,
    less: Vec<SymId>,
}

/// `x += n`, `x -= o` and `x = (x + n) - o` in a function.
fn changes(p: &Program, f: FnId, found: &mut dyn FnMut(Change)) {
    let (unit, u) = (p.fns[f.index()].0, p.unit(f));
    let params = &p.func(f).params;
    let body = Node::Stmt(p.func(f).body);
    visit(u, body, &mut |n| {
        let Node::Expr(e) = n else { return true };
        let ExprKind::Assign { op, lhs, rhs } = u.expr(e).kind else {
            return true;
        };
        let Some(to) = named(unit, u, lhs).filter(|x| !is_local_of(p, x)) else {
            return true;
        };
        let mut list = Vec::new();
        terms(u, rhs, op == Some(BinOp::Sub), &mut list);
        match op {
            None => {
                let own = |(t, minus): &(ExprId, bool)| {
                    !minus && named(unit, u, *t).as_ref() == Some(&to)
                };
                let Some(own) = list.iter().position(own) else {
                    return true;
                };
                list.remove(own);
            }
            Some(BinOp::Add | BinOp::Sub) => {}
            _ => return true,
        }
        let of = |t: ExprId| params.iter().find(|s| is(u, t, **s)).copied();
        let (mut more, mut less) = (Vec::new(), Vec::new());
        for (t, minus) in list {
            let Some(s) = of(t).filter(|s| !is_changed(u, body, *s)) else {
                return true;
            };
            if minus {
                less.push(s);
            } else {
                more.push(s);
            }
        }
        found(Change { to, more, less });
        true
    });
}

fn is_local_of(p: &Program, x: &NumberPlace) -> bool {
    matches!(x, NumberPlace::Variable(unit, s) if is_local(p.units[*unit].sym(*s)))
}

fn is(u: &Unit, e: ExprId, s: SymId) -> bool {
    matches!(u.expr(strip_casts(u, e)).kind, ExprKind::Ident(x) if x == s)
}

fn is_changed(u: &Unit, body: Node, s: SymId) -> bool {
    let mut changed = false;
    visit(u, body, &mut |n| {
        let Node::Expr(e) = n else { return true };
        changed |= match u.expr(e).kind {
            ExprKind::Assign { lhs, .. } => is(u, lhs, s),
            ExprKind::AddrOf(of) => is(u, of, s),
            ExprKind::Unary {
                op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                arg,
            } => is(u, arg, s),
            _ => false,
        };
        true
    });
    changed
}

/// What a sum is made of, and whether it is taken away.
fn terms(u: &Unit, e: ExprId, minus: bool, list: &mut Vec<(ExprId, bool)>) {
    let e = strip_casts(u, e);
    match u.expr(e).kind {
        ExprKind::Binary {
            op: op @ (BinOp::Add | BinOp::Sub),
            lhs,
            rhs,
        } => {
            terms(u, lhs, minus, list);
            terms(u, rhs, minus ^ (op == BinOp::Sub), list);
        }
        _ => list.push((e, minus)),
    }
}

/// The members of the same struct that the program adds to one.
fn beside(p: &Program, x: &NumberPlace) -> HashSet<String> {
    let mut all = HashSet::new();
    for (unit, u) in p.units.iter().enumerate() {
        for e in (0..u.exprs.len()).map(|k| ExprId(k as u32)) {
            for (a, b) in sum_of(unit, u, e) {
                if let (true, NumberPlace::Member(_, name)) = (a == *x && b != *x, &b) {
                    if holder(&a) == holder(&b) {
                        all.insert(name.clone());
                    }
                }
            }
        }
    }
    all
}

fn holder(x: &NumberPlace) -> Option<&str> {
    match x {
        NumberPlace::Member(of, _) => Some(of),
        _ => None,
    }
}

/// The two places that an expression adds, either one first.
fn sum_of(unit: usize, u: &Unit, e: ExprId) -> Vec<(NumberPlace, NumberPlace)> {
    let ExprKind::Binary {
        op: BinOp::Add,
        lhs,
        rhs,
    } = u.expr(e).kind
    else {
        return Vec::new();
    };
    let place = |e: ExprId| named(unit, u, strip_casts(u, e));
    match (place(lhs), place(rhs)) {
        (Some(a), Some(b)) => vec![(a.clone(), b.clone()), (b, a)],
        _ => Vec::new(),
    }
}

/// Does some function divide the sum of both at a value of its own?
fn divided(p: &Program, part: &NumberPlace, rest: &NumberPlace) -> bool {
    let both = (part.clone(), rest.clone());
    p.ids().any(|f| {
        let (unit, u) = (p.fns[f.index()].0, p.unit(f));
        let body = Node::Stmt(p.func(f).body);
        let sum = |e: ExprId| sum_of(unit, u, strip_casts(u, e)).contains(&both);
        let mut sums = HashSet::new();
        visit_decls(u, body, &mut |d, _| {
            for v in &d.vars {
                let exprs = v.init.iter();
                exprs.for_each(|i| init_exprs(i, &mut |e| sums.extend(sum(e).then_some(v.sym))));
            }
        });
        // By the value at which it is divided.
        let (mut parts, mut rests) = (HashSet::new(), HashSet::new());
        visit(u, body, &mut |n| {
            let Node::Expr(e) = n else { return true };
            let ExprKind::Assign { op: None, lhs, rhs } = u.expr(e).kind else {
                return true;
            };
            let value = strip_casts(u, rhs);
            let to = named(unit, u, lhs);
            match (&u.expr(value).kind, &u.expr(lhs).kind) {
                (ExprKind::Ident(v), _) if to.as_ref() == Some(part) => _ = parts.insert(*v),
                (_, ExprKind::Ident(t)) if sum(rhs) => _ = sums.insert(*t),
                (
                    ExprKind::Binary {
                        op: BinOp::Sub,
                        lhs,
                        rhs,
                    },
                    _,
                ) if to.as_ref() == Some(rest) => {
                    let ident = |e: ExprId| match u.expr(strip_casts(u, e)).kind {
                        ExprKind::Ident(s) => Some(s),
                        _ => None,
                    };
                    rests.extend(ident(*lhs).zip(ident(*rhs)));
                }
                _ => {}
            }
            true
        });
        rests
            .iter()
            .any(|(t, v)| sums.contains(t) && parts.contains(v))
    })
}
