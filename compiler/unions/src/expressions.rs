//! What an expression is.

use pc3_program::walk::strip_casts;
use pc3_syntax::tree::*;

pub(crate) fn is_array(u: &Unit, e: ExprId) -> bool {
    matches!(u.ty(u.expr(e).ty.ty), Type::Array { .. })
}

pub(crate) fn is_zero(u: &Unit, e: ExprId) -> bool {
    let e = strip_casts(u, e);
    match &u.expr(e).kind {
        ExprKind::Float => matches!(u.slice(&u.expr(e).span), "0.0" | "0." | "0.0f"),
        _ => u.view().eval(e) == Some(0),
    }
}
