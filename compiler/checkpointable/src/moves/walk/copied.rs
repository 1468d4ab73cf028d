//! What is copied, by what is written.

use syn::{Expr, Lit, Pat, Type};

use crate::names::NUMBERS;

/// The local that a `let` makes, if it can be seen to be a number or its like.
pub(super) fn copied(pat: &Pat, value: Option<&Expr>) -> Option<String> {
    let (name, written) = match pat {
        Pat::Type(t) => (&*t.pat, is_copied(&t.ty)),
        pat => (pat, false),
    };
    let literal = match value {
        Some(Expr::Lit(l)) => !matches!(l.lit, Lit::Str(_) | Lit::ByteStr(_) | Lit::CStr(_)),
        _ => false,
    };
    match name {
        Pat::Ident(p) if p.by_ref.is_none() && (written || literal) => Some(p.ident.to_string()),
        _ => None,
    }
}

/// A type that no program gives another meaning.
fn is_copied(ty: &Type) -> bool {
    match ty {
        Type::Path(p) if p.qself.is_none() => NUMBERS.iter().any(|n| p.path.is_ident(n)),
        _ => false,
    }
}
