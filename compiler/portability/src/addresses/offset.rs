//! Offsets written as addresses: `&((struct s *)0)->member`.

use pc3_syntax::tree::*;

/// Is the pointer made of constants only?
pub fn is_constant(u: &Unit, pointer: ExprId) -> bool {
    match u.expr(pointer).kind {
        ExprKind::Cast { arg, .. } => match u.expr(arg).kind {
            ExprKind::Int(_) => true,
            _ => is_constant(u, arg),
        },
        ExprKind::AddrOf(place) => is_constant_place(u, place),
        ExprKind::Member { .. } | ExprKind::Index { .. } => {
            matches!(u.ty(u.expr(pointer).ty.ty), Type::Array { .. })
                && is_constant_place(u, pointer)
        }
        _ => false,
    }
}

fn is_constant_place(u: &Unit, place: ExprId) -> bool {
    match u.expr(place).kind {
        ExprKind::Member { base, arrow, .. } if !arrow => is_constant_place(u, base),
        ExprKind::Member { base, .. } | ExprKind::Index { base, .. } => is_constant(u, base),
        ExprKind::Deref(base) => is_constant(u, base),
        _ => false,
    }
}
