//! Patterns whose names are declared elsewhere: they bind other names, which are then assigned.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, ToTokens};
use syn::visit_mut::VisitMut;
use syn::{Expr, Pat};

use crate::names::is_binding;

pub(crate) fn is_place(e: &Expr) -> bool {
    match e {
        Expr::Path(_) => true,
        Expr::Field(f) => is_place(&f.base),
        Expr::Index(i) => is_place(&i.expr),
        Expr::Paren(p) => is_place(&p.expr),
        Expr::Unary(u) => matches!(u.op, syn::UnOp::Deref(_)),
        _ => false,
    }
}

pub(super) fn inner_name(name: &Ident) -> Ident {
    format_ident!("pc3_in_{}", name, span = name.span())
}

/// The pattern with other names, and its names with whether they are `mut`.
pub(super) fn inner_names(pat: &Pat) -> (Pat, Vec<(Ident, bool)>) {
    struct Rename(Vec<(Ident, bool)>);
    impl VisitMut for Rename {
        fn visit_pat_ident_mut(&mut self, p: &mut syn::PatIdent) {
            if is_binding(p) {
                if !self.0.iter().any(|(n, _)| *n == p.ident) {
                    let mutable = p.mutability.is_some() && p.by_ref.is_none();
                    self.0.push((p.ident.clone(), mutable));
                }
                p.ident = inner_name(&p.ident);
                if p.by_ref.is_none() {
                    p.mutability = None;
                }
            }
            if let Some((_, sub)) = &mut p.subpat {
                self.visit_pat_mut(sub);
            }
        }
        fn visit_expr_mut(&mut self, _: &mut Expr) {}
    }
    let mut inner = pat.clone();
    let mut rename = Rename(Vec::new());
    rename.visit_pat_mut(&mut inner);
    (inner, rename.0)
}

pub(super) fn assignments(names: &[(Ident, bool)]) -> TokenStream {
    let (to, from): (Vec<_>, Vec<_>) = names.iter().map(|(n, _)| (n, inner_name(n))).unzip();
    quote!(#(#to = #from;)*)
}

/// A guard with the names that the pattern has there.
pub(super) fn rename_inner(guard: Expr, names: &[(Ident, bool)]) -> TokenStream {
    fn walk(tokens: TokenStream, names: &[(Ident, bool)]) -> TokenStream {
        tokens
            .into_iter()
            .map(|t| match t {
                proc_macro2::TokenTree::Ident(i) if names.iter().any(|(n, _)| *n == i) => {
                    inner_name(&i).into()
                }
                proc_macro2::TokenTree::Group(g) => {
                    let mut new = proc_macro2::Group::new(g.delimiter(), walk(g.stream(), names));
                    new.set_span(g.span());
                    new.into()
                }
                t => t,
            })
            .collect()
    }
    walk(guard.to_token_stream(), names)
}
