//! Closures that would be called, or made, twice.

use std::collections::HashSet;

use crate::visit::{self, Visit};
use proc_macro2::{Span, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::Expr;

use super::walk::root;
use crate::marks::{self, Arguments};
use crate::methods;
use crate::operands::is_assignment;

/// What a closure does besides giving a value: where, and what.
pub fn effect(c: &syn::ExprClosure, mutable: &HashSet<String>) -> Option<(Span, String)> {
    let mut effects = Effects {
        own: HashSet::new(),
        mutable,
        found: None,
    };
    c.inputs.iter().for_each(|p| effects.visit_pat(p));
    // Names of patterns inside come before their uses.
    effects.visit_expr(&c.body);
    effects.found
}

/// What in a closure changes something outside of it, or may.
struct Effects<'m> {
    own: HashSet<String>,
    mutable: &'m HashSet<String>,
    found: Option<(Span, String)>,
}

impl Effects<'_> {
    fn outer(&self, e: &Expr) -> Option<String> {
        root(e).filter(|r| !self.own.contains(r))
    }
    fn changes(&mut self, e: &Expr) {
        if let Some(name) = self.outer(e) {
            self.found
                .get_or_insert((e.span(), format!("changes `{name}`")));
        }
    }
}

impl<'ast> Visit<'ast> for Effects<'_> {
    fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
        self.own.insert(p.ident.to_string());
    }
    fn visit_expr_assign(&mut self, a: &'ast syn::ExprAssign) {
        self.changes(&a.left);
        visit::visit_expr_assign(self, a);
    }
    fn visit_expr_binary(&mut self, b: &'ast syn::ExprBinary) {
        if is_assignment(&b.op) {
            self.changes(&b.left);
        }
        visit::visit_expr_binary(self, b);
    }
    fn visit_expr_reference(&mut self, r: &'ast syn::ExprReference) {
        if r.mutability.is_some() {
            self.changes(&r.expr);
        }
        visit::visit_expr_reference(self, r);
    }
    fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
        let name = m.method.to_string();
        let mutable = self
            .outer(&m.receiver)
            .is_some_and(|r| self.mutable.contains(&r));
        if mutable && !methods::looks(&name) {
            self.changes(&m.receiver);
        }
        if matches!(
            name.as_str(),
            "borrow_mut" | "lock" | "set" | "replace" | "take"
        ) {
            self.changes(&m.receiver);
        }
        visit::visit_expr_method_call(self, m);
    }
    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        let name = marks::name(mac);
        let quiet = matches!(
            name.as_str(),
            "format"
                | "vec"
                | "matches"
                | "assert"
                | "assert_eq"
                | "assert_ne"
                | "debug_assert"
                | "panic"
                | "unreachable"
                | "todo"
                | "unimplemented"
        );
        if !quiet {
            self.found
                .get_or_insert((mac.path.span(), format!("uses `{name}!`")));
            return;
        }
        if let Some(Arguments::Listed(list)) = marks::arguments(mac) {
            // Only what changes something matters, and that is found in copies, too.
            for e in list {
                let mut inner = Effects {
                    own: self.own.clone(),
                    mutable: self.mutable,
                    found: None,
                };
                inner.visit_expr(&e);
                if let Some(f) = inner.found {
                    self.found.get_or_insert(f);
                }
            }
        }
    }
}

/// Words in a piece of code, of `mut` locals.
pub(crate) fn mutable_in(e: &Expr, mutable: &HashSet<String>) -> Option<(Span, String)> {
    fn find(tokens: proc_macro2::TokenStream, mutable: &HashSet<String>) -> Option<(Span, String)> {
        tokens.into_iter().find_map(|t| match t {
            TokenTree::Ident(i) if mutable.contains(&i.to_string()) => {
                Some((i.span(), i.to_string()))
            }
            TokenTree::Group(g) => find(g.stream(), mutable),
            _ => None,
        })
    }
    find(e.to_token_stream(), mutable)
}
