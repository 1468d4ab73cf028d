//! Patterns whose names are declared elsewhere: they bind other names, which are then assigned.

use crate::visit_mut::VisitMut;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, ToTokens};
use syn::{Expr, Pat};

use crate::names::is_binding;

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

/// How a pattern binds its names.
pub(super) enum Binds {
    /// What they take is taken out, or copied.
    Values,
    /// `ref`
    Borrows,
    /// Some by `ref`, others as what is matched is.
    Mixed,
    /// As what is matched is.
    Either,
}

pub(super) fn binds(pat: &Pat) -> Binds {
    struct BindingModes {
        inside: bool,
        /// Names below `&`, names with `ref`, others.
        found: [bool; 3],
    }
    impl<'ast> crate::visit::Visit<'ast> for BindingModes {
        fn visit_pat_reference(&mut self, p: &'ast syn::PatReference) {
            let before = std::mem::replace(&mut self.inside, true);
            crate::visit::visit_pat_reference(self, p);
            self.inside = before;
        }
        fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
            if is_binding(p) {
                let which = match (p.by_ref.is_some(), self.inside) {
                    (true, _) => 1,
                    (false, true) => 0,
                    (false, false) => 2,
                };
                self.found[which] = true;
            }
            crate::visit::visit_pat_ident(self, p);
        }
        fn visit_expr(&mut self, _: &'ast Expr) {}
    }
    let mut visitor = BindingModes {
        inside: false,
        found: [false; 3],
    };
    crate::visit::Visit::visit_pat(&mut visitor, pat);
    match visitor.found {
        [true, false, false] => Binds::Values,
        [false, true, false] => Binds::Borrows,
        [_, true, _] => Binds::Mixed,
        _ => Binds::Either,
    }
}

/// Does it borrow from what is matched?
pub(crate) fn has_ref(pat: &Pat) -> bool {
    struct HasRef(bool);
    impl<'ast> crate::visit::Visit<'ast> for HasRef {
        fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
            self.0 |= p.by_ref.is_some();
            crate::visit::visit_pat_ident(self, p);
        }
    }
    let mut visitor = HasRef(false);
    crate::visit::Visit::visit_pat(&mut visitor, pat);
    visitor.0
}

/// The types of these names must be borrows, since they are made again.
pub(super) fn checked(scrutinee: &Expr, names: &[(Ident, bool)]) -> TokenStream {
    struct CallsMethod(bool);
    impl<'ast> crate::visit::Visit<'ast> for CallsMethod {
        fn visit_expr_method_call(&mut self, _: &'ast syn::ExprMethodCall) {
            self.0 = true;
        }
    }
    let mut visitor = CallsMethod(false);
    crate::visit::Visit::visit_expr(&mut visitor, scrutinee);
    if !visitor.0 {
        return TokenStream::new();
    }
    let names = names.iter().map(|(n, _)| n);
    quote! {{
        #[allow(unused_imports)]
        use ::pc3::point::{IsBorrow as _, IsText as _, IsValue as _};
        #((&&&::pc3::point::Made(&#names)).made();)*
    }}
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
