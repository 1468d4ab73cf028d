//! Memory with a head of the function's own in front of what its callers asked for:
//! `h = malloc(sizeof *h + n); h->size = n; return h + 1;`. The callers say the type of what is behind it, so such an object
//! is the head's members and then as many of theirs as there is room for.

use super::flow::{Follow, PointerFlow};
use super::types::trailing;
use super::wrappers::Calls;
use crate::addresses::NumberPlace;
use pc3_program::program::{is_local, FnId, Program};
use pc3_program::walk::{strip_casts, visit, Node};
use pc3_syntax::tree::*;
use std::collections::HashSet;

/// An allocation of such memory.
#[derive(Clone, Debug)]
pub struct Headed {
    pub unit: usize,
    pub call: ExprId,
    /// The parameter that says how much is behind it.
    pub asked: SymId,
    /// What it may begin with; by a condition, there are two.
    pub cond: Option<ExprId>,
    pub heads: Vec<Option<Head>>,
}

#[derive(Clone, Debug)]
pub struct Head {
    pub of: QualType,
    /// What is behind it begins where this member is; else where it ends.
    pub member: Option<String>,
    /// Its members that say how many bytes were asked for.
    pub counts: Vec<String>,
}

impl Headed {
    /// Is it a member that says how many bytes were asked for?
    pub fn counts(&self, p: &Program, place: &NumberPlace) -> bool {
        let u = &p.units[self.unit];
        self.heads.iter().flatten().any(|h| match u.ty(h.of.ty) {
            Type::Record(r) => {
                let mut all = h.counts.iter();
                all.any(|name| NumberPlace::member(self.unit, u, *r, name) == *place)
            }
            _ => false,
        })
    }
}

/// What an allocation of `func` puts in front, if its size is that and a parameter.
pub fn heads(
    flow: &PointerFlow,
    func: &Function,
    call: ExprId,
    sizes: &[ExprId],
) -> Option<Headed> {
    let [size] = sizes else { return None };
    let u = flow.u;
    let (front, asked) = sum(flow, func, whole(flow, *size))?;
    let front = strip_casts(u, front);
    let (cond, list) = match u.expr(front).kind {
        ExprKind::Cond {
            cond,
            then: Some(then),
            els,
        } => (
            Some(cond).filter(|c| is_plain(u, func, *c)),
            vec![then, els],
        ),
        _ => (None, vec![front]),
    };
    let heads: Vec<Option<Head>> = list.iter().map(|e| head(flow, *e, asked)).collect();
    let clear = cond.is_some() || heads.len() == 1;
    (clear && heads.iter().any(Option::is_some)).then_some(Headed {
        unit: flow.unit,
        call,
        asked,
        cond,
        heads,
    })
}

/// A variable's only value.
fn whole(flow: &PointerFlow, e: ExprId) -> ExprId {
    let e = strip_casts(flow.u, e);
    match flow.u.expr(e).kind {
        ExprKind::Ident(s) => flow.only_value(s).map_or(e, |v| strip_casts(flow.u, v)),
        _ => e,
    }
}

/// `front + n`
fn sum(flow: &PointerFlow, func: &Function, e: ExprId) -> Option<(ExprId, SymId)> {
    let u = flow.u;
    let ExprKind::Binary {
        op: BinOp::Add,
        lhs,
        rhs,
    } = u.expr(e).kind
    else {
        return None;
    };
    let param = |e: ExprId| match u.expr(strip_casts(u, e)).kind {
        ExprKind::Ident(s) if func.params.contains(&s) && flow.is_unchanged(s) => Some(s),
        _ => None,
    };
    match (param(lhs), param(rhs)) {
        (Some(n), None) => Some((rhs, n)),
        (None, Some(n)) => Some((lhs, n)),
        _ => None,
    }
}

fn head(flow: &PointerFlow, e: ExprId, asked: SymId) -> Option<Head> {
    let u = flow.u;
    let (of, member) = match &u.expr(strip_casts(u, e)).kind {
        ExprKind::SizeofType(q) => (*q, None),
        ExprKind::SizeofExpr(x) => (u.expr(*x).ty, None),
        ExprKind::Offsetof {
            ty,
            member,
            indices,
        } if indices.is_empty() => (*ty, Some(member.clone())),
        _ => return None,
    };
    let Type::Record(r) = u.ty(of.ty) else {
        return None;
    };
    let d = &u.records[r.index()];
    let fields = d.fields.as_ref().filter(|_| !d.is_union)?;
    let longer = member.is_none() && trailing(u, of).is_some();
    let known = member.as_ref().is_none_or(|m| {
        fields
            .iter()
            .any(|f| f.name.as_ref() == Some(m) && !matches!(u.ty(f.ty.ty), Type::Array { .. }))
    });
    (!longer && known).then(|| Head {
        of,
        member,
        counts: counts(flow, *r, asked),
    })
}

/// Members that are given the parameter, and nothing else; of all structs that have a member of this name.
fn counts(flow: &PointerFlow, r: RecordId, asked: SymId) -> Vec<String> {
    let u = flow.u;
    let fields = u.records[r.index()].fields.iter().flatten();
    let names = fields
        .filter(|f| matches!(u.ty(f.ty.ty), Type::Int(_)))
        .filter_map(|f| f.name.clone());
    let given = |name: &String| {
        let mut all = flow.p.units.iter().enumerate().flat_map(|(unit, v)| {
            v.exprs.iter().filter_map(move |x| match x.kind {
                ExprKind::Assign { op, lhs, rhs } => Some((unit, op, lhs, rhs)),
                ExprKind::AddrOf(e)
                | ExprKind::Unary {
                    op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
                    arg: e,
                } => Some((unit, Some(BinOp::Add), e, e)),
                _ => None,
            })
        });
        let is = |unit: usize, e: ExprId| match &flow.p.units[unit].expr(e).kind {
            ExprKind::Member { name: n, base, .. } => {
                n == name && same_struct(flow, r, unit, *base)
            }
            _ => false,
        };
        let is_asked = |unit: usize, e: ExprId| {
            let v = &flow.p.units[unit];
            unit == flow.unit
                && matches!(v.expr(strip_casts(v, e)).kind, ExprKind::Ident(s) if s == asked)
        };
        let mut any = false;
        let only = all.all(|(unit, op, lhs, rhs)| {
            let here = is(unit, lhs);
            any |= here;
            !here || op.is_none() && is_asked(unit, rhs)
        });
        any && only
    };
    names.filter(given).collect()
}

/// Is it the struct, or one that begins as it does?
fn same_struct(flow: &PointerFlow, r: RecordId, unit: usize, base: ExprId) -> bool {
    let v = &flow.p.units[unit];
    let mut t = v.expr(base).ty;
    if let Type::Pointer(to) = v.ty(t.ty) {
        t = *to;
    }
    let Type::Record(other) = v.ty(t.ty) else {
        return false;
    };
    let names = |u: &Unit, r: RecordId| -> Vec<Option<String>> {
        let fields = u.records[r.index()].fields.iter().flatten();
        fields.take(3).map(|f| f.name.clone()).collect()
    };
    let (a, b) = (names(flow.u, r), names(v, *other));
    a.iter().zip(&b).all(|(x, y)| x == y)
}

/// May a condition be computed once more?
fn is_plain(u: &Unit, func: &Function, e: ExprId) -> bool {
    let mut plain = true;
    visit(u, Node::Expr(e), &mut |n| {
        if let Node::Expr(x) = n {
            plain &= match u.expr(x).kind {
                ExprKind::Ident(s) => {
                    let taken = |y: &Expr| match y.kind {
                        ExprKind::AddrOf(of) => {
                            matches!(u.expr(of).kind, ExprKind::Ident(v) if v == s)
                        }
                        _ => false,
                    };
                    is_local(u.sym(s)) && func.params.contains(&s) && !u.exprs.iter().any(taken)
                }
                ExprKind::Int(_) | ExprKind::Cast { .. } => true,
                ExprKind::Binary { op, .. } => !matches!(op, BinOp::LogAnd | BinOp::LogOr),
                _ => false,
            };
        }
        true
    });
    plain
}

/// Does the function hand out such memory: the head, to callers that know it, or what is behind it?
pub(crate) fn is_handed_out(calls: &Calls, func: &Function, call: ExprId, follow: &Follow) -> bool {
    let flow = follow.flow;
    let u = flow.u;
    let record = |q: QualType| match u.ty(q.ty) {
        Type::Pointer(to) => matches!(u.ty(to.ty), Type::Record(_)),
        _ => false,
    };
    let known = calls.target(flow.unit, call);
    let of_headed = known.is_some_and(|f| calls.headed.contains(&f));
    flow.is_behind_header(call)
        || record(func.ret) && follow.is_returned(call)
        || of_headed && follow.is_returned(call)
}

/// Functions whose callers say what is behind a head, in the whole program.
pub type Functions = HashSet<FnId>;
