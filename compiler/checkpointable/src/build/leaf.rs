//! Code without points: `return` and `?` give what the body gives, jumps lead out of what is around.

use std::collections::HashMap;

use crate::visit_mut::{self, VisitMut};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned, ToTokens};
use syn::{Expr, Lifetime, Stmt, Type};

use super::{Builder, Destination};
use crate::marks::{self, Arguments};
use crate::reevaluation::strip;

impl Builder {
    pub(super) fn leaf(&mut self, e: &mut Expr) {
        let mut leaf = self.leaves();
        leaf.visit_expr_mut(e);
    }

    pub(super) fn leaf_stmt(&mut self, stmt: &mut Stmt) {
        let mut leaf = self.leaves();
        leaf.visit_stmt_mut(stmt);
    }

    pub(super) fn leaves(&self) -> Leaf<'_> {
        Leaf {
            output: &self.output,
            outer: self.loops.last(),
            hands_on: &self.hands_on,
            blocks: &self.blocks,
            inside: 0,
        }
    }
}

/// The function ends with a value.  What the compiler says of a value of another type is to be said of the value.
pub(super) fn returned(value: &TokenStream, output: &Type) -> TokenStream {
    match output {
        Type::Never(_) => quote!(return ::core::result::Result::Ok(#value)),
        _ => quote!({ let pc3_v: #output = #value; return ::core::result::Result::Ok(pc3_v) }),
    }
}

/// What `?` does; it stands at `at`.
pub(super) fn question(value: TokenStream, output: &Type, at: Span) -> TokenStream {
    let asked = quote_spanned!(at=> ::pc3::point::Asked::<_, #output>::new(#value).question());
    quote! {
        match #asked {
            ::core::ops::ControlFlow::Continue(pc3_v) => pc3_v,
            ::core::ops::ControlFlow::Break(pc3_v) => return ::core::result::Result::Ok(pc3_v),
        }
    }
}

/// Macros of well-known crates that leave the function with an `Err`: `bail!` always, `ensure!` perhaps.  In a closure they
/// leave that.
fn leaving(mac: &syn::Macro) -> Option<TokenStream> {
    let (ends, value, there) = match marks::name(mac).as_str() {
        "bail" => (
            quote!(::core::convert::Infallible),
            quote!(),
            quote!(match pc3_v {}),
        ),
        "ensure" => (
            quote!(()),
            quote!(; ::core::result::Result::Ok(())),
            quote!(()),
        ),
        _ => return None,
    };
    Some(quote! {
        match (|| -> ::core::result::Result<#ends, _> { #mac #value })() {
            ::core::result::Result::Ok(pc3_v) => #there,
            ::core::result::Result::Err(pc3_e) => return ::core::result::Result::Ok(::core::result::Result::Err(pc3_e)),
        }
    })
}

/// Code without points: `return` and `?` give what the body gives, jumps lead out of what is around.
pub(super) struct Leaf<'b> {
    output: &'b Type,
    outer: Option<&'b Lifetime>,
    hands_on: &'b HashMap<String, TokenStream>,
    blocks: &'b HashMap<String, (Destination, Lifetime)>,
    /// Loops of the code itself.
    inside: usize,
}

impl VisitMut for Leaf<'_> {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        match e {
            Expr::Closure(_) | Expr::Async(_) => return,
            Expr::Loop(_) | Expr::While(_) | Expr::ForLoop(_) => {
                self.inside += 1;
                visit_mut::visit_expr_mut(self, e);
                self.inside -= 1;
                return;
            }
            _ => visit_mut::visit_expr_mut(self, e),
        }
        match e {
            Expr::Macro(m) => {
                if let Some(left) = leaving(&m.mac) {
                    *e = Expr::Verbatim(left);
                }
            }
            Expr::Return(r) => {
                let value = r.expr.take().map_or_else(|| quote!(()), |e| quote!(#e));
                *e = Expr::Verbatim(returned(&value, self.output));
            }
            Expr::Try(t) => {
                let at = t.question_token.span;
                let value = question(t.expr.to_token_stream(), self.output, at);
                *e = Expr::Verbatim(quote!((#value)));
            }
            Expr::Break(b) if b.label.is_none() && self.inside == 0 => {
                b.label = self.outer.cloned()
            }
            Expr::Continue(c) => {
                if c.label.is_none() && self.inside == 0 {
                    c.label = self.outer.cloned();
                }
                let of = c.label.as_ref().map(|l| l.ident.to_string());
                let on = of.and_then(|l| self.hands_on.get(&l));
                if let Some(on) = on.filter(|on| !on.is_empty()) {
                    *e = Expr::Verbatim(quote!({ #on #e }));
                }
            }
            Expr::Break(b) => {
                let name = b
                    .label
                    .as_ref()
                    .map(|l| l.ident.to_string())
                    .unwrap_or_default();
                if let Some((to, end)) = self.blocks.get(&name) {
                    let value = b.expr.take().map_or_else(|| quote!(()), |e| quote!(#e));
                    *e = Expr::Verbatim(match to {
                        Destination::Nowhere => quote!({ #value; break #end; }),
                        Destination::Local(name) => quote!({ #name = #value; break #end; }),
                        Destination::Return => returned(&value, self.output),
                    });
                }
            }
            _ => {}
        }
    }

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        visit_mut::visit_stmt_mut(self, stmt);
        if let Stmt::Macro(m) = stmt {
            if let Some(left) = leaving(&m.mac) {
                *stmt = Stmt::Expr(Expr::Verbatim(left), m.semi_token);
            }
        }
    }

    fn visit_local_mut(&mut self, l: &mut syn::Local) {
        strip(l);
        visit_mut::visit_local_mut(self, l);
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        if marks::is_call(mac) {
            return;
        }
        match marks::arguments(mac) {
            Some(Arguments::Listed(mut list)) => {
                list.iter_mut().for_each(|e| match e {
                    // `name = value`
                    Expr::Assign(a) => self.visit_expr_mut(&mut a.right),
                    e => self.visit_expr_mut(e),
                });
                mac.tokens = quote!(#list);
            }
            Some(Arguments::Repeated(mut item, mut n)) => {
                self.visit_expr_mut(&mut item);
                self.visit_expr_mut(&mut n);
                mac.tokens = quote!(#item; #n);
            }
            None => {}
        }
    }
}
