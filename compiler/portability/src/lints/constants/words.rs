//! Constants that follow the width of a `long`, and sets of bits in words of that width.

use crate::heap::one_line;
use crate::lints::in_users_file;
use crate::lints::layout;
use crate::lints::reaches_checkpoint::{Cx, Dependence, OrderDependence};
use pc3_program::walk::strip_casts;
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics};
use pc3_syntax::tree::*;
use pc3_syntax::types::Target;
use std::collections::HashSet;

/// Bits that are set in words of a `long`'s width, as `words[i / bits] |= 1ul << i % bits`, in what a checkpoint holds:
/// elsewhere the same number is another bit.
pub fn check(cx: &Cx, list: &mut Vec<OrderDependence>, out: &mut Diagnostics) {
    cx.truth_ends.set(true);
    for (unit, u) in cx.p.units.iter().enumerate() {
        let words = Words::new(u);
        for k in 0..u.exprs.len() {
            let e = ExprId(k as u32);
            if !words.is_bit_of_word(e)
                || !in_users_file(u, e)
                || !cx.goes(unit, e, &mut HashSet::new())
            {
                continue;
            }
            list.push(OrderDependence::of(unit, u, e, Dependence::Width));
            let text = one_line(u.slice(&u.expr(e).span));
            out.push(Diagnostic::advice(
                u,
                &u.expr(e).span,
                Code::LongWidth,
                format!("`{text}` is a bit in a word as wide as a `long`, and is kept across a checkpoint: a restart where a `long` has another width is refused"),
                "use words of one width everywhere: `uint32_t` with 32 bits, or `uint64_t` with 64",
            ));
        }
    }
}

/// An expression with the limits as the headers call them.
pub fn named(u: &Unit, e: ExprId) -> String {
    let text = one_line(u.slice(&u.expr(e).span));
    let names = [
        ("(0x7fffffffffffffffL * 2UL + 1UL)", "ULONG_MAX"),
        ("0x7fffffffffffffffL * 2UL + 1UL", "ULONG_MAX"),
        ("-0x7fffffffffffffffL - 1L", "LONG_MIN"),
        ("0x7fffffffffffffffL", "LONG_MAX"),
        ("(18446744073709551615UL)", "SIZE_MAX"),
        ("(9223372036854775807L)", "PTRDIFF_MAX"),
    ];
    let name = |text: String, (from, to): (&str, &str)| text.replace(from, to);
    names.into_iter().fold(text, name)
}

pub struct Words<'a> {
    u: &'a Unit,
    wide: Target,
    narrow: Target,
}

impl<'a> Words<'a> {
    pub fn new(u: &'a Unit) -> Words<'a> {
        let of = |long_bits| Target {
            long_bits,
            ..u.target.clone()
        };
        Words {
            u,
            wide: of(64),
            narrow: of(32),
        }
    }

    /// A constant's value where a `long` has 64 bits and where it has 32.
    pub fn values(&self, e: ExprId) -> Option<(i128, i128)> {
        Some((self.value(&self.wide, e)?, self.value(&self.narrow, e)?))
    }

    fn value(&self, t: &Target, e: ExprId) -> Option<i128> {
        let u = self.u;
        let x = u.expr(e);
        let sub = |e: ExprId| self.value(t, e);
        let v = match &x.kind {
            // What the headers have for the limits.
            ExprKind::Int(v) => match self.limit(*v, x.ty.ty) {
                Some(shift) => (1i128 << (t.long_bits - shift)) - 1,
                // Others that only one of them can hold are meant for that one.
                None if *v < 1 << t.long_bits => *v,
                None => return None,
            },
            ExprKind::SizeofType(q) => layout::size_of(u, q.ty, t.long_bits / 8)?,
            ExprKind::SizeofExpr(a) => layout::size_of(u, u.expr(*a).ty.ty, t.long_bits / 8)?,
            ExprKind::Unary { op, arg } => match op {
                UnOp::Plus => sub(*arg)?,
                UnOp::Minus => sub(*arg)?.checked_neg()?,
                UnOp::BitNot => !sub(*arg)?,
                _ => return None,
            },
            ExprKind::Binary { op, lhs, rhs } => {
                let (a, b) = (sub(*lhs)?, sub(*rhs)?);
                match op {
                    BinOp::Add => a.checked_add(b)?,
                    BinOp::Sub => a.checked_sub(b)?,
                    BinOp::Mul => a.checked_mul(b)?,
                    BinOp::Div => a.checked_div(b)?,
                    BinOp::Shl => a.checked_mul(1i128.checked_shl(b as u32)?)?,
                    BinOp::Shr => a.checked_shr(b as u32)?,
                    _ => return None,
                }
            }
            ExprKind::Cast { arg, .. } => sub(*arg)?,
            _ => return u.view().eval(e),
        };
        let kind = u.view().int_kind(x.ty.ty)?;
        Some(t.wrap(kind, v))
    }

    /// Is it the largest `long` (1), or the largest `unsigned long` (0)?
    fn limit(&self, v: i128, ty: TypeId) -> Option<u32> {
        let long = matches!(self.u.ty(ty), Type::Int(IntKind::Long | IntKind::ULong));
        let bits = self.u.target.long_bits;
        let is = |shift: &u32| long && v == (1i128 << (bits - shift)) - 1;
        [1, 0].into_iter().find(is)
    }

    /// `1ul << i % bits`, `1ul << (i & bits - 1)`.
    fn is_bit_of_word(&self, e: ExprId) -> bool {
        let u = self.u;
        let ExprKind::Binary {
            op: BinOp::Shl,
            lhs,
            rhs,
        } = u.expr(e).kind
        else {
            return false;
        };
        if u.view().eval(strip_casts(u, lhs)) != Some(1) {
            return false;
        }
        let ExprKind::Binary { op, rhs: by, .. } = u.expr(strip_casts(u, rhs)).kind else {
            return false;
        };
        let less = match op {
            BinOp::Rem => 0,
            BinOp::And => 1,
            _ => return false,
        };
        // Written as a number it can only be for this width.
        let long = matches!(
            u.ty(u.expr(e).ty.ty),
            Type::Int(IntKind::Long | IntKind::ULong)
        );
        let sixty_four = long && u.target.long_bits == 64;
        match self.values(by) {
            Some((a, b)) if (a, b) == (64 - less, 32 - less) => true,
            Some((a, b)) => sixty_four && a == b && a == 64 - less,
            None => false,
        }
    }
}
