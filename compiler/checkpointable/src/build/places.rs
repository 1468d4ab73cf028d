//! Operators that borrows and iterators go through which are made again: `Index`, and `Deref`, also where it does not show.
//! A type of the program's says that these do nothing else, or the compiler refuses it.

use crate::visit::{self, Visit};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprMethodCall, Pat, UnOp};

use crate::reevaluation::{is_called_again, is_constructor, still, telling, views};

/// How many pointers, one within the other, are looked through.
const DEPTH: usize = 4;

/// Asks, of all places in an expression that is evaluated again; `ask` is called with each.
pub(super) fn asked(e: &Expr, ask: &TokenStream) -> TokenStream {
    let mut look = Places {
        ask,
        out: TokenStream::new(),
    };
    look.visit_expr(e);
    look.out
}

/// As that, in code that is not reached.
pub(super) fn ask(e: &Expr) -> TokenStream {
    unreached(&asked(&still(e), &quote!(::pc3::point::fine)))
}

/// Asks what a method is called on that may be found through a `Deref`.
pub(super) fn ask_receiver(e: &Expr) -> TokenStream {
    let ask = quote!(::pc3::point::fine);
    let e = still(e);
    let mut out = behind_pointers(&e, &ask);
    out.extend(asked(&e, &ask));
    unreached(&out)
}

/// Asks whether a method that gives a borrow of this does nothing else.
pub(super) fn ask_plain(e: &Expr) -> TokenStream {
    let (of, at) = (still(e), telling(e));
    quote_spanned!(at=> if false { loop {} ::pc3::point::plain(&#of); })
}

pub(super) fn unreached(asked: &TokenStream) -> TokenStream {
    match asked.is_empty() {
        true => TokenStream::new(),
        false => quote!(if false {
            loop {}
            #[allow(unused_imports)]
            use ::pc3::point::places::*;
            #asked
        }),
    }
}

struct Places<'a> {
    ask: &'a TokenStream,
    out: TokenStream,
}

impl<'ast> Visit<'ast> for Places<'_> {
    fn visit_expr(&mut self, e: &'ast Expr) {
        if !matches!(e, Expr::Closure(_) | Expr::Macro(_)) {
            self.out.extend(asked_of(e, self.ask));
            visit::visit_expr(self, e);
        }
    }
}

/// Of the expression itself.
pub(super) fn asked_of(e: &Expr, ask: &TokenStream) -> TokenStream {
    let mut asked = asked_of_operator(e, ask);
    if let Expr::MethodCall(m) = e {
        asked.extend(taken_by_value(m, ask));
    }
    // What this gives is known where something is done with it.
    if let Some((m, at)) = base(e).and_then(view) {
        let ty = quote_spanned!(at=> ::pc3::point::type_of(&#m));
        asked.extend(no_other_view(m, &ty, ask));
    }
    asked
}

fn asked_of_operator(e: &Expr, ask: &TokenStream) -> TokenStream {
    match e {
        Expr::Index(i) => {
            let (base, by, at) = (&i.expr, &i.index, place(&i.expr));
            quote_spanned!(at=> #ask(&(&&&::pc3::point::indexed(&#base, &(#by))).way());)
        }
        Expr::Unary(u) if matches!(u.op, UnOp::Deref(_)) => {
            let (base, at) = (&u.expr, place(&u.expr));
            quote_spanned!(at=> #ask(&(&&&&&&::pc3::point::holds(&#base)).followed());)
        }
        Expr::MethodCall(m) if m.method == "as_deref" || m.method == "as_deref_mut" => {
            let (base, at) = (&m.receiver, telling(e));
            let held = quote_spanned!(at=> (&&::pc3::point::holds(&#base)).deep());
            let mut asked = quote_spanned!(at=> #ask(&(&&&&&&#held).followed()););
            asked.extend(no_other(m, ask));
            asked
        }
        Expr::MethodCall(m) if is_called_again(&m.method) => no_other(m, ask),
        Expr::MethodCall(m) if m.method == "unwrap" || m.method == "expect" => {
            let (of, at) = (&m.receiver, telling(e));
            quote_spanned!(at=> #ask(&(&&::pc3::point::within(&#of)).way());)
        }
        Expr::Field(f) => behind_pointers(&f.base, ask),
        // Of a constant, which is another one each time.
        Expr::Reference(r) if matches!(&*r.expr, Expr::Path(p) if is_constant_path(p)) => {
            let (of, at) = (&r.expr, telling(&r.expr));
            quote_spanned!(at=> (&&&::pc3::point::Remade::of(&#of)).whole();)
        }
        Expr::Call(c) if is_constructor(&c.func) => {
            // A function's name is no pattern.
            let (by, at) = (&c.func, telling(&c.func));
            quote_spanned!(at=> #[allow(irrefutable_let_patterns)] if let #by(..) = (#e) {})
        }
        _ => TokenStream::new(),
    }
}

/// What is in it may be found through pointers.
fn behind_pointers(base: &Expr, ask: &TokenStream) -> TokenStream {
    let at = place(base);
    through(quote_spanned!(at=> ::pc3::point::holds(&#base)), at, ask)
}

/// Asks whether the method, which has the name of one of the standard library's, is that.
fn no_other(m: &ExprMethodCall, ask: &TokenStream) -> TokenStream {
    let (name, of) = (&m.method, &m.receiver);
    let at = name.span().resolved_at(Span::call_site());
    let types: Vec<Ident> = (0..m.args.len()).map(|n| format_ident!("T{}", n)).collect();
    let given = m.args.iter().map(|_| quote!(loop {}));
    let given = quote!(#(#given),*);
    let named = format_ident!("{}", name, span = at);
    let here = quote_spanned! {at=>
        #ask(&(&&&&&&pc3_l).here().#name(#given));
        let pc3_l = (&&&&&&pc3_l).next();
    };
    let levels = (0..=DEPTH).map(|_| &here);
    quote_spanned! {at=> {
        trait CalledAgain {
            fn #name<#(#types),*>(&mut self #(, _: #types)*) -> ::pc3::point::NoOther {
                ::pc3::point::NoOther
            }
        }
        impl<T: ?::core::marker::Sized> CalledAgain for T {}
        let pc3_l = ::pc3::point::level(&#of, ::pc3::point::names::#named);
        #(#levels)*
        #ask(&(&&&&&&pc3_l).end());
    }}
}

/// As that, of one that borrows an `Option` or `Result`: the program's may take it, and is found in front of that.
fn taken_by_value(m: &ExprMethodCall, ask: &TokenStream) -> Option<TokenStream> {
    let names = ["as_deref", "as_deref_mut", "as_mut", "as_ref"];
    if !names.iter().any(|n| m.method == n) || !m.args.is_empty() {
        return None;
    }
    let (name, of) = (&m.method, &m.receiver);
    let at = name.span().resolved_at(Span::call_site());
    Some(quote_spanned! {at=> {
        trait CalledAgain: ::core::marker::Sized {
            fn #name(self) -> ::pc3::point::NoOther {
                ::pc3::point::NoOther
            }
        }
        impl<T> CalledAgain for T {}
        #ask(&(&&::pc3::point::within(&#of)).value().#name());
    }})
}

/// As that, of one that many types have by a trait of the standard library's, which the program may implement, too; `ty`: of
/// what it gives.
fn no_other_view(m: &ExprMethodCall, ty: &TokenStream, ask: &TokenStream) -> TokenStream {
    let (of, at) = (&m.receiver, m.method.span().resolved_at(Span::call_site()));
    let mut view = quote_spanned!(at=> (&&::pc3::point::view(&#of, &#ty)).seen());
    for _ in 0..=DEPTH {
        view = quote_spanned!(at=> (&&&&&#view).to());
    }
    quote_spanned!(at=> #ask(&#view);)
}

/// Might it be a constant?
fn is_constant_path(p: &syn::ExprPath) -> bool {
    let last = p.path.segments.last().map(|s| s.ident.to_string());
    last.is_some_and(|l| !l.contains(char::is_lowercase) && l.contains(char::is_uppercase))
}

/// What an operator, a field or a method is of.
fn base(e: &Expr) -> Option<&Expr> {
    match e {
        Expr::MethodCall(m) => Some(&m.receiver),
        Expr::Field(f) => Some(&f.base),
        Expr::Index(i) => Some(&i.expr),
        Expr::Unary(u) => Some(&u.expr),
        _ => None,
    }
}

/// Is it a call of one of these?
fn view(e: &Expr) -> Option<(&ExprMethodCall, Span)> {
    match e {
        Expr::Paren(p) => view(&p.expr),
        Expr::Group(p) => view(&p.expr),
        Expr::MethodCall(m) if views(&m.method) => {
            Some((m, m.method.span().resolved_at(Span::call_site())))
        }
        _ => None,
    }
}

fn through(mut held: TokenStream, at: Span, ask: &TokenStream) -> TokenStream {
    // One step more tells where the way behind the last one ends.
    for _ in 0..=DEPTH {
        held = quote_spanned!(at=> (&&&&&&&#held).to());
    }
    quote_spanned!(at=> #ask(&#held);)
}

/// Asks, of what a `let` with a type binds, how that is found through what is borrowed: `let text: &str = &name;`.
pub(super) fn ask_typed(e: &Expr, pat: &Pat) -> TokenStream {
    let Pat::Type(typed) = pat else {
        return TokenStream::new();
    };
    let mut bound = Vec::new();
    each_bound(e, &typed.pat, &mut bound);
    let asked = bound.into_iter().map(|(e, name)| {
        let ty = quote_spanned!(name.span()=> ::pc3::point::type_of(&#name));
        ask_made_into(e, &ty)
    });
    unreached(&asked.collect())
}

/// As that, of a type that is written.
pub(super) fn asked_of_type(e: &Expr, ty: &TokenStream) -> TokenStream {
    unreached(&ask_made_into(e, ty))
}

/// Names with what is bound to them alone.
fn each_bound<'a>(e: &'a Expr, pat: &'a Pat, into: &mut Vec<(&'a Expr, &'a Ident)>) {
    match (e, pat) {
        (Expr::Paren(p), pat) => each_bound(&p.expr, pat, into),
        (Expr::Group(p), pat) => each_bound(&p.expr, pat, into),
        (Expr::Tuple(t), Pat::Tuple(p)) if t.elems.len() == p.elems.len() => {
            let each = t.elems.iter().zip(&p.elems);
            each.for_each(|(e, pat)| each_bound(e, pat, into));
        }
        (e, Pat::Ident(p)) if is_made_into(e) => into.push((e, &p.ident)),
        _ => {}
    }
}

/// Asks, of a borrow that is made into one of another type where it stands.
fn ask_made_into(e: &Expr, ty: &TokenStream) -> TokenStream {
    let at = match e {
        Expr::Reference(r) => place(&r.expr),
        e => place(e),
    };
    let e = still(e);
    let way = quote_spanned!(at=> (&&&::pc3::point::leads(&#e, &#ty)).way());
    let fine = quote!(::pc3::point::fine);
    let mut asked = through(way, at, &fine);
    if let Some((m, _)) = view(&e) {
        asked.extend(no_other_view(m, ty, &fine));
    }
    asked
}

/// Borrows among what a call that is gone back into is given: each is tied to the type that it is made into there.
#[derive(Default)]
pub(super) struct Arguments {
    pub(super) types: Vec<Ident>,
    asked: TokenStream,
}

impl Arguments {
    /// `made`: how it is made again, if that is known to be another expression.
    pub(super) fn tied(
        &mut self,
        e: &Expr,
        made: TokenStream,
        name: &mut dyn FnMut() -> Ident,
    ) -> TokenStream {
        match e {
            Expr::Paren(p) => self.tied(&p.expr, made, name),
            Expr::Group(p) => self.tied(&p.expr, made, name),
            e if is_made_into(e) => {
                let ty = name();
                self.asked.extend(ask_made_into(e, &quote!(#ty)));
                let tied = quote_spanned!(place(e)=> ::pc3::point::same(#ty, #made));
                self.types.push(ty);
                tied
            }
            e => {
                let mut parts = e.clone();
                let list = match &mut parts {
                    Expr::Tuple(t) => &mut t.elems,
                    Expr::Array(t) => &mut t.elems,
                    Expr::Call(c) if is_constructor(&c.func) => &mut c.args,
                    Expr::Reference(r) if matches!(*r.expr, Expr::Array(_) | Expr::Tuple(_)) => {
                        let (inner, to) = (&r.expr, &r.mutability);
                        let tied = self.tied(inner, quote!(#inner), name);
                        return quote!(& #to #tied);
                    }
                    _ => return made,
                };
                for e in list {
                    let tied = self.tied(e, quote!(#e), name);
                    *e = Expr::Verbatim(tied);
                }
                quote!(#parts)
            }
        }
    }

    /// As that, of what has been tied to the type.
    pub(super) fn chain(&mut self, e: &Expr, ty: &Ident) {
        self.asked.extend(ask_made_into(e, &quote!(#ty)));
    }

    /// Asks, behind the call, what these types say.
    pub(super) fn asked(&self) -> TokenStream {
        unreached(&self.asked)
    }
}

/// Might the expression be a borrow that is made into another one?
pub(super) fn is_made_into(e: &Expr) -> bool {
    match e {
        Expr::Paren(p) => is_made_into(&p.expr),
        Expr::Group(p) => is_made_into(&p.expr),
        Expr::Reference(r) => is_there(&r.expr),
        e => is_there(e),
    }
}

/// A place, or what methods give: it has a type of its own.
fn is_there(e: &Expr) -> bool {
    match e {
        Expr::Paren(p) => is_there(&p.expr),
        Expr::Group(p) => is_there(&p.expr),
        Expr::Field(f) => is_there(&f.base),
        Expr::Index(i) => is_there(&i.expr),
        Expr::Path(p) => {
            let lower = |i: &Ident| {
                i.to_string()
                    .starts_with(|c: char| c.is_lowercase() || c == '_')
            };
            p.path.get_ident().is_some_and(lower)
        }
        Expr::Unary(u) => matches!(u.op, UnOp::Deref(_)),
        Expr::MethodCall(_) | Expr::Try(_) => true,
        _ => false,
    }
}

fn place(e: &Expr) -> Span {
    match e {
        Expr::Path(_) => e.span().resolved_at(Span::call_site()),
        e => telling(e),
    }
}
