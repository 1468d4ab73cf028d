//! Constants that a `long` of 32 bits changes: `long l = 0xf2345678` is negative there, `unsigned long u = -4` is
//! less than on 64 bits, `LONG_MAX` is another number.  A checkpoint from 32 bits holds the changed number, and nothing in it says so.  So a program for
//! 64 bits knows such constants, and a restart refuses the numbers that they become.

use crate::addresses::{parents, NumberPlace, Numbers, Parent, Parents};
use crate::lints::in_users_file;
use crate::lints::range::Longs;
use crate::lints::words::{self, Words};
use pc3_program::program::Program;
use pc3_program::walk::strip_casts;
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics};
use pc3_syntax::tree::*;
use std::collections::HashMap;

/// What a restart is to know of one.
#[derive(Clone, Debug)]
pub struct Wide {
    pub unit: usize,
    /// The 32 bits that it becomes.
    pub low: u32,
    pub signed: bool,
    /// `0xf2345678 (t.c:14)`
    pub what: String,
}

/// Of which constants it must be known where they go.
pub fn candidate(u: &Unit, e: ExprId) -> bool {
    u.target.long_bits == 64
        && matches!(
            u.ty(u.expr(e).ty.ty),
            Type::Int(IntKind::Int | IntKind::UInt | IntKind::Long | IntKind::ULong)
        )
        && (value(u, e).is_some() || limit(u, e).is_some())
}

/// What a limit of `long`, or a part of one, is where that has 32 bits.
fn limit(u: &Unit, e: ExprId) -> Option<i128> {
    let x = u.expr(e);
    if !matches!(u.ty(x.ty.ty), Type::Int(IntKind::Long | IntKind::ULong)) {
        return None;
    }
    let (wide, narrow) = Words::new(u).values(e)?;
    (wide != narrow && narrow.abs() >= 1 << 29).then_some(narrow)
}

/// Its value, and whether it is one that an unsigned `long` changes (else a signed one).
fn value(u: &Unit, e: ExprId) -> Option<(i128, bool)> {
    let v = u.view().eval(e)?;
    let negative = i128::from(i32::MIN)..0;
    // All that is negative, as 64 bits without a sign have it.
    let wrapped = (1i128 << 64) - (1 << 31)..1i128 << 64;
    let large = 1i128 << 31..1i128 << 32;
    if large.contains(&v) {
        Some((v, false))
    } else {
        (negative.contains(&v) || wrapped.contains(&v)).then_some((v, true))
    }
}

pub fn check(
    p: &Program,
    numbers: &Numbers,
    saved: &dyn Fn(usize, FuncId, SymId) -> bool,
    out: &mut Diagnostics,
) -> Vec<Wide> {
    let mut all: Vec<Wide> = Vec::new();
    let mut above: HashMap<usize, Parents> = HashMap::new();
    let longs = Longs::new(p);
    for w in numbers.wanted() {
        let u = &p.units[w.unit];
        if !in_users_file(u, w.of) || !candidate(u, w.of) {
            continue;
        }
        let (v, unsigned) = match value(u, w.of) {
            Some((v, unsigned)) => (v, Some(unsigned)),
            None => match limit(u, w.of) {
                Some(narrow) => (narrow, None),
                None => continue,
            },
        };
        let of = |x: &&NumberPlace| match unsigned {
            Some(unsigned) => longs.is(x, unsigned),
            None => longs.any(x),
        };
        let to = w.to.iter().flat_map(|x| numbers.ends(x));
        let from: Vec<NumberPlace> = to.filter(of).cloned().collect();
        let above = above.entry(w.unit).or_insert_with(|| parents(u));
        if from.is_empty() || part(u, above, w.of, unsigned.is_none()) {
            continue;
        }
        let reached = numbers.reached(&from, &|x| {
            !matches!(
                x,
                NumberPlace::Memory(_) | NumberPlace::Elements(_) | NumberPlace::Pointer
            )
        });
        let kept: Vec<&NumberPlace> = reached
            .into_iter()
            .filter(|x| of(x) && x.kept(p, saved))
            .collect();
        if kept.is_empty() {
            continue;
        }
        // The one that it is put into, if that is kept.
        let direct = |x: &&NumberPlace| from.contains(*x);
        let (first, other): (Vec<&NumberPlace>, Vec<&NumberPlace>) =
            kept.iter().copied().partition(direct);
        let named = |list: &[&NumberPlace]| list.iter().filter_map(|x| x.name(p)).min();
        let name = named(&first).or_else(|| named(&other));
        let text = words::named(u, w.of);
        for unsigned in [false, true] {
            if kept.iter().any(|x| longs.is(x, unsigned)) {
                add(&mut all, p, (w.unit, w.of), (v as u32, !unsigned));
            }
        }
        // `-1` is what everyone writes.
        let usual = v == -1 || v == i128::from(u64::MAX);
        if let Some(place) = name.filter(|_| !usual) {
            let message = format!("a `long` of 32 bits changes `{text}`, and `{place}` is kept in checkpoints: from 32 to 64 bits a restart with it is refused");
            let help = "use `long long` or `int64_t`, which have 64 bits everywhere, or a number that fits";
            let span = &u.expr(w.of).span;
            out.push(Diagnostic::advice(u, span, Code::LongWidth, message, help));
        }
    }
    compared(p, &mut all);
    all
}

fn add(all: &mut Vec<Wide>, p: &Program, (unit, e): (usize, ExprId), (low, signed): (u32, bool)) {
    if all.iter().any(|x| (x.low, x.signed) == (low, signed)) {
        return;
    }
    let u = &p.units[unit];
    let at = u.lines.position(u.expr(e).span.start);
    let text = words::named(u, e);
    let what = format!("`{text}` ({}:{})", at.file, at.line);
    all.push(Wide {
        unit,
        low,
        signed,
        what,
    });
}

/// Limits that variables are compared with: a library may have put them there.
fn compared(p: &Program, all: &mut Vec<Wide>) {
    for (unit, u) in p.units.iter().enumerate() {
        if u.target.long_bits != 64 {
            continue;
        }
        for x in &u.exprs {
            let ExprKind::Binary { op, lhs, rhs } = x.kind else {
                continue;
            };
            if !matches!(
                op,
                BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Gt | BinOp::Le | BinOp::Ge
            ) {
                continue;
            }
            for (e, other) in [(lhs, rhs), (rhs, lhs)] {
                let variable = strip_casts(u, other);
                let is_variable = matches!(
                    u.expr(variable).kind,
                    ExprKind::Ident(_)
                        | ExprKind::Member { .. }
                        | ExprKind::Index { .. }
                        | ExprKind::Deref(_)
                );
                let signed = match u.ty(u.expr(variable).ty.ty) {
                    Type::Int(IntKind::Long) => true,
                    Type::Int(IntKind::ULong) => false,
                    _ => continue,
                };
                if !is_variable || !in_users_file(u, e) {
                    continue;
                }
                if let Some(narrow) = limit(u, e) {
                    add(all, p, (unit, e), (narrow as u32, signed));
                }
            }
        }
    }
}

/// Is it an operand, of a larger constant or of something else, or in a struct (if that matters)?
fn part(u: &Unit, above: &Parents, e: ExprId, structs: bool) -> bool {
    match above.get(&e) {
        Some(Parent::Expr(up)) => match &u.expr(*up).kind {
            ExprKind::Binary { .. } | ExprKind::Unary { .. } => true,
            ExprKind::Assign { op, .. } => op.is_some(),
            ExprKind::CompoundLit { ty, .. } => !structs && !is_of_numbers(u, ty.ty),
            ExprKind::Cast { .. } => u.view().eval(*up).is_some() || part(u, above, *up, structs),
            _ => false,
        },
        Some(Parent::Variable(s)) => !structs && !is_of_numbers(u, u.sym(*s).ty.ty),
        _ => false,
    }
}

/// Which member of a struct an initialiser means is not known here.
fn is_of_numbers(u: &Unit, ty: TypeId) -> bool {
    matches!(
        u.ty(pc3_program::annotations::integers(u, ty)),
        Type::Int(_)
    )
}
