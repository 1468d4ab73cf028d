//! Operators that borrows and iterators go through which are made again: `Index`, and `Deref`, also where it does not show.
//! A type of the program's says that these do nothing else, or the compiler refuses it.

use crate::visit::{self, Visit};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Type, UnOp};

use crate::reevaluation::{still, telling};

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
            use ::pc3::point::{HoldsEnd as _, HoldsItself as _, HoldsOther as _, HoldsPlain as _, HoldsPointer as _};
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
    match e {
        Expr::Index(i) => {
            let (base, at) = (&i.expr, place(&i.expr));
            quote_spanned!(at=> #ask(&::pc3::point::Indexed(&#base));)
        }
        Expr::Unary(u) if matches!(u.op, UnOp::Deref(_)) => {
            let (base, at) = (&u.expr, place(&u.expr));
            quote_spanned!(at=> #ask(&(&&&&::pc3::point::holds(&#base)).followed());)
        }
        Expr::Field(f) => behind_pointers(&f.base, ask),
        _ => TokenStream::new(),
    }
}

/// What is in it may be found through pointers.
fn behind_pointers(base: &Expr, ask: &TokenStream) -> TokenStream {
    let at = place(base);
    through(quote_spanned!(at=> ::pc3::point::holds(&#base)), at, ask)
}

fn through(mut held: TokenStream, at: Span, ask: &TokenStream) -> TokenStream {
    for _ in 0..DEPTH {
        held = quote_spanned!(at=> (&&&&&#held).to());
    }
    quote_spanned!(at=> #ask(&#held);)
}

/// Asks, of a borrow with a type of its own, how that is found through what is borrowed: `let text: &str = &name;`.
pub(super) fn ask_typed(e: &Expr, ty: &Type, name: &Ident) -> TokenStream {
    let (Expr::Reference(r), Type::Reference(to)) = (e, ty) else {
        return TokenStream::new();
    };
    // What implements the trait is the value itself.
    if matches!(&*to.elem, Type::TraitObject(_)) {
        return TokenStream::new();
    }
    let (base, at) = (&r.expr, place(&r.expr));
    let leads = quote_spanned!(at=> ::pc3::point::leads(&#base, &*#name));
    unreached(&through(leads, at, &quote!(::pc3::point::fine)))
}

fn place(e: &Expr) -> Span {
    match e {
        Expr::Path(_) => e.span().resolved_at(Span::call_site()),
        e => telling(e),
    }
}
