//! What is legal C, can be saved and restored, and means something else elsewhere.

mod layout;
mod order;
mod range;
mod sizes;

use super::addresses::{Is, Numbers};
use super::program::Program;
use crate::annotations::Said;
use crate::diag::Diagnostics;
use crate::tree::*;

/// Of which expressions the lints must know where they go.
pub fn wanted(u: &Unit, e: ExprId) -> Option<Is> {
    match u.expr(e).kind {
        ExprKind::SizeofExpr(_) | ExprKind::SizeofType(_) => Some(Is::Size),
        _ => range::large(u, e).map(|_| Is::Number),
    }
}

/// `saved(unit, f, s)`: is the local `s` of function `f` part of a checkpoint?
pub fn check(
    p: &Program,
    said: &Said,
    numbers: &Numbers,
    saved: &dyn Fn(usize, FuncId, SymId) -> bool,
    out: &mut Diagnostics,
) {
    sizes::check(p, said, numbers, saved, out);
    order::check(p, out);
    range::check(p, numbers, saved, out);
}

fn is_user(u: &Unit, e: ExprId) -> bool {
    !u.lines.is_system(u.expr(e).span.start) && !crate::library::is_own(&u.path)
}
