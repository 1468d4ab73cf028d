//! What a `for` loop goes over: an iterator that is saved as it is, or one over borrowed values, which is made again and
//! advanced to where it stood.

use std::collections::HashSet;

use crate::visit::{self, Visit};
use proc_macro2::{Ident, Span};
use quote::{format_ident, quote};
use syn::{parse_quote, parse_quote_spanned, Expr};

use crate::moves::effect;
use crate::reevaluation::{is_place, is_reader, is_source, telling, Locals, Reevaluation, Source};

pub enum Over {
    /// `0..n`, `list.into_iter()`, a variable
    Owned(Expr),
    /// `&list`, `list.iter().enumerate()`, `(0..n).rev()`: values that it is made from are kept, by these names.
    Again {
        made: Expr,
        from: Vec<Source>,
        /// Names that it takes the values of.
        taken: Vec<Ident>,
    },
    /// What knows itself where it is: a borrowed iterator, lines of a borrowed reader.
    Lent(Expr),
}

pub fn over(
    expr: &Expr,
    mut again: Reevaluation,
    mutable: &HashSet<String>,
) -> Result<Over, syn::Error> {
    let mut made = expr.clone();
    if let Some(lent) = lent(expr, again.locals) {
        Ok(Over::Lent(lent))
    } else if is_constant(expr) {
        let (from, taken) = (Vec::new(), Vec::new());
        Ok(Over::Again { made, from, taken })
    } else if again.iterator(&mut made) && !matches!(expr, Expr::Range(_)) {
        repeatable(&made, mutable)?;
        let (from, taken) = (again.from, again.taken);
        Ok(Over::Again { made, from, taken })
    } else if let Some(lines) = lines(expr, again.locals) {
        Ok(Over::Lent(lines))
    } else {
        Ok(Over::Owned(expr.clone()))
    }
}

/// `LIMITS`, `Table::ROWS`: it is the same each time.
pub fn is_constant(e: &Expr) -> bool {
    let Expr::Path(p) = e else { return false };
    let last = p.path.segments.last().map(|s| s.ident.to_string());
    last.is_some_and(|l| l.starts_with(char::is_uppercase) && !l.contains(char::is_lowercase))
}

/// What goes over an expression's value, and can be saved.
pub fn owned(e: &Expr) -> Expr {
    match e {
        Expr::Array(_) => parse_quote!(::pc3::point::array(#e)),
        e => saved(e).unwrap_or_else(|| items(e)),
    }
}

/// What values are gone over by.
fn items(e: &Expr) -> Expr {
    let span = telling(e);
    parse_quote_spanned! {span=>
        (match (#e) {
            pc3_v => {
                #[allow(unused_imports)]
                use ::pc3::point::OtherItems as _;
                ::pc3::point::Items::of(&pc3_v).items(pc3_v)
            }
        })
    }
}

/// Methods that take the values out of what they are called on.
const TAKE: &[&str] = &["drain", "into_keys", "into_values"];

/// The iterator of a `let` that owns its items, if it is one of the standard library's by its methods.
pub(crate) fn owned_local(e: &Expr) -> Option<Expr> {
    let made = match e {
        Expr::MethodCall(m) if m.method == "into_iter" && m.args.is_empty() => e,
        Expr::MethodCall(m) if TAKE.iter().any(|t| m.method == t) => e,
        e => return saved(e),
    };
    let span = telling(made);
    Some(parse_quote_spanned! {span=> {
        #[allow(unused_imports)]
        use ::pc3::point::{OwnedListed as _, OwnedOther as _, OwnedSaved as _};
        (&&&::pc3::point::Owned::of(#made)).owned()
    }})
}

/// `list.into_iter().rev().enumerate()` with adaptors that can be saved.
fn saved(e: &Expr) -> Option<Expr> {
    let m = match e {
        Expr::Paren(p) => return saved(&p.expr),
        Expr::MethodCall(m) => m,
        _ => return None,
    };
    let inner = match &*m.receiver {
        Expr::MethodCall(i) if i.method == "into_iter" && i.args.is_empty() => items(&i.receiver),
        taken @ Expr::MethodCall(i) if TAKE.iter().any(|t| i.method == t) => items(taken),
        receiver => match saved(receiver) {
            Some(inner) => inner,
            None if makes(receiver) && OF_ITERATORS.iter().any(|n| m.method == n) => {
                items(receiver)
            }
            None => return None,
        },
    };
    let (span, args) = (m.method.span().resolved_at(Span::call_site()), &m.args);
    let by = |name: &str| {
        let name = Ident::new(name, span);
        Some(parse_quote_spanned!(span=> ::pc3::point::#name::new(#inner, #args)))
    };
    match (m.method.to_string().as_str(), args.len()) {
        ("rev", 0) => Some(parse_quote_spanned!(span=> ::pc3::point::Rev(#inner))),
        ("enumerate", 0) => Some(parse_quote_spanned!(span=> ::pc3::point::Enumerate::new(#inner))),
        ("flatten", 0) => by("Flatten"),
        ("peekable", 0) => Some(parse_quote_spanned!(span=> ::pc3::point::Peekable::new(#inner))),
        ("skip", 1) => by("Skip"),
        ("take", 1) => by("Take"),
        ("step_by", 1) => by("StepBy"),
        ("zip", 1) => by("Zip"),
        ("chain", 1) => by("Chain"),
        _ => None,
    }
}

/// Adaptors that nothing else is named like.
const OF_ITERATORS: &[&str] = &["enumerate", "peekable", "rev", "skip", "step_by", "take"];

/// A value of the program's: `Primes::new()`
fn makes(e: &Expr) -> bool {
    match e {
        Expr::Paren(p) => makes(&p.expr),
        Expr::Struct(_) => true,
        Expr::Call(c) => matches!(&*c.func, Expr::Path(_)) && !is_source(&c.func),
        _ => false,
    }
}

/// A borrow of an iterator, as far as it shows: `it.by_ref()`, `&mut it`, a parameter.
fn lent(e: &Expr, locals: &dyn Locals) -> Option<Expr> {
    let named = |e: &Expr| matches!(e, Expr::Path(p) if p.path.get_ident().is_some_and(|i| locals.is_iterator(&i.to_string())));
    match e {
        Expr::Paren(p) => lent(&p.expr, locals),
        Expr::Group(p) => lent(&p.expr, locals),
        Expr::MethodCall(m) if m.method == "by_ref" && is_place(&m.receiver) => Some(e.clone()),
        Expr::Reference(r) if r.mutability.is_some() => match &*r.expr {
            Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) && named(&u.expr) => {
                Some(e.clone())
            }
            place => named(place).then(|| e.clone()),
        },
        Expr::Path(p) if named(e) && locals.is_borrow(&quote!(#p).to_string()) => {
            Some(parse_quote!(&mut *#e))
        }
        _ => None,
    }
}

/// The lines of a reader that stays where it is.
fn lines(e: &Expr, locals: &dyn Locals) -> Option<Expr> {
    let Expr::MethodCall(m) = e else { return None };
    if m.method != "lines" || !is_reader(&m.receiver, locals) {
        return None;
    }
    let borrowed = |e: &Expr| matches!(e, Expr::Path(p) if p.path.get_ident().is_some_and(|i| locals.is_borrow(&i.to_string())));
    match &*m.receiver {
        Expr::Path(_) if borrowed(&m.receiver) => {
            let reader = &m.receiver;
            Some(parse_quote!(::std::io::BufRead::lines(&mut *#reader)))
        }
        Expr::Reference(r) if is_place(&r.expr) => Some(e.clone()),
        Expr::MethodCall(r) if is_place(&r.receiver) => Some(e.clone()),
        _ => None,
    }
}

/// To advance an iterator its closures are called again.
fn repeatable(e: &Expr, mutable: &HashSet<String>) -> Result<(), syn::Error> {
    struct ClosureEffects<'m>(&'m HashSet<String>, Option<syn::Error>);
    impl<'ast> Visit<'ast> for ClosureEffects<'_> {
        fn visit_expr_closure(&mut self, c: &'ast syn::ExprClosure) {
            if let Some((span, what)) = effect(c, self.0) {
                let text = format!("this closure {what}, and would be called again for the items that were taken before a restart: do that in the loop");
                self.1.get_or_insert(syn::Error::new(span, text));
            }
            visit::visit_expr_closure(self, c);
        }
    }
    let mut visitor = ClosureEffects(mutable, None);
    visitor.visit_expr(e);
    visitor.1.map_or(Ok(()), Err)
}

/// Adaptors whose closures decide what they give.
const CALL: &[&str] = &[
    "filter",
    "filter_map",
    "flat_map",
    "map",
    "map_while",
    "scan",
    "skip_while",
    "take_while",
];

/// What is made again calls its closures again: they are to be ones that change nothing.
pub(crate) fn unchanging(e: &mut Expr) {
    match e {
        Expr::Paren(p) => unchanging(&mut p.expr),
        Expr::Group(p) => unchanging(&mut p.expr),
        // One of which the type has been asked.
        Expr::Match(m) => unchanging(&mut m.expr),
        Expr::MethodCall(m) => {
            if CALL.iter().any(|c| m.method == c) {
                m.method = format_ident!("pc3_{}", m.method, span = m.method.span());
            }
            unchanging(&mut m.receiver);
            m.args.iter_mut().for_each(unchanging);
        }
        Expr::Call(c) => {
            if let (Expr::Path(p), true) = (&*c.func, is_source(&c.func)) {
                let last = p.path.segments.last().map(|s| &s.ident);
                if last.is_some_and(|l| l == "successors") {
                    c.func = parse_quote!(::pc3::point::#last);
                }
            }
            c.args.iter_mut().for_each(unchanging);
        }
        _ => {}
    }
}
