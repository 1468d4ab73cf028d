//! What the order of bytes gave: a number looked at through characters or another member of its union, where the result is
//! kept; a number some of whose bytes were set.  A checkpoint moves values, so such a one is the source's.

use super::is_user;
use super::kept::{By, Cx, Order, Seen};
use crate::analysis::heap::one_line;
use crate::analysis::program::is_local;
use crate::analysis::walk::{strip_casts, visit, visit_decls, Node};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::tree::*;
use std::collections::{HashMap, HashSet};

pub fn check(cx: &Cx, list: &mut Vec<Order>, out: &mut Diagnostics) {
    let p = cx.p;
    for (unit, u) in p.units.iter().enumerate() {
        let all = (0..u.exprs.len()).map(|k| ExprId(k as u32));
        let mut places: Vec<(ExprId, By)> = all
            .filter_map(|e| match () {
                () if of_bytes(u, e) => Some((e, By::Bytes)),
                () if of_floats(u, e) => Some((e, By::Floats)),
                () => None,
            })
            .collect();
        let by = |long| if long { By::Long } else { By::Bytes };
        places.extend(of_unions(u).into_iter().map(|(e, long)| (e, by(long))));
        places.retain(|(e, _)| is_user(u, *e));
        for (e, by) in places {
            let text = one_line(u.slice(&u.expr(e).span));
            cx.truth_ends.set(by == By::Floats);
            let kept = match cx.written(unit, e) {
                Some(written) => written,
                None => cx.goes(unit, e, &mut HashSet::new()),
            };
            if !kept {
                continue;
            }
            list.push(Order::of(unit, u, e, by));
            if by == By::Floats {
                let text = called(u, e).unwrap_or_default();
                out.push(Diagnostic::advice(
                    u,
                    &u.expr(e).span,
                    Code::ByteOrder,
                    format!("each family of architectures has numbers of its own for what `{text}` gives, and it is kept across a checkpoint: a restart where they are others is refused"),
                    "ask again where it is used; PC3_BYTE_ORDER=ignore if nothing depends on it",
                ));
                continue;
            }
            out.push(Diagnostic::advice(
                u,
                &u.expr(e).span,
                Code::ByteOrder,
                format!("what `{text}` is depends on the order of bytes, and is kept across a checkpoint: a restart where it is another is refused"),
                "compute it anew where it is used, or use shifts, which mean the same everywhere; PC3_BYTE_ORDER=ignore if nothing depends on it",
            ));
        }
    }
    for (unit, u) in p.units.iter().enumerate() {
        for k in 0..u.exprs.len() {
            let e = ExprId(k as u32);
            let Some((to, from)) = copied(u, e).filter(|_| is_user(u, e)) else {
                continue;
            };
            let Some(by) = cx.no_characters(unit, from, &mut HashSet::new()) else {
                continue;
            };
            // `char *all = items;` leads to what the items are.
            let characters = is_characters_place(u, to)
                && cx.no_characters(unit, to, &mut HashSet::new()).is_none();
            if !characters || !cx.holds(unit, to) {
                continue;
            }
            list.push(Order::of(unit, u, e, by));
            let text = one_line(u.slice(&u.expr(to).span));
            out.push(Diagnostic::advice(
                u,
                &u.expr(e).span,
                Code::ByteOrder,
                format!("what is copied into the characters of `{text}` is something else, whose bytes a checkpoint keeps as they are: a restart where they have another order is refused"),
                "keep it in a variable of its type; PC3_BYTE_ORDER=ignore if it is not needed behind a location",
            ));
        }
    }
}

pub(super) fn called(u: &Unit, e: ExprId) -> Option<&str> {
    let ExprKind::Call { callee, .. } = &u.expr(e).kind else {
        return None;
    };
    let ExprKind::Ident(s) = u.expr(*callee).kind else {
        return None;
    };
    (u.sym(s).kind == SymKind::Func).then_some(u.sym(s).name.as_str())
}

/// A call of a function that answers with numbers of `fenv.h`.
fn of_floats(u: &Unit, e: ExprId) -> bool {
    matches!(
        called(u, e),
        Some(
            "fegetround"
                | "fetestexcept"
                | "fegetexcept"
                | "feenableexcept"
                | "fedisableexcept"
                | "_mm_getcsr"
        )
    )
}

/// A byte of a wider number: `((char *)&x)[i]`, `*(char *)p`.
fn of_bytes(u: &Unit, e: ExprId) -> bool {
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
            ExprKind::Cast { arg, .. } => {
                let from = match u.ty(u.expr(*arg).ty.ty) {
                    Type::Pointer(q) => q.ty,
                    Type::Array { elem, .. } => elem.ty,
                    _ => return false,
                };
                return width(u, from).is_some_and(|n| n != 8);
            }
            _ => return false,
        };
    }
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

fn pointed(u: &Unit, e: ExprId) -> Option<TypeId> {
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
fn base(u: &Unit, e: ExprId) -> Option<SymId> {
    match &u.expr(strip_casts(u, e)).kind {
        ExprKind::Ident(s) => Some(*s),
        ExprKind::Binary { lhs, rhs, .. } => match pointed(u, *lhs) {
            Some(_) => base(u, *lhs),
            None => base(u, *rhs),
        },
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

/// Of a `long`: like nothing else.
const LONG: u32 = 0;

/// Bits of the numbers that a member consists of.
fn width(u: &Unit, ty: TypeId) -> Option<u32> {
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

impl Cx<'_> {
    /// Does a pointer surely lead to numbers, or to what has some?  Those of no type are what the callers give.
    pub fn no_characters(&self, unit: usize, e: ExprId, seen: &mut HashSet<Seen>) -> Option<By> {
        let u = &self.p.units[unit];
        let e = strip_casts(u, e);
        let to = pointed(u, e)?;
        if matches!(u.ty(to), Type::Int(_) | Type::Float(_) | Type::Array { .. }) {
            match width(u, to)? {
                8 => {}
                LONG => return Some(By::Long),
                _ => return Some(By::Bytes),
            }
        }
        if matches!(u.ty(to), Type::Record(_) | Type::Pointer(_)) {
            return more_than_characters(u, to).then_some(By::Long);
        }
        let s = base(u, e)?;
        if is_local(u.sym(s)) && seen.insert(Seen::Variable(unit, s)) {
            let f = u.sym(s).func?;
            let Some(at) = u.func(f).params.iter().position(|p| *p == s) else {
                let mut given = self.given(unit, s).into_iter();
                return given.find_map(|e| self.no_characters(unit, e, seen));
            };
            return self
                .calls(self.p.id(unit, f))
                .iter()
                .find_map(|(unit, call)| {
                    let ExprKind::Call { args, .. } = &self.p.units[*unit].expr(*call).kind else {
                        return None;
                    };
                    self.no_characters(*unit, *args.get(at)?, seen)
                });
        }
        None
    }
}
