//! What an expression reads, which is evaluated in front of a marked call.

use std::collections::BTreeSet;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::Expr;

use crate::reevaluation::is_constructor;

/// What has been evaluated in front.
#[derive(Default)]
pub(super) struct Before {
    pub(super) names: Vec<String>,
    pub(super) impure: Option<Span>,
}

impl Before {
    /// Has nothing been evaluated that what comes next could change?
    pub(super) fn is_nothing(&self) -> bool {
        self.impure.is_none() && self.names.iter().all(|n| n.starts_with(super::TEMPORARY))
    }
}

/// How a part of an expression is used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Used {
    Value,
    /// Perhaps it is only borrowed.
    Place,
    /// As that, by an operator.
    Compared,
    /// It is borrowed until all is evaluated.
    Borrowed,
}

pub(super) fn value(e: &mut Expr) -> (&mut Expr, Used) {
    (e, Used::Value)
}

/// Is it a local or a field of one, of which others speak?
pub(super) fn is_mentioned(e: &Expr, words: &BTreeSet<String>) -> bool {
    match e {
        Expr::Paren(p) => is_mentioned(&p.expr, words),
        Expr::Group(p) => is_mentioned(&p.expr, words),
        Expr::Cast(c) => is_mentioned(&c.expr, words),
        Expr::Field(f) => is_mentioned(&f.base, words),
        Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => is_mentioned(&u.expr, words),
        Expr::Path(p) => p
            .path
            .get_ident()
            .is_some_and(|i| words.contains(&i.to_string())),
        _ => false,
    }
}

/// A local, or a field of one.
pub(super) fn is_named(e: &Expr) -> bool {
    match e {
        Expr::Paren(p) => is_named(&p.expr),
        Expr::Group(p) => is_named(&p.expr),
        Expr::Field(f) => is_named(&f.base),
        Expr::Path(p) => p.path.get_ident().is_some(),
        _ => false,
    }
}

/// What an expression gives can have a name, in front of all that stands in front of it: it only looks at locals, and leaves
/// nothing behind.
pub(super) fn only_looks(e: &Expr, used: Used) -> bool {
    let simple = |e: &Expr| {
        let mut before = Before::default();
        note(e, &mut before);
        before.impure.is_none()
    };
    match e {
        Expr::Paren(p) => only_looks(&p.expr, used),
        Expr::Group(p) => only_looks(&p.expr, used),
        Expr::Cast(c) => only_looks(&c.expr, Used::Value),
        Expr::Binary(b) => [&b.left, &b.right]
            .iter()
            .all(|e| simple(e) || only_looks(e, Used::Value)),
        Expr::MethodCall(m) => {
            matches!(&*m.method.to_string(), "len" | "is_empty" | "capacity")
                && m.args.is_empty()
                && is_element(&m.receiver)
        }
        Expr::Index(i) => used == Used::Value && simple(&i.index) && is_element(&i.expr),
        _ => false,
    }
}

/// A call of a function or method with locals: it leaves nothing behind but its value.
pub(super) fn only_calls(e: &Expr) -> bool {
    let simple = |e: &Expr| {
        let mut before = Before::default();
        note(e, &mut before);
        before.impure.is_none() || only_looks(e, Used::Value)
    };
    match e {
        Expr::Paren(p) => only_calls(&p.expr),
        Expr::Group(p) => only_calls(&p.expr),
        Expr::Cast(c) => only_calls(&c.expr),
        Expr::Binary(b) => {
            let parts = [&b.left, &b.right];
            parts.iter().all(|e| simple(e) || only_calls(e)) && parts.iter().any(|e| only_calls(e))
        }
        Expr::Call(c) => {
            matches!(&*c.func, Expr::Path(_))
                && !is_constructor(&c.func)
                && c.args.iter().all(|e| simple(e) || only_calls(e))
        }
        Expr::MethodCall(m) => {
            is_element(&m.receiver) && m.args.iter().all(|e| simple(e) || only_calls(e))
        }
        _ => false,
    }
}

fn is_element(e: &Expr) -> bool {
    match e {
        Expr::Field(f) => is_element(&f.base),
        Expr::Index(i) => {
            let mut index = Before::default();
            note(&i.index, &mut index);
            index.impure.is_none() && is_element(&i.expr)
        }
        e => is_named(e),
    }
}

/// As `note`, of what is assigned to; finding it depends on `words`.
pub(super) fn place(e: &Expr, words: &BTreeSet<String>, before: &mut Before) {
    match e {
        Expr::Field(f) => place(&f.base, words, before),
        Expr::Paren(p) => place(&p.expr, words, before),
        Expr::Group(p) => place(&p.expr, words, before),
        Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => place(&u.expr, words, before),
        Expr::Index(i) => {
            place(&i.expr, words, before);
            let mut index = Before::default();
            note(&i.index, &mut index);
            let mentioned = index.names.iter().any(|n| words.contains(n));
            let at = index.impure.or(mentioned.then(|| i.index.span()));
            before.impure = before.impure.or(at);
        }
        e => note(e, before),
    }
}

/// An expression without points is evaluated.
pub(super) fn note(e: &Expr, before: &mut Before) {
    match e {
        Expr::Lit(_) | Expr::Closure(_) => {}
        // What begins with a capital is a constant, or makes a value.
        Expr::Path(p) => {
            let name = p.path.get_ident().map(ToString::to_string);
            let local = name.filter(|n| !n.starts_with(char::is_uppercase));
            before.names.extend(local);
        }
        Expr::Field(f) => note(&f.base, before),
        Expr::Paren(p) => note(&p.expr, before),
        Expr::Group(p) => note(&p.expr, before),
        Expr::Cast(c) => note(&c.expr, before),
        Expr::Reference(r) => note(&r.expr, before),
        Expr::Unary(u) => note(&u.expr, before),
        Expr::Binary(b) => {
            note(&b.left, before);
            note(&b.right, before);
        }
        Expr::Tuple(t) => t.elems.iter().for_each(|x| note(x, before)),
        Expr::Array(t) => t.elems.iter().for_each(|x| note(x, before)),
        Expr::Call(c) if is_constructor(&c.func) => c.args.iter().for_each(|x| note(x, before)),
        other => {
            before.impure.get_or_insert(other.span());
        }
    }
}
