//! Constants that a `long` of 32 bits changes: `long l = 0xf2345678` is negative there, `unsigned long u = -4` is
//! less than on 64 bits.  A checkpoint from 32 bits holds the changed number, and nothing in it says so.  So a program for
//! 64 bits knows such constants, and a restart refuses the numbers that they become.

use super::is_user;
use super::range::longs;
use crate::analysis::addresses::{parents, Numbers, Parent, Parents, Place};
use crate::analysis::heap::one_line;
use crate::analysis::program::Program;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::tree::*;
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
        && value(u, e).is_some()
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
    for w in numbers.wanted() {
        let u = &p.units[w.unit];
        if !is_user(u, w.of) || !candidate(u, w.of) {
            continue;
        }
        let Some((v, unsigned)) = value(u, w.of) else {
            continue;
        };
        let of = |x: &&Place| longs(p, x, unsigned);
        let from: Vec<Place> = w.to.iter().filter(of).cloned().collect();
        if from.is_empty() || part(u, above.entry(w.unit).or_insert_with(|| parents(u)), w.of) {
            continue;
        }
        let reached = numbers.reached(&from, &|x| !matches!(x, Place::Memory(_) | Place::Pointer));
        let kept: Vec<&Place> = reached
            .iter()
            .filter(|x| of(x) && x.kept(p, saved))
            .collect();
        if kept.is_empty() {
            continue;
        }
        // The one that it is put into, if that is kept.
        let direct = |x: &&Place| from.contains(*x);
        let (first, other): (Vec<&Place>, Vec<&Place>) = kept.iter().copied().partition(direct);
        let named = |list: &[&Place]| list.iter().filter_map(|x| x.name(p)).min();
        let name = named(&first).or_else(|| named(&other));
        let at = u.lines.position(u.expr(w.of).span.start);
        let text = one_line(u.slice(&u.expr(w.of).span));
        let what = format!("`{text}` ({}:{})", at.file, at.line);
        let low = v as u32;
        if !all.iter().any(|x| (x.low, x.signed) == (low, !unsigned)) {
            let (unit, signed) = (w.unit, !unsigned);
            all.push(Wide {
                unit,
                low,
                signed,
                what,
            });
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
    all
}

/// Is it an operand, of a larger constant or of something else, or in a struct?
fn part(u: &Unit, above: &Parents, e: ExprId) -> bool {
    match above.get(&e) {
        Some(Parent::Expr(up)) => match &u.expr(*up).kind {
            ExprKind::Binary { .. } | ExprKind::Unary { .. } => true,
            ExprKind::Assign { op, .. } => op.is_some(),
            ExprKind::CompoundLit { ty, .. } => !is_of_numbers(u, ty.ty),
            ExprKind::Cast { .. } => u.view().eval(*up).is_some() || part(u, above, *up),
            _ => false,
        },
        Some(Parent::Variable(s)) => !is_of_numbers(u, u.sym(*s).ty.ty),
        _ => false,
    }
}

/// Which member of a struct an initialiser means is not known here.
fn is_of_numbers(u: &Unit, ty: TypeId) -> bool {
    matches!(u.ty(crate::annotations::integers(u, ty)), Type::Int(_))
}
