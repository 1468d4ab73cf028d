//! The adaptors of a loop's iterator, from the first that calls code of the program's.

use crate::visit::Visit;
use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::{parse_quote, Expr, ExprMethodCall};

use crate::flow::identifiers;
use crate::reevaluation::{is_adaptor, is_source, iterates, walks};

/// An adaptor behind the first one that calls a closure, or such a one; by the names of `Iterator`'s methods.
#[allow(clippy::large_enum_variant, clippy::enum_variant_names)]
pub(super) enum Step {
    Map(Expr),
    Filter(Expr),
    FilterMap(Expr),
    FlatMap(Expr),
    Flatten,
    Inspect(Expr),
    MapWhile(Expr),
    Scan(Box<Expr>, Expr),
    SkipWhile(Expr),
    TakeWhile(Expr),
    /// `cloned`, `copied`
    Cloned(Ident),
    Enumerate,
    Skip(Expr),
    /// `step_by`
    Every(Expr),
    Take(Expr),
    Rev(Span),
    Nothing,
}

impl Step {
    pub(super) fn of(m: &ExprMethodCall) -> Option<Step> {
        let mut args = m.args.iter().cloned();
        let (first, second, more) = (args.next(), args.next(), args.next());
        if more.is_some() || m.turbofish.is_some() {
            return None;
        }
        Some(match (m.method.to_string().as_str(), first, second) {
            ("map", Some(f), None) => Step::Map(f),
            ("filter", Some(f), None) => Step::Filter(f),
            ("filter_map", Some(f), None) => Step::FilterMap(f),
            ("flat_map", Some(f), None) => Step::FlatMap(f),
            ("flatten", None, None) => Step::Flatten,
            ("inspect", Some(f), None) => Step::Inspect(f),
            ("map_while", Some(f), None) => Step::MapWhile(f),
            ("scan", Some(state), Some(f)) if is_simple(&state) => Step::Scan(Box::new(state), f),
            ("skip_while", Some(f), None) => Step::SkipWhile(f),
            ("take_while", Some(f), None) => Step::TakeWhile(f),
            ("cloned" | "copied", None, None) => Step::Cloned(m.method.clone()),
            ("enumerate", None, None) => Step::Enumerate,
            ("skip", Some(n), None) if is_simple(&n) => Step::Skip(n),
            ("step_by", Some(n), None) if is_simple(&n) => Step::Every(n),
            ("take", Some(n), None) if is_simple(&n) => Step::Take(n),
            ("rev", None, None) => Step::Rev(m.method.span()),
            ("fuse" | "into_iter" | "peekable", None, None) => Step::Nothing,
            _ => return None,
        })
    }

    /// Does it call code of the program's?
    pub(super) fn calls(&self) -> bool {
        match self {
            Step::Map(_) | Step::Filter(_) | Step::FilterMap(_) | Step::FlatMap(_) => true,
            Step::Inspect(_) | Step::MapWhile(_) | Step::Scan(..) => true,
            Step::SkipWhile(_) | Step::TakeWhile(_) => true,
            Step::Cloned(method) => method == "cloned",
            Step::Flatten | Step::Enumerate | Step::Skip(_) | Step::Every(_) => false,
            Step::Take(_) | Step::Rev(_) | Step::Nothing => false,
        }
    }

    /// The value that it is given.
    fn argument(&self) -> Option<&Expr> {
        match self {
            Step::Skip(n) | Step::Every(n) | Step::Take(n) => Some(n),
            Step::Scan(n, _) => Some(n),
            _ => None,
        }
    }

    /// The closure, or the function, that it calls.
    pub(super) fn function(&mut self) -> Option<&mut Expr> {
        match self {
            Step::Map(f) | Step::Filter(f) | Step::FilterMap(f) | Step::FlatMap(f) => Some(f),
            Step::Inspect(f) | Step::MapWhile(f) | Step::Scan(_, f) => Some(f),
            Step::SkipWhile(f) | Step::TakeWhile(f) => Some(f),
            _ => None,
        }
    }

    /// Is it the same whether the items come from the front or from behind?
    pub(super) fn turns(&self) -> bool {
        matches!(
            self,
            Step::Map(_)
                | Step::Filter(_)
                | Step::FilterMap(_)
                | Step::Inspect(_)
                | Step::Cloned(_)
        )
    }
}

/// It does nothing but give a value.
pub(super) fn is_simple(e: &Expr) -> bool {
    match e {
        Expr::Lit(_) | Expr::Path(_) => true,
        Expr::Paren(p) => is_simple(&p.expr),
        Expr::Group(p) => is_simple(&p.expr),
        Expr::Field(f) => is_simple(&f.base),
        Expr::Cast(c) => is_simple(&c.expr),
        Expr::Unary(u) => is_simple(&u.expr),
        Expr::Binary(b) => is_simple(&b.left) && is_simple(&b.right),
        Expr::Tuple(t) => t.elems.iter().all(is_simple),
        Expr::MethodCall(m) => m.method == "len" && m.args.is_empty() && is_simple(&m.receiver),
        _ => false,
    }
}

/// What calls no closure, and the adaptors behind that, the first of which does.
pub(super) fn taken_apart(e: &Expr) -> Option<(Expr, Vec<Step>)> {
    let mut links: Vec<&ExprMethodCall> = Vec::new();
    let mut at = e;
    loop {
        at = match at {
            Expr::Paren(p) => &p.expr,
            Expr::Group(g) => &g.expr,
            Expr::MethodCall(m) => {
                links.push(m);
                &m.receiver
            }
            _ => break,
        };
    }
    links.reverse();
    let calls = |m: &&ExprMethodCall| Step::of(m).is_some_and(|s| s.calls());
    let first = links.iter().position(calls)?;
    let mut base = (*links[first].receiver).clone();
    while let Expr::Paren(syn::ExprParen { expr, .. }) | Expr::Group(syn::ExprGroup { expr, .. }) =
        base
    {
        base = *expr;
    }
    if !is_lazy(&base) || has_closure(&base) {
        return None;
    }
    let steps: Option<Vec<Step>> = links[first..].iter().map(|m| Step::of(m)).collect();
    let mut steps = steps?;
    while let Some(at) = steps.iter().position(|s| matches!(s, Step::Rev(_))) {
        let Step::Rev(span) = steps.remove(at) else {
            return None;
        };
        if !steps[..at].iter().all(Step::turns) {
            return None;
        }
        let rev = Ident::new("rev", span);
        base = match base {
            Expr::Range(_) => parse_quote!((#base).#rev()),
            base => parse_quote!(#base.#rev()),
        };
    }
    // What adaptors are given is evaluated in front of the rest.
    let words = identifiers(&base.to_token_stream());
    let depends = |e: &Expr| !words.is_disjoint(&identifiers(&e.to_token_stream()));
    if !is_places(&base) && steps.iter().filter_map(Step::argument).any(depends) {
        return None;
    }
    // One more item would be taken from what is not made again.
    let limits = |s: &Step| matches!(s, Step::Take(_) | Step::FlatMap(_) | Step::Flatten);
    if steps.iter().any(limits) && !is_walk(&base) {
        return None;
    }
    Some((base, steps))
}

pub(super) fn has_closure(e: &Expr) -> bool {
    struct HasClosure(bool);
    impl<'ast> Visit<'ast> for HasClosure {
        fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {
            self.0 = true;
        }
    }
    let mut visitor = HasClosure(false);
    visitor.visit_expr(e);
    visitor.0
}

/// Over a borrow, or over numbers.
pub(super) fn is_walk(e: &Expr) -> bool {
    match e {
        Expr::Paren(p) => is_walk(&p.expr),
        Expr::Range(_) => true,
        e => walks(e),
    }
}

/// Surely an iterator, whose closures are called when their items are asked for.
pub(super) fn is_lazy(e: &Expr) -> bool {
    match e {
        Expr::Paren(p) => is_lazy(&p.expr),
        Expr::Group(g) => is_lazy(&g.expr),
        Expr::Range(_) => true,
        Expr::Call(c) => is_source(&c.func),
        Expr::MethodCall(m) => {
            let own = ["drain", "into_iter", "into_keys", "into_values"];
            iterates(&m.method)
                || own.iter().any(|n| m.method == n)
                || Step::of(m).is_some_and(|s| !matches!(s, Step::Nothing)) && is_lazy(&m.receiver)
                || ["chain", "copied", "cycle", "fuse", "zip"]
                    .iter()
                    .any(|n| m.method == n)
                    && is_lazy(&m.receiver)
        }
        _ => false,
    }
}

/// Made of places by the standard library's methods.
fn is_places(e: &Expr) -> bool {
    match e {
        Expr::Path(_) | Expr::Lit(_) => true,
        Expr::Paren(p) => is_places(&p.expr),
        Expr::Group(g) => is_places(&g.expr),
        Expr::Field(f) => is_places(&f.base),
        Expr::Index(i) => is_places(&i.expr) && is_places(&i.index),
        Expr::Reference(r) => is_places(&r.expr),
        Expr::Unary(u) => is_places(&u.expr),
        Expr::Range(r) => [&r.start, &r.end]
            .into_iter()
            .flatten()
            .all(|e| is_places(e)),
        Expr::MethodCall(m) => {
            let known = iterates(&m.method) || is_adaptor(&m.method) || m.method == "len";
            known && is_places(&m.receiver) && m.args.iter().all(is_places)
        }
        _ => false,
    }
}

/// Are the items borrows, or numbers?
pub(super) fn is_quiet(e: &Expr) -> bool {
    match e {
        Expr::Paren(p) => is_quiet(&p.expr),
        Expr::Group(g) => is_quiet(&g.expr),
        Expr::Range(_) | Expr::Reference(_) => true,
        Expr::MethodCall(m) if iterates(&m.method) => true,
        Expr::MethodCall(m) => {
            let joins = ["chain", "zip"].iter().any(|n| m.method == n);
            let copies = m.method == "cloned" || m.method == "flatten";
            !copies
                && is_adaptor(&m.method)
                && is_quiet(&m.receiver)
                && (!joins || m.args.iter().all(is_quiet))
        }
        _ => false,
    }
}
