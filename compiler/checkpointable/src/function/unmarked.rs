//! Calls of checkpointable functions that are not marked: no checkpoint is taken below them, which nothing in the program shows.
//! Beside each checkpointable function stands a deprecated constant; a call that might be of one looks for that, and finds a
//! constant of its own otherwise.
//!
//! ```text
//! step(&mut s);    →    const pc3_unmarked_step: () = (); { use self::*; let _ = pc3_unmarked_step; }
//! ```

use std::collections::{BTreeMap, HashSet};

use crate::visit::{self, Visit};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned, ToTokens};
use syn::{Block, Expr, PathArguments, Signature, Visibility};

use crate::marks;
use crate::names::NUMBERS;

/// Modules that have no such functions.
const KNOWN: &[&str] = &["alloc", "core", "pc3", "std"];

fn constant(function: &Ident) -> Ident {
    format_ident!("pc3_unmarked_{}", function, span = function.span())
}

/// What stands beside a checkpointable function.
pub(crate) fn companion(
    sig: &Signature,
    vis: &Visibility,
    conditions: &TokenStream,
) -> TokenStream {
    let (constant, name) = (constant(&sig.ident), sig.ident.to_string());
    let note = format!("`{name}` is checkpointable, but called without `ck!` in a checkpointable function: no checkpoint is taken before it returns; write `ck!({name}(…))`");
    quote! {
        #conditions
        #[doc(hidden)]
        #[allow(non_upper_case_globals, dead_code)]
        #[deprecated(note = #note)]
        #vis const #constant: () = ();
    }
}

/// Looks for what stands beside the functions that a body calls: an error, unless it is `meant`.
pub fn lints(sig: &Signature, block: &Block, meant: bool) -> TokenStream {
    let denied = (!meant).then(|| quote!(#[deny(deprecated)]));
    let mut visitor = PlainCalls::default();
    sig.inputs.iter().for_each(|i| visitor.visit_fn_arg(i));
    visitor.visit_block(block);
    let own = &visitor.own;
    let calls = visitor
        .calls
        .iter()
        .filter(|c| c.within.is_some() || !own.contains(&c.name.to_string()));
    let mut modules: BTreeMap<String, (TokenStream, Vec<&Ident>)> = BTreeMap::new();
    for call in calls {
        let within = call.within.clone().unwrap_or_else(|| quote!(self::));
        let of = modules.entry(within.to_string());
        of.or_insert((within, Vec::new())).1.push(&call.name);
    }
    let all = modules.into_values().map(|(module, names)| {
        let all: HashSet<String> = names.iter().map(ToString::to_string).collect();
        let mut all: Vec<Ident> = all
            .iter()
            .map(|n| format_ident!("pc3_unmarked_{}", n))
            .collect();
        all.sort();
        let found = names.iter().map(|name| {
            let constant = constant(name);
            quote_spanned!(name.span()=> #constant;)
        });
        quote! {
            {
                #(const #all: () = ();)*
                #denied
                {
                    use #module*;
                    #(#found)*
                }
            }
        }
    });
    all.collect()
}

struct Call {
    /// `module::`
    within: Option<TokenStream>,
    name: Ident,
}

#[derive(Default)]
struct PlainCalls {
    calls: Vec<Call>,
    /// Names of locals.
    own: HashSet<String>,
}

impl PlainCalls {
    fn call(&mut self, path: &syn::ExprPath) {
        let mut segments: Vec<_> = path.path.segments.iter().collect();
        let Some(last) = segments.pop() else { return };
        let lower = |i: &Ident| {
            i.to_string()
                .starts_with(|c: char| c.is_lowercase() || c == '_')
        };
        let module = |s: &&syn::PathSegment| {
            let is_one = |list: &[&str]| list.iter().any(|n| s.ident == n);
            lower(&s.ident)
                && s.arguments == PathArguments::None
                && !is_one(NUMBERS)
                && !is_one(&["str"])
        };
        let known = segments
            .first()
            .is_some_and(|s| KNOWN.iter().any(|n| s.ident == n));
        if path.qself.is_some() || known || !lower(&last.ident) || !segments.iter().all(module) {
            return;
        }
        let within = (!segments.is_empty()).then(|| {
            let mut path = path.path.clone();
            path.segments.pop();
            path.to_token_stream()
        });
        self.calls.push(Call {
            within,
            name: last.ident.clone(),
        });
    }

    fn owned(&mut self, e: &Expr) {
        // The visitor borrows for as long as the tree lives.
        let mut inner = PlainCalls::default();
        inner.visit_expr(e);
        self.calls.append(&mut inner.calls);
        self.own.extend(inner.own);
    }
}

impl<'ast> Visit<'ast> for PlainCalls {
    fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
        self.own.insert(p.ident.to_string());
        visit::visit_pat_ident(self, p);
    }
    fn visit_expr_call(&mut self, c: &'ast syn::ExprCall) {
        if let Expr::Path(p) = &*c.func {
            self.call(p);
        }
        visit::visit_expr_call(self, c);
    }
    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        if marks::is_call(mac) {
            match syn::parse2::<Expr>(mac.tokens.clone()) {
                Ok(Expr::Call(c)) => c.args.iter().for_each(|e| self.owned(e)),
                Ok(e) => self.owned(&e),
                Err(_) => {}
            }
            return;
        }
        for e in marks::each_argument(mac) {
            self.owned(&e);
        }
    }
    // They cannot be marked there.
    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
    fn visit_expr_async(&mut self, _: &'ast syn::ExprAsync) {}
    fn visit_expr_unsafe(&mut self, _: &'ast syn::ExprUnsafe) {}
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if let syn::Item::Fn(f) = item {
            self.own.insert(f.sig.ident.to_string());
        }
    }
}
