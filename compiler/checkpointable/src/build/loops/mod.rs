//! What is asked of a loop whose iterator is made again and advanced: whether that goes the same way as before.

pub(in crate::build) mod carried;
pub(in crate::build) mod once;
pub(in crate::build) mod pure;
pub(in crate::build) mod repeat;
pub(in crate::build) mod walks;

use std::collections::HashSet;

use crate::visit::{self, Visit};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned, ToTokens};
use syn::spanned::Spanned;
use syn::{Expr, Pat};

use super::{places, BodyForm, Builder};
use crate::flow::identifiers;
use crate::marks;
use crate::reevaluation::{is_adaptor, is_constructor, iterates, telling, Locals};

/// A question about a type.
pub(super) enum Question {
    /// Of an iterator: does it keep its order?
    Order(Span),
    /// Of what a closure reads: does it stay as it is?
    Reads(Span),
    /// Of a value that the iterator takes: is it copied?
    Taken(Span),
    /// Of a call's argument: is it a text that lives as long as the program?  The answer is a type.
    Lasts(Ident),
    /// Is it a part of a text?
    Pieces(Ident),
    /// Of a local: is it a borrow of a text?
    Cuts(Ident),
    /// Of one that would be made again as it is no more: is it that, or can it be saved itself?
    Stale(Ident, Span),
}

pub(super) fn of(number: usize) -> Ident {
    format_ident!("pc3_again{}", number)
}

impl Question {
    /// What the type is told to, and where it is asked for.
    pub(super) fn asked(&self, number: usize) -> (TokenStream, TokenStream) {
        let of = of(number);
        let asked = match self {
            Question::Order(at) => {
                quote_spanned! {*at=>
                    (&&::pc3::point::Order::of(&#of)).kept();
                    (&&::pc3::point::Order::of(&#of)).apart();
                }
            }
            Question::Reads(at) => {
                quote_spanned!(*at=> (&&&::pc3::point::Reads::of(&#of)).unchanged();)
            }
            Question::Taken(at) => {
                quote_spanned!(*at=> (&&::pc3::point::Taken::of(&#of)).copied();)
            }
            Question::Lasts(answer) => {
                let asked = quote!((&&::pc3::point::Argument::of(&#of)).lasts(&#answer););
                let of = [&of, answer];
                return (quote!(#(let #of = ::core::marker::PhantomData;)*), asked);
            }
            Question::Pieces(answer) => {
                let asked = quote!((&&::pc3::point::Argument::of(&#of)).pieces(&#answer););
                let of = [&of, answer];
                return (quote!(#(let #of = ::core::marker::PhantomData;)*), asked);
            }
            Question::Stale(answer, at) => {
                let asked =
                    quote_spanned!(*at=> (&&&::pc3::point::Parted::of(&#of)).stays(&#answer););
                let of = [&of, answer];
                return (quote!(#(let #of = ::core::marker::PhantomData;)*), asked);
            }
            Question::Cuts(answer) => {
                let asked = quote!((&&::pc3::point::Parted::of(&#of)).parts(&#answer););
                let of = [&of, answer];
                return (quote!(#(let #of = ::core::marker::PhantomData;)*), asked);
            }
        };
        (quote!(let #of = ::core::marker::PhantomData;), asked)
    }
}

/// Is it no iterator, as far as it shows?
fn is_gone_over(e: &Expr) -> bool {
    match e {
        Expr::Reference(_) | Expr::Path(_) | Expr::Field(_) => true,
        Expr::Call(c) => is_constructor(&c.func),
        _ => false,
    }
}

/// Asks of what a loop's iterator is made of: what a method like `iter` gives is no value that would be another one when it
/// is made again, and what goes over a borrow does nothing else.
pub(super) fn ask_parts(made: &Expr) -> TokenStream {
    #[derive(Default)]
    struct PartQuestions(TokenStream);
    impl PartQuestions {
        fn gone_over(&mut self, e: &Expr) {
            match e {
                Expr::Paren(p) => self.gone_over(&p.expr),
                Expr::Group(g) => self.gone_over(&g.expr),
                e if is_gone_over(e) => {
                    let at = telling(e);
                    // An iterator of the program's is advanced again.
                    let asked = match e {
                        Expr::Call(_) => quote_spanned!(at=> ::pc3::point::plain(&#e);),
                        _ => quote_spanned!(at=> (&&&::pc3::point::Goes(&#e)).goes();),
                    };
                    self.0.extend(asked);
                }
                _ => {}
            }
        }
    }
    impl<'ast> Visit<'ast> for PartQuestions {
        fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
            if iterates(&m.method) {
                let (at, of) = (m.method.span().resolved_at(Span::call_site()), &m.receiver);
                self.0.extend(quote_spanned! {at=>
                    (&&&::pc3::point::Made(&#m)).made();
                    ::pc3::point::plain(&#of);
                });
            }
            if is_adaptor(&m.method) {
                self.gone_over(&m.receiver);
                let joins = m.method == "zip" || m.method == "chain";
                let args = m.args.iter();
                args.filter(|a| joins || matches!(a, Expr::Reference(_)))
                    .for_each(|a| self.gone_over(a));
            }
            visit::visit_expr_method_call(self, m);
        }
        fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
    }
    let mut visitor = PartQuestions::default();
    visitor.gone_over(made);
    visitor.visit_expr(made);
    let mut asked = visitor.0;
    asked.extend(places::asked(made, &quote!(::pc3::point::fine)));
    match asked.is_empty() {
        true => asked,
        // Only types are meant.
        false => quote!(if false {
            loop {}
            #[allow(unused_imports)]
            use ::pc3::point::{GoesItself as _, GoesOther as _, GoesPlain as _, places::*, IsBorrow as _, IsText as _, IsValue as _};
            #asked
        }),
    }
}

impl Builder {
    /// Asks of a loop's iterator, once it is made.
    pub(super) fn ask_order(&mut self, iterator: &Ident, over: &Expr) -> TokenStream {
        if self.form == BodyForm::Hot {
            return TokenStream::new();
        }
        let of = of(self.again.len());
        self.again.push(Question::Order(telling(over)));
        quote!(if false { loop {} ::pc3::point::of(&#iterator, &#of); })
    }

    /// Asks of what closures in a loop's head read, and of what they are given items of.
    pub(super) fn ask_closures(&mut self, made: &Expr) -> TokenStream {
        let mut look = Closures::default();
        look.visit_expr(made);
        if let Some((span, text)) = look.refused {
            self.errors.push(syn::Error::new(span, text));
        }
        if !look.any || self.form == BodyForm::Hot {
            return TokenStream::new();
        }
        let mut out = TokenStream::new();
        let mut asked = HashSet::new();
        source(made, &mut look.places);
        for place in look.places {
            let mut names = Vec::new();
            root(&place, &mut names);
            let local = |n: &String| {
                n == "self" || self.is_borrow(n) || self.visible.iter().any(|v| v.name == n)
            };
            if !names.iter().all(local) || !asked.insert(place.to_token_stream().to_string()) {
                continue;
            }
            let of = of(self.again.len());
            self.again
                .push(Question::Reads(place.span().resolved_at(Span::call_site())));
            out.extend(quote!(if false { loop {} ::pc3::point::read(&#place, &#of); }));
        }
        out
    }

    /// Asks of values that a loop's iterator takes.
    pub(super) fn ask_taken(&mut self, names: Vec<Ident>) -> TokenStream {
        let mut out = TokenStream::new();
        if self.form == BodyForm::Hot {
            return out;
        }
        for name in names {
            let text = name.to_string();
            if self.is_borrow(&text) || !self.visible.iter().any(|v| v.name == text) {
                continue;
            }
            let of = of(self.again.len());
            self.again
                .push(Question::Taken(name.span().resolved_at(Span::call_site())));
            out.extend(quote!(if false { loop {} ::pc3::point::of(&#name, &#of); }));
        }
        out
    }

    /// A checkpoint is being taken within these loops.
    pub(super) fn loops_in_order(&self) -> TokenStream {
        let loops = self.made_iterators.iter().map(|(iterator, span)| {
            let line = quote_spanned!(*span=> ::core::line!());
            quote!(::pc3::point::in_order(&#iterator, ::core::concat!(::core::file!(), ":", #line));)
        });
        loops.collect()
    }
}

fn root(e: &Expr, into: &mut Vec<String>) {
    match e {
        Expr::Path(p) => into.extend(p.path.get_ident().map(ToString::to_string)),
        Expr::Field(f) => root(&f.base, into),
        _ => into.push(String::new()),
    }
}

/// The places that an iterator's items are in.
fn source(e: &Expr, into: &mut Vec<Expr>) {
    match e {
        Expr::Paren(p) => source(&p.expr, into),
        Expr::Group(g) => source(&g.expr, into),
        Expr::Reference(r) => source(&r.expr, into),
        Expr::Index(i) => source(&i.expr, into),
        Expr::Unary(u) => source(&u.expr, into),
        Expr::MethodCall(m) => {
            source(&m.receiver, into);
            m.args.iter().for_each(|a| source(a, into));
        }
        Expr::Path(p) if p.path.get_ident().is_some() => into.push(e.clone()),
        Expr::Field(f) => match chain(e) {
            true => into.push(e.clone()),
            false => source(&f.base, into),
        },
        _ => {}
    }
}

/// A name, or a field of one.
fn chain(e: &Expr) -> bool {
    match e {
        Expr::Path(p) => p.path.get_ident().is_some(),
        Expr::Field(f) => chain(&f.base),
        _ => false,
    }
}

/// Closures, and functions by name, that adaptors are given.
#[derive(Default)]
struct Closures {
    any: bool,
    /// What they read.
    places: Vec<Expr>,
    refused: Option<(Span, String)>,
}

const DECIDE: &[&str] = &[
    "filter",
    "filter_map",
    "flat_map",
    "map_while",
    "scan",
    "skip_while",
    "take_while",
];

impl<'ast> Visit<'ast> for Closures {
    fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
        self.visit_expr(&m.receiver);
        let iterates = ["zip", "chain"].iter().any(|n| m.method == n);
        for a in &m.args {
            match a {
                Expr::Closure(c) => {
                    self.any = true;
                    if changes_items(&m.receiver) && decides(m, c) {
                        self.refused.get_or_insert((c.span(), "this closure would be called again for items that the loop may have changed, as the iterator is made again after a restart: do in the loop what it does (`if … { continue; }`)".to_owned()));
                    }
                    let mut reads = Reads {
                        own: HashSet::new(),
                        places: &mut self.places,
                    };
                    c.inputs.iter().for_each(|p| reads.visit_pat(p));
                    reads.visit_expr(&c.body);
                }
                a if iterates || !is_adaptor(&m.method) => self.visit_expr(a),
                _ if ["take", "skip", "step_by"].iter().any(|n| m.method == n) => {}
                Expr::Path(_) => {
                    self.any = true;
                    self.places.extend(chain(a).then(|| a.clone()));
                }
                Expr::Reference(r) if chain(&r.expr) => {
                    self.any = true;
                    self.places.push((*r.expr).clone());
                }
                a => self.visit_expr(a),
            }
        }
    }
    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
}

fn changes_items(e: &Expr) -> bool {
    match e {
        Expr::MethodCall(m) => {
            m.method.to_string().ends_with("_mut")
                || changes_items(&m.receiver)
                || m.args.iter().any(changes_items)
        }
        Expr::Reference(r) => r.mutability.is_some(),
        Expr::Paren(p) => changes_items(&p.expr),
        _ => false,
    }
}

/// Is what the closure gives another thing if the item has changed?
fn decides(m: &syn::ExprMethodCall, c: &syn::ExprClosure) -> bool {
    let counted = matches!(&*m.receiver, Expr::MethodCall(r) if r.method == "enumerate");
    let mut pat = c.inputs.first();
    while let Some(Pat::Reference(r)) = pat {
        pat = Some(&r.pat);
    }
    let number = matches!(pat, Some(Pat::Tuple(t)) if matches!(t.elems.last(), Some(Pat::Wild(_))));
    if counted && number {
        return false;
    }
    if DECIDE.iter().any(|d| m.method == d) {
        return true;
    }
    matches!(
        &*c.body,
        Expr::Binary(_)
            | Expr::Unary(_)
            | Expr::Lit(_)
            | Expr::Field(_)
            | Expr::Macro(_)
            | Expr::Cast(_)
    )
}

/// The places that a closure's body reads.
struct Reads<'p> {
    own: HashSet<String>,
    places: &'p mut Vec<Expr>,
}

impl<'ast> Visit<'ast> for Reads<'_> {
    fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
        self.own.insert(p.ident.to_string());
    }
    fn visit_expr(&mut self, e: &'ast Expr) {
        if chain(e) {
            let mut names = Vec::new();
            root(e, &mut names);
            if !names.iter().any(|n| self.own.contains(n)) {
                self.places.push(e.clone());
            }
            return;
        }
        match e {
            Expr::Call(c) => {
                // A function, or a local that is one.
                if let Expr::Path(p) = &*c.func {
                    self.places
                        .extend(p.path.get_ident().map(|_| (*c.func).clone()));
                }
                c.args.iter().for_each(|a| self.visit_expr(a));
            }
            e => visit::visit_expr(self, e),
        }
    }
    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        for e in marks::each_argument(mac) {
            let mut inner = Reads {
                own: self.own.clone(),
                places: self.places,
            };
            inner.visit_expr(&e);
        }
        for name in identifiers(&mac.tokens) {
            if self.own.contains(&name) {
                continue;
            }
            if let Ok(mut name) = syn::parse_str::<Ident>(&name) {
                name.set_span(mac.path.span());
                self.places.push(syn::parse_quote!(#name));
            }
        }
    }
}
