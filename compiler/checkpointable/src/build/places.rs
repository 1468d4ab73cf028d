//! Operators that borrows and iterators go through which are made again: `Index`, and `Deref`, also where it does not show.
//! A type of the program's says that these do nothing else, or the compiler refuses it.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Expr, UnOp};

use crate::again::{still, telling};

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
    let mut out = held(&e, &ask);
    out.extend(asked(&e, &ask));
    unreached(&out)
}

fn unreached(asked: &TokenStream) -> TokenStream {
    match asked.is_empty() {
        true => TokenStream::new(),
        false => quote!(if false {
            loop {}
            #[allow(unused_imports)]
            use ::pc3::point::{HoldsItself as _, HoldsOther as _, HoldsPlain as _, HoldsPointer as _};
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
        match e {
            Expr::Index(i) => {
                let (ask, base, at) = (self.ask, &i.expr, place(&i.expr));
                self.out
                    .extend(quote_spanned!(at=> #ask(&::pc3::point::Indexed(&#base));));
            }
            Expr::Unary(u) if matches!(u.op, UnOp::Deref(_)) => {
                let (ask, base, at) = (self.ask, &u.expr, place(&u.expr));
                self.out.extend(
                    quote_spanned!(at=> #ask(&(&&&&::pc3::point::Holds(&#base)).followed());),
                );
            }
            Expr::Field(f) => self.out.extend(held(&f.base, self.ask)),
            Expr::Closure(_) | Expr::Macro(_) => return,
            _ => {}
        }
        visit::visit_expr(self, e);
    }
}

/// What is in it may be found through pointers.
fn held(base: &Expr, ask: &TokenStream) -> TokenStream {
    let at = place(base);
    let mut held = quote_spanned!(at=> ::pc3::point::Holds(&#base));
    for _ in 0..DEPTH {
        held = quote_spanned!(at=> (&&&&#held).to());
    }
    quote_spanned!(at=> #ask(&#held);)
}

fn place(e: &Expr) -> Span {
    match e {
        Expr::Path(_) => e.span().resolved_at(Span::call_site()),
        e => telling(e),
    }
}
