//! What the order of bytes gave: a number looked at through characters or another member of its union, where the result is
//! kept; a number some of whose bytes were set.  A checkpoint moves values, so such a one is the source's.

use crate::heap::one_line;
use crate::lints::is_user;
use crate::lints::reaches_checkpoint::{Cx, Dependence, OrderDependence};
use pc3_program::program::is_local;
use pc3_program::walk::{visit, visit_decls, Node};
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics};
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

pub fn check(cx: &Cx, list: &mut Vec<OrderDependence>, out: &mut Diagnostics) {
    let p = cx.p;
    cx.truth_ends.set(false);
    for (unit, u) in p.units.iter().enumerate() {
        let all = (0..u.exprs.len()).map(|k| ExprId(k as u32));
        let mut places: Vec<(ExprId, Dependence)> = all
            .filter(|e| of_bytes(cx, unit, *e))
            .map(|e| (e, Dependence::Bytes))
            .collect();
        let by = |long| {
            if long {
                Dependence::Long
            } else {
                Dependence::Bytes
            }
        };
        places.extend(of_unions(u).into_iter().map(|(e, long)| (e, by(long))));
        places.retain(|(e, _)| is_user(u, *e));
        for (e, by) in places {
            let text = one_line(u.slice(&u.expr(e).span));
            let kept = match cx.written(unit, e) {
                Some(written) => written,
                None => cx.goes(unit, e, &mut HashSet::new()),
            };
            if !kept {
                continue;
            }
            list.push(OrderDependence::of(unit, u, e, by));
            out.push(Diagnostic::advice(
                u,
                &u.expr(e).span,
                Code::ByteOrder,
                format!("what `{text}` is depends on the order of bytes, and is kept across a checkpoint: a restart where it is another is refused"),
                "compute it anew where it is used, or use shifts, which mean the same everywhere; PC3_BYTE_ORDER=ignore if nothing depends on it",
            ));
        }
    }
}

pub(in crate::lints) fn called(u: &Unit, e: ExprId) -> Option<&str> {
    let ExprKind::Call { callee, .. } = &u.expr(e).kind else {
        return None;
    };
    let ExprKind::Ident(s) = u.expr(*callee).kind else {
        return None;
    };
    (u.sym(s).kind == SymKind::Func).then_some(u.sym(s).name.as_str())
}

/// A byte of a wider number: `((char *)&x)[i]`, `*(char *)p`, `bytes[i]` where `bytes` is a local that leads to such.
pub(in crate::lints) fn of_bytes(cx: &Cx, unit: usize, e: ExprId) -> bool {
    let u = &cx.p.units[unit];
    let (ExprKind::Index { base, .. } | ExprKind::Deref(base)) = u.expr(e).kind else {
        return false;
    };
    if !matches!(
        u.ty(u.expr(e).ty.ty),
        Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar)
    ) {
        return false;
    }
    let mut base = base;
    loop {
        base = match &u.expr(base).kind {
            ExprKind::Binary {
                op: BinOp::Add | BinOp::Sub,
                lhs,
                rhs,
            } => match u.ty(u.expr(*lhs).ty.ty) {
                Type::Pointer(_) | Type::Array { .. } => *lhs,
                _ => *rhs,
            },
            ExprKind::Cast { arg, .. } => return of_number(u, *arg),
            ExprKind::Ident(s) if is_local(u.sym(*s)) && u.sym(*s).kind == SymKind::Var => {
                let given = cx.values_of(unit, *s);
                // Others may be for characters that are written first.
                let read = matches!(u.ty(u.sym(*s).ty.ty), Type::Pointer(to) if to.is_const);
                let cast = |e: &ExprId| match u.expr(*e).kind {
                    ExprKind::Cast { arg, .. } => of_number(u, arg) && (read || is_one(u, arg)),
                    _ => false,
                };
                return !given.is_empty() && given.iter().all(cast);
            }
            ExprKind::Unary {
                op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                arg,
            } => *arg,
            _ => return false,
        };
    }
}

/// The address of a variable or a member?
fn is_one(u: &Unit, e: ExprId) -> bool {
    match u.expr(e).kind {
        ExprKind::AddrOf(of) => matches!(
            u.expr(of).kind,
            ExprKind::Ident(_) | ExprKind::Member { .. }
        ),
        _ => false,
    }
}

/// Does a pointer lead to numbers wider than characters?
fn of_number(u: &Unit, pointer: ExprId) -> bool {
    let to = match u.ty(u.expr(pointer).ty.ty) {
        Type::Pointer(q) => q.ty,
        Type::Array { elem, .. } => elem.ty,
        _ => return false,
    };
    width(u, to).is_some_and(|n| n != 8)
}

/// Of a `long`: like nothing else.
pub(in crate::lints) const LONG: u32 = 0;

/// Bits of the numbers that a member consists of.
pub(in crate::lints) fn width(u: &Unit, ty: TypeId) -> Option<u32> {
    match u.ty(ty) {
        Type::Int(IntKind::Long | IntKind::ULong) => Some(LONG),
        Type::Int(k) => Some(u.target.bits(*k)),
        Type::Float(FloatKind::Float) => Some(32),
        Type::Float(FloatKind::Double) => Some(64),
        Type::Array { elem, .. } => width(u, elem.ty),
        _ => None,
    }
}

/// Members of local unions that are read where one of other numbers was written before.
fn of_unions(u: &Unit) -> Vec<(ExprId, bool)> {
    let mut found = Vec::new();
    for f in &u.functions {
        let unions: HashSet<SymId> = f
            .locals
            .iter()
            .copied()
            .filter(|s| is_local(u.sym(*s)) && fields(u, *s).is_some())
            .collect();
        if unions.is_empty() {
            continue;
        }
        let mut uses: Vec<(u32, SymId, Option<u32>, Option<ExprId>)> = Vec::new();
        visit_decls(u, Node::Stmt(f.body), &mut |d, _| {
            for v in d.vars.iter().filter(|v| unions.contains(&v.sym)) {
                if let Some(Init::List { items, span }) = &v.init {
                    let plain = items.iter().all(|i| i.designators.is_empty());
                    let first = fields(u, v.sym).and_then(|f| f.first());
                    let first = first.filter(|_| plain && !u.slice(span).contains('.'));
                    uses.push((
                        span.start,
                        v.sym,
                        first.and_then(|f| width(u, f.ty.ty)),
                        None,
                    ));
                }
            }
        });
        let (mut targets, mut bases) = (HashSet::new(), HashSet::new());
        visit(u, Node::Stmt(f.body), &mut |n| {
            let Node::Expr(e) = n else { return true };
            let x = u.expr(e);
            if let ExprKind::Member { base, .. } = x.kind {
                bases.insert(base);
            }
            match &x.kind {
                ExprKind::Assign { op, lhs, .. } => {
                    if let Some((m, s, bits)) = member(u, *lhs, &unions) {
                        targets.insert(m);
                        // What is assigned comes before.
                        uses.push((x.span.end, s, Some(bits), None));
                        if op.is_some() {
                            uses.push((x.span.start, s, Some(bits), Some(m)));
                        }
                    }
                }
                ExprKind::AddrOf(a) => {
                    if let Some((m, s, _)) = member(u, *a, &unions) {
                        targets.insert(m);
                        uses.push((x.span.start, s, None, None));
                    }
                }
                ExprKind::Member { .. } if !targets.contains(&e) => {
                    if let Some((m, s, bits)) = member(u, e, &unions).filter(|m| m.0 == e) {
                        uses.push((x.span.start, s, Some(bits), Some(m)));
                    }
                }
                // As a whole: nothing is known any more.
                ExprKind::Ident(s) if unions.contains(s) && !bases.contains(&e) => {
                    uses.push((x.span.start, *s, None, None));
                }
                _ => {}
            }
            true
        });
        uses.sort_by_key(|x| (x.0, x.3.is_none()));
        let mut last: HashMap<SymId, Option<u32>> = HashMap::new();
        for (_, s, bits, read) in uses {
            match read {
                Some(e) => {
                    if let (Some(Some(written)), Some(bits)) = (last.get(&s), bits) {
                        if *written != bits {
                            found.push((e, *written == LONG || bits == LONG));
                        }
                    }
                }
                None => {
                    last.insert(s, bits);
                }
            }
        }
    }
    found
}

fn fields(u: &Unit, s: SymId) -> Option<&[Field]> {
    match u.ty(u.sym(s).ty.ty) {
        Type::Record(r) if u.records[r.index()].is_union => u.records[r.index()].fields.as_deref(),
        _ => None,
    }
}

/// `u.words[1]`: the member's expression, the union, and the bits of its numbers.
fn member(u: &Unit, e: ExprId, unions: &HashSet<SymId>) -> Option<(ExprId, SymId, u32)> {
    match &u.expr(e).kind {
        ExprKind::Index { base, .. } => member(u, *base, unions),
        ExprKind::Member {
            base, arrow: false, ..
        } => match u.expr(*base).kind {
            ExprKind::Ident(s) if unions.contains(&s) => Some((e, s, width(u, u.expr(e).ty.ty)?)),
            _ => None,
        },
        _ => None,
    }
}
