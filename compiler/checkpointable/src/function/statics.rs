//! Statics that a function names: their values are not saved, which nothing in the program shows.  Whether one changes its type
//! says; the code asks by method lookup, and what it finds then is deprecated.
//!
//! ```text
//! COUNT.fetch_add(1, Relaxed);    →    let _ = || { (&&&Named(&COUNT)).value(); };
//! ```

use std::collections::{BTreeMap, HashSet};

use crate::visit::{self, Visit};
use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned, ToTokens};
use syn::{BinOp, Block, Expr, ExprPath, Item, PathArguments, Signature};

use super::nested;
use crate::marks;

/// Asks for the statics that a body names.
pub fn lints(sig: &Signature, block: &Block) -> TokenStream {
    let mut visitor = StaticUses::default();
    sig.inputs.iter().for_each(|i| visitor.visit_fn_arg(i));
    visitor.visit_block(block);
    let StaticUses {
        named, own, hides, ..
    } = visitor;
    let seen = |path: &&(ExprPath, bool)| match path.0.path.get_ident() {
        Some(name) => !hides && !own.contains(&name.to_string()),
        None => true,
    };
    let asked = named.values().filter(seen).map(|(path, changes)| {
        let at = last(path).span();
        match changes {
            true => quote_spanned!(at=> let _ = ::pc3::point::STATIC_MUT;),
            false => {
                let value = Ident::new("value", at);
                quote!((&&&::pc3::point::Named(&#path)).#value();)
            }
        }
    });
    let asked: TokenStream = asked.collect();
    match asked.is_empty() {
        true => asked,
        false => quote! {
            let _ = || {
                use ::pc3::point::{NamedLock as _, NamedOther as _, NotSaved as _};
                #asked
            };
        },
    }
}

fn last(path: &ExprPath) -> &Ident {
    &path.path.segments[path.path.segments.len() - 1].ident
}

/// `COUNT`, `module::COUNT`
fn is_static(path: &ExprPath) -> bool {
    let mut segments: Vec<_> = path.path.segments.iter().collect();
    let plain = segments.iter().all(|s| s.arguments == PathArguments::None);
    let Some(name) = segments.pop().map(|s| s.ident.to_string()) else {
        return false;
    };
    let upper = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let module = |s: &&syn::PathSegment| s.ident.to_string().starts_with(char::is_lowercase);
    path.qself.is_none()
        && plain
        && name.chars().all(upper)
        && name.contains(|c: char| c.is_ascii_uppercase())
        && segments.iter().all(module)
        // `f64::MAX`
        && segments.first().is_none_or(|s| !crate::names::NUMBERS.iter().any(|n| s.ident == n))
}

#[derive(Default)]
struct StaticUses {
    /// By how they are written, whether one is `static mut` as it shows.
    named: BTreeMap<String, (ExprPath, bool)>,
    /// Names of the function's own.
    own: HashSet<String>,
    /// It brings names that are not known here.
    hides: bool,
    /// In unsafe code a static may be one that cannot be named elsewhere.
    is_unsafe: bool,
}

impl StaticUses {
    /// A value that is not moved.
    fn place(&mut self, e: &Expr) {
        if let Expr::Path(p) = e {
            if is_static(p) && !self.is_unsafe {
                self.add(p, false);
            }
        }
    }

    fn add(&mut self, path: &ExprPath, changes: bool) {
        let key = path.to_token_stream().to_string();
        self.named.entry(key).or_insert((path.clone(), changes));
    }

    /// Only a `static mut` is assigned to.
    fn assigned(&mut self, e: &Expr) {
        match e {
            Expr::Path(p) if is_static(p) && self.is_unsafe => self.add(p, true),
            Expr::Field(f) => self.assigned(&f.base),
            Expr::Index(i) => self.assigned(&i.expr),
            Expr::Paren(p) => self.assigned(&p.expr),
            _ => {}
        }
    }

    fn owned(&mut self, e: &Expr) {
        // The visitor borrows for as long as the tree lives.
        let mut inner = StaticUses {
            is_unsafe: self.is_unsafe,
            ..StaticUses::default()
        };
        inner.visit_expr(e);
        // Well-known macros borrow.
        inner.place(e);
        self.own.extend(inner.own);
        self.hides |= inner.hides;
        for (key, path) in inner.named {
            self.named.entry(key).or_insert(path);
        }
    }
}

impl<'ast> Visit<'ast> for StaticUses {
    fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
        self.own.insert(p.ident.to_string());
        visit::visit_pat_ident(self, p);
    }
    fn visit_expr(&mut self, e: &'ast Expr) {
        match e {
            Expr::MethodCall(m) => self.place(&m.receiver),
            Expr::Field(f) => self.place(&f.base),
            Expr::Index(i) => self.place(&i.expr),
            Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => self.place(&u.expr),
            Expr::Reference(r) if r.mutability.is_some() => self.assigned(&r.expr),
            Expr::RawAddr(r) if matches!(r.mutability, syn::PointerMutability::Mut(_)) => {
                self.assigned(&r.expr);
            }
            Expr::Reference(r) => self.place(&r.expr),
            Expr::Assign(a) => self.assigned(&a.left),
            Expr::Binary(b) if is_assigning(&b.op) => self.assigned(&b.left),
            _ => {}
        }
        visit::visit_expr(self, e);
    }
    fn visit_expr_unsafe(&mut self, e: &'ast syn::ExprUnsafe) {
        let before = std::mem::replace(&mut self.is_unsafe, true);
        visit::visit_expr_unsafe(self, e);
        self.is_unsafe = before;
    }
    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        if marks::is_call(mac) {
            if let Ok(e) = syn::parse2::<Expr>(mac.tokens.clone()) {
                self.owned(&e);
            }
            return;
        }
        for e in marks::each_argument(mac) {
            self.owned(&e);
        }
    }
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            // What it makes may have any name.
            Item::Macro(_) => self.hides = true,
            _ => {
                for name in nested::declared(item) {
                    match name {
                        Some(name) => drop(self.own.insert(name.to_string())),
                        None => self.hides = true,
                    }
                }
            }
        }
    }
}

fn is_assigning(op: &BinOp) -> bool {
    use BinOp::*;
    matches!(
        op,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitXorAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}
