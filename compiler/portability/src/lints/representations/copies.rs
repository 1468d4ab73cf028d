//! Numbers whose bytes are copied into characters that are kept: by `memcpy` and its like, by loops, by functions of the
//! program that do it for their callers.

use crate::heap::one_line;
use crate::lints::bytes::{called, of_bytes, width, LONG};
use crate::lints::is_user;
use crate::lints::reaches_checkpoint::{Cx, Dependence, OrderDependence, Seen};
use pc3_program::program::{is_local, FnId};
use pc3_program::walk::{strip_casts, visit, Node};
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics};
use pc3_syntax::tree::*;
use std::collections::{HashMap, HashSet};

/// Expression `at` of a unit copies bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Copy {
    unit: usize,
    at: ExprId,
    to: ExprId,
    from: ExprId,
}

pub fn check(cx: &Cx, list: &mut Vec<OrderDependence>, out: &mut Diagnostics) {
    let p = cx.p;
    let mut copies = Vec::new();
    // Of functions that copy between what their parameters lead to: which those are.
    let mut between: HashMap<FnId, (usize, usize)> = HashMap::new();
    for (unit, u) in p.units.iter().enumerate() {
        for at in (0..u.exprs.len()).map(|k| ExprId(k as u32)) {
            if let Some((to, from)) = copied(u, at) {
                copies.push(Copy { unit, at, to, from });
            } else if let Some((to, from)) = one_byte(cx, unit, at) {
                match (parameter(cx, unit, to), parameter(cx, unit, from)) {
                    (Some((f, to)), Some((_, from))) => {
                        between.insert(p.id(unit, f), (to, from));
                    }
                    _ => copies.push(Copy { unit, at, to, from }),
                }
            }
        }
    }
    for (f, (to, from)) in between {
        for (unit, at) in cx.calls(f).copied() {
            let u = &p.units[unit];
            let ExprKind::Call { args, .. } = &u.expr(at).kind else {
                continue;
            };
            if let (Some(to), Some(from)) = (args.get(to), args.get(from)) {
                let (to, from) = (strip_casts(u, *to), strip_casts(u, *from));
                copies.push(Copy { unit, at, to, from });
            }
        }
    }
    copies.sort_by_key(|c| (c.unit, c.at.0, c.to.0, c.from.0));
    copies.dedup();
    copies.into_iter().for_each(|c| tell(cx, c, list, out));
}

fn tell(
    cx: &Cx,
    Copy { unit, at, to, from }: Copy,
    list: &mut Vec<OrderDependence>,
    out: &mut Diagnostics,
) {
    let u = &cx.p.units[unit];
    if !is_user(u, at) {
        return;
    }
    let mut numbers = Vec::new();
    cx.numbers_behind(unit, from, &mut HashSet::new(), &mut numbers);
    if numbers.is_empty() {
        return;
    }
    // `char *all = items;` leads to what the items are.
    let characters =
        is_characters_place(u, to) && cx.no_characters(unit, to, &mut HashSet::new()).is_none();
    if !characters || !cx.holds(unit, to) || cx.is_scratch(unit, to) {
        return;
    }
    for (there, e, by) in numbers {
        list.push(OrderDependence::of(unit, u, at, by).where_runs(there, e));
    }
    let text = one_line(u.slice(&u.expr(to).span));
    out.push(Diagnostic::advice(
        u,
        &u.expr(at).span,
        Code::ByteOrder,
        format!("what is copied into the characters of `{text}` is something else, whose bytes a checkpoint keeps as they are: a restart where they have another order is refused"),
        "keep it in a variable of its type; PC3_BYTE_ORDER=ignore if it is not needed behind a location",
    ));
}

/// Where a call of `memcpy` copies to, and from where.
fn copied(u: &Unit, e: ExprId) -> Option<(ExprId, ExprId)> {
    let name = called(u, e)?;
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    let ExprKind::Call { args, .. } = &u.expr(e).kind else {
        return None;
    };
    match (name, &args[..]) {
        ("memcpy" | "memmove" | "mempcpy", [to, from, _]) => {
            Some((strip_casts(u, *to), strip_casts(u, *from)))
        }
        _ => None,
    }
}

/// Where a character is copied to, and from where: `to[i] = from[i]`, `*to++ = *from++`.
fn one_byte(cx: &Cx, unit: usize, e: ExprId) -> Option<(ExprId, ExprId)> {
    let u = &cx.p.units[unit];
    let ExprKind::Assign { op: None, lhs, rhs } = u.expr(e).kind else {
        return None;
    };
    let side = |e: ExprId| match u.expr(e).kind {
        ExprKind::Index { base, .. } | ExprKind::Deref(base) => {
            is_characters_place(u, base).then_some(base)
        }
        _ => None,
    };
    let from = strip_casts(u, rhs);
    // What leads to a number as all can see is told for itself.
    let found = Some((side(lhs)?, side(from)?));
    found.filter(|_| !of_bytes(cx, unit, from))
}

/// The parameter that a pointer is computed from, by way of locals.
fn parameter(cx: &Cx, unit: usize, e: ExprId) -> Option<(FuncId, usize)> {
    let u = &cx.p.units[unit];
    let mut s = base(u, e)?;
    // Longer chains are hardly written.
    for _ in 0..4 {
        let f = u.sym(s).func.filter(|_| is_local(u.sym(s)))?;
        if let Some(at) = u.func(f).params.iter().position(|p| *p == s) {
            return Some((f, at));
        }
        let mut given = cx.values_of(unit, s).iter();
        s = given.find_map(|e| base(u, *e).filter(|b| *b != s))?;
    }
    None
}

pub(in crate::lints) fn pointed(u: &Unit, e: ExprId) -> Option<TypeId> {
    match u.ty(u.expr(e).ty.ty) {
        Type::Pointer(q) => Some(q.ty),
        Type::Array { elem, .. } => Some(elem.ty),
        _ => None,
    }
}

fn more_than_characters(u: &Unit, ty: TypeId) -> bool {
    match u.ty(ty) {
        Type::Record(r) => {
            let mut fields = u.records[r.index()].fields.iter().flatten();
            fields.any(|f| more_than_characters(u, f.ty.ty))
        }
        Type::Array { elem, .. } => more_than_characters(u, elem.ty),
        _ => width(u, ty) != Some(8),
    }
}

/// The variable that a pointer is computed from.
pub(in crate::lints) fn base(u: &Unit, e: ExprId) -> Option<SymId> {
    match &u.expr(strip_casts(u, e)).kind {
        ExprKind::Ident(s) => Some(*s),
        ExprKind::Binary { lhs, rhs, .. } => match pointed(u, *lhs) {
            Some(_) => base(u, *lhs),
            None => base(u, *rhs),
        },
        ExprKind::Unary {
            op: UnOp::PreInc | UnOp::PreDec | UnOp::PostInc | UnOp::PostDec,
            arg,
        } => base(u, *arg),
        ExprKind::AddrOf(of) => match &u.expr(*of).kind {
            ExprKind::Index { base: of, .. } => base(u, *of),
            _ => None,
        },
        _ => None,
    }
}

fn is_characters_place(u: &Unit, e: ExprId) -> bool {
    pointed(u, e).is_some_and(|t| {
        matches!(
            u.ty(t),
            Type::Int(IntKind::Char | IntKind::SChar | IntKind::UChar)
        )
    })
}

impl Cx<'_> {
    /// Does a pointer surely lead to numbers, or to what has some?  Those of no type are what the callers give.
    pub(crate) fn no_characters(
        &self,
        unit: usize,
        e: ExprId,
        seen: &mut HashSet<Seen>,
    ) -> Option<Dependence> {
        let mut all = Vec::new();
        self.numbers_behind(unit, e, seen, &mut all);
        all.first().map(|n| n.2)
    }

    /// Where it is that it does: units and expressions.
    fn numbers_behind(
        &self,
        unit: usize,
        e: ExprId,
        seen: &mut HashSet<Seen>,
        out: &mut Vec<(usize, ExprId, Dependence)>,
    ) {
        let u = &self.p.units[unit];
        let e = strip_casts(u, e);
        let Some(to) = pointed(u, e) else { return };
        let mut found = |by| out.push((unit, e, by));
        if matches!(u.ty(to), Type::Int(_) | Type::Float(_) | Type::Array { .. }) {
            match width(u, to) {
                None => return,
                Some(8) => {}
                Some(LONG) => return found(Dependence::Long),
                Some(_) => return found(Dependence::Bytes),
            }
        }
        if matches!(u.ty(to), Type::Record(_) | Type::Pointer(_)) {
            if more_than_characters(u, to) {
                found(Dependence::Long);
            }
            return;
        }
        let Some(s) = base(u, e) else { return };
        let Some(f) = u.sym(s).func.filter(|_| is_local(u.sym(s))) else {
            return;
        };
        if !seen.insert(Seen::Variable(unit, s)) {
            return;
        }
        let Some(at) = u.func(f).params.iter().position(|p| *p == s) else {
            // `text = wider(text)`: what it was before is what was copied there.
            let other = |e: &&ExprId| !mentions(u, **e, s);
            let given = self.values_of(unit, s).iter().filter(other);
            return given.for_each(|e| self.numbers_behind(unit, *e, seen, out));
        };
        let given = |g| Seen::Given(g, at);
        for (unit, call) in self.new_calls(self.p.id(unit, f), given, seen) {
            let ExprKind::Call { args, .. } = &self.p.units[*unit].expr(*call).kind else {
                continue;
            };
            if let Some(a) = args.get(at) {
                self.numbers_behind(*unit, *a, seen, out);
            }
        }
    }
}

fn mentions(u: &Unit, e: ExprId, s: SymId) -> bool {
    let mut found = false;
    visit(u, Node::Expr(e), &mut |n| {
        found |=
            matches!(n, Node::Expr(x) if matches!(u.expr(x).kind, ExprKind::Ident(v) if v == s));
        !found
    });
    found
}
