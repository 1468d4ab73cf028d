//! Values of `long` that 32 bits may not hold, kept in a checkpoint.  Off unless asked for: a restart refuses such a
//! value by its variable's name.

use crate::addresses::{NumberPlace, Numbers};
use crate::lints::is_user;
use pc3_program::program::Program;
use pc3_program::walk::strip_casts;
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics};
use pc3_syntax::tree::*;
use rustc_hash::FxHashMap;
use std::cell::RefCell;

pub fn check(
    p: &Program,
    numbers: &Numbers,
    saved: &dyn Fn(usize, FuncId, SymId) -> bool,
    out: &mut Diagnostics,
) {
    let longs = Longs::new(p);
    for w in numbers.wanted() {
        let u = &p.units[w.unit];
        let Some(why) = large(u, w.of).filter(|_| is_user(u, w.of)) else {
            continue;
        };
        let mut to = w.to.iter().flat_map(|x| numbers.ends(x));
        let kept = to.find(|x| longs.any(x) && x.kept(p, saved));
        if let Some(place) = kept.and_then(|x| x.name(p)) {
            out.push(Diagnostic::advice(
                u,
                &u.expr(w.of).span,
                Code::LongRange,
                format!("{why}, and `{place}` is kept in checkpoints: a `long` has 32 bits on some architectures"),
                "use `long long` or `int64_t` where values can be that large",
            ));
        }
    }
}

/// Why an expression of type `long` may need more than 32 bits.
pub fn large(u: &Unit, e: ExprId) -> Option<String> {
    if u.target.long_bits == 32 {
        return None;
    }
    let long = |e: ExprId| {
        matches!(
            u.ty(u.expr(e).ty.ty),
            Type::Int(IntKind::Long | IntKind::ULong)
        )
    };
    if !long(e) {
        return None;
    }
    let unsigned = matches!(u.ty(u.expr(e).ty.ty), Type::Int(IntKind::ULong));
    if let Some(v) = u.view().eval(e) {
        let fits = match unsigned {
            // All bits set means the same everywhere.
            true => v <= i128::from(u32::MAX) || v == i128::from(u64::MAX),
            false => i32::try_from(v).is_ok(),
        };
        return (!fits).then(|| format!("{v} does not fit 32 bits"));
    }
    let ExprKind::Binary { op, lhs, rhs } = u.expr(e).kind else {
        return None;
    };
    let constant = |e: ExprId| u.view().eval(e);
    match op {
        // `(long)a * b`: written because an int would not do.
        BinOp::Mul if [lhs, rhs].iter().all(|x| constant(*x).is_none()) => {
            let widened = |e: ExprId| match u.expr(e).kind {
                ExprKind::Cast { arg, .. } => {
                    long(e)
                        && matches!(
                            u.ty(u.expr(strip_casts(u, arg)).ty.ty),
                            Type::Int(IntKind::Int | IntKind::UInt)
                        )
                }
                _ => false,
            };
            (widened(lhs) || widened(rhs)).then(|| "the product is widened to `long`".into())
        }
        BinOp::Shl if constant(lhs) == Some(1) && constant(rhs).is_none() => {
            Some("a bit of a `long` is set".into())
        }
        _ => None,
    }
}

/// What places are declared as, asked once of each.
pub struct Longs<'a> {
    p: &'a Program<'a>,
    known: RefCell<FxHashMap<NumberPlace, [bool; 2]>>,
}

impl<'a> Longs<'a> {
    pub fn new(p: &'a Program<'a>) -> Longs<'a> {
        Longs {
            p,
            known: RefCell::default(),
        }
    }

    /// Is it a `long`, or an array of some: a signed one, or an unsigned one?
    pub fn is(&self, x: &NumberPlace, unsigned: bool) -> bool {
        let known = self.known.borrow().get(x).copied();
        let both = known.unwrap_or_else(|| {
            let both = [false, true].map(|unsigned| longs(self.p, x, unsigned));
            self.known.borrow_mut().insert(x.clone(), both);
            both
        });
        both[usize::from(unsigned)]
    }

    pub fn any(&self, x: &NumberPlace) -> bool {
        self.is(x, false) || self.is(x, true)
    }
}

fn longs(p: &Program, x: &NumberPlace, unsigned: bool) -> bool {
    let wanted = if unsigned {
        IntKind::ULong
    } else {
        IntKind::Long
    };
    let long = |u: &Unit, q: QualType| {
        let of = pc3_program::annotations::integers(u, q.ty);
        *u.ty(of) == Type::Int(wanted)
    };
    match x {
        NumberPlace::Variable(unit, s) => long(&p.units[*unit], p.units[*unit].sym(*s).ty),
        NumberPlace::Global(name) => p.globals(name).any(|(u, s)| long(u, s.ty)),
        NumberPlace::Member(of, _) if of.contains(':') => false,
        NumberPlace::Member(of, name) => p.records(of).any(|(r, (unit, _))| {
            let (u, mut fields) = (&p.units[unit], r.fields.iter().flatten());
            fields.any(|f| f.name.as_ref() == Some(name) && long(u, f.ty))
        }),
        NumberPlace::Result(f) => long(p.unit(*f), p.func(*f).ret),
        NumberPlace::Memory(kind) => *kind == wanted,
        NumberPlace::Elements(_) | NumberPlace::Pointer => false,
        NumberPlace::Handed(..) | NumberPlace::Returned(_) => false,
    }
}
