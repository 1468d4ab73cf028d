//! Numbers of `fenv.h` that are kept: each family of architectures has its own.

use crate::lints::bytes::called;
use crate::lints::network::Sources;
use crate::lints::reaches_checkpoint::{Cx, Dependence, OrderDependence};
use crate::lints::{in_users_file, is_user};
use pc3_syntax::diag::{Code, Diagnostic, Diagnostics};
use pc3_syntax::tree::*;
use std::collections::HashSet;

pub fn check(cx: &Cx, list: &mut Vec<OrderDependence>, out: &mut Diagnostics) {
    cx.truth_ends.set(true);
    let mut sources = Sources::default();
    for (unit, u) in cx.p.units.iter().enumerate() {
        // Nearly all files need no look at their sources.
        let has_constants = u.text.contains("fenv.h\"");
        let mut last = None;
        for e in (0..u.exprs.len()).map(|k| ExprId(k as u32)) {
            let constant = || match has_constants {
                true => constant(u, e, &mut sources),
                false => None,
            };
            let Some(number) = Number::of(u, e).or_else(constant) else {
                continue;
            };
            let kept = match &number {
                Number::Written(to) => cx.holds(unit, *to),
                Number::Given | Number::Constant(_) => cx.goes(unit, e, &mut HashSet::new()),
            };
            if !kept {
                continue;
            }
            // `FE_INVALID | FE_OVERFLOW`, like `FE_ALL_EXCEPT`, is one number.
            let line = u.lines.position(u.expr(e).span.start).line;
            if matches!(number, Number::Constant(_)) && last.replace(line) == Some(line) {
                continue;
            }
            list.push(OrderDependence::of(unit, u, e, Dependence::Floats));
            let name = called(u, e).unwrap_or_default();
            let (what, help) = match number {
                Number::Given => (
                    format!("numbers of its own for what `{name}` gives"),
                    "ask again where it is used",
                ),
                Number::Written(_) => (
                    format!("numbers of its own for what `{name}` writes"),
                    "ask again where it is used, with fetestexcept",
                ),
                Number::Constant(name) => (
                    format!("a number of its own for `{name}`"),
                    "keep a number of your own and choose the constant where it is used, or make the variable const",
                ),
            };
            out.push(Diagnostic::advice(
                u,
                &u.expr(e).span,
                Code::ByteOrder,
                format!("each family of architectures has {what}, and it is kept across a checkpoint: a restart where they are others is refused"),
                format!("{help}; PC3_BYTE_ORDER=ignore if nothing depends on it"),
            ));
        }
    }
}

enum Number {
    /// A function answers with it.
    Given,
    /// A function puts it here.
    Written(ExprId),
    Constant(String),
}

impl Number {
    fn of(u: &Unit, e: ExprId) -> Option<Number> {
        let ExprKind::Call { args, .. } = &u.expr(e).kind else {
            return None;
        };
        match called(u, e).filter(|_| is_user(u, e))? {
            "fegetround" | "fetestexcept" | "fegetexcept" | "feenableexcept"
            | "fedisableexcept" | "_mm_getcsr" => Some(Number::Given),
            "fegetexceptflag" => Some(Number::Written(*args.first()?)),
            _ => None,
        }
    }
}

/// A number that a macro of the system made where the user wrote `FE_...`. gcc says of such text whose it is, clang does not.
fn constant(u: &Unit, e: ExprId, sources: &mut Sources) -> Option<Number> {
    let made = matches!(u.expr(e).kind, ExprKind::Int(n) if n != 0);
    if !made || !in_users_file(u, e) {
        return None;
    }
    let at = u.lines.position(u.expr(e).span.start);
    let line = sources.line(u, &at.file, at.line);
    let number = u.slice(&u.expr(e).span);
    let between = |c: char| !(c.is_alphanumeric() || c == '_');
    if is_user(u, e) && line.split(between).any(|w| w == number) {
        return None;
    }
    let mut words = line.split(between);
    // The nearest number is 0 everywhere.
    let name = words.find(|w| w.starts_with("FE_") && *w != "FE_TONEAREST")?;
    Some(Number::Constant(name.to_owned()))
}
