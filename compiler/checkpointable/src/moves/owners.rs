//! Locals that show as counted owners (`Rc`, `Arc`): they are needed until their block ends, as others see when they do.

use std::collections::BTreeSet;

use syn::{Expr, Pat, Stmt, Type};

const OWNERS: &[&str] = &["Arc", "Rc", "Weak"];
/// Functions of these that give one.
const MAKERS: &[&str] = &["clone", "default", "downgrade", "from", "new", "new_cyclic"];

/// The name that a `let` gives one; `known` are those before it.
pub(crate) fn of_let<'s>(stmt: &'s Stmt, known: &BTreeSet<String>) -> Option<&'s syn::Ident> {
    let Stmt::Local(local) = stmt else {
        return None;
    };
    let own = local.attrs.iter().all(|a| a.path().is_ident("pc3_point"));
    match &local.pat {
        Pat::Ident(p) if own && p.by_ref.is_none() => {
            let init = local.init.as_ref()?;
            makes(&init.expr, known).then_some(&p.ident)
        }
        Pat::Type(t) if own && is_owner(&t.ty) => match &*t.pat {
            Pat::Ident(p) => Some(&p.ident),
            _ => None,
        },
        _ => None,
    }
}

pub(crate) fn is_owner(ty: &Type) -> bool {
    let Type::Path(p) = ty else { return false };
    let last = p.path.segments.last();
    p.qself.is_none() && last.is_some_and(|s| OWNERS.iter().any(|o| s.ident == o))
}

fn makes(e: &Expr, known: &BTreeSet<String>) -> bool {
    match e {
        Expr::Call(c) => {
            let Expr::Path(p) = &*c.func else {
                return false;
            };
            let mut names = p.path.segments.iter().rev().map(|s| &s.ident);
            let (last, of) = (names.next(), names.next());
            let is = |name: Option<&syn::Ident>, list: &[&str]| {
                name.is_some_and(|n| list.iter().any(|l| n == l))
            };
            is(last, MAKERS) && is(of, OWNERS)
        }
        Expr::MethodCall(m) => match &*m.receiver {
            Expr::Path(p) if m.method == "clone" && m.args.is_empty() => p
                .path
                .get_ident()
                .is_some_and(|n| known.contains(&n.to_string())),
            _ => false,
        },
        Expr::Paren(p) => makes(&p.expr, known),
        _ => false,
    }
}
