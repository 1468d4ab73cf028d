//! What closures and bodies of loops mention, bind and leave.

use std::collections::{HashMap, HashSet};

use crate::visit::{self, Visit};
use crate::visit_mut::{self, VisitMut};
use proc_macro2::Ident;
use quote::ToTokens;
use syn::{parse_quote, Block, Expr, Lifetime, Stmt};

use crate::flow::identifiers;
use crate::marks;

/// Does it leave the closure, or come from one that takes what it needs?
pub(super) fn stays_within(c: &syn::ExprClosure) -> bool {
    struct StaysWithin(bool);
    impl<'ast> Visit<'ast> for StaysWithin {
        fn visit_expr_return(&mut self, _: &'ast syn::ExprReturn) {
            self.0 = false;
        }
        fn visit_expr_try(&mut self, _: &'ast syn::ExprTry) {
            self.0 = false;
        }
        fn visit_macro(&mut self, m: &'ast syn::Macro) {
            self.0 &= marks::arguments(m).is_some() && !m.tokens.to_string().contains("return");
        }
    }
    let mut visitor = StaysWithin(c.capture.is_none() && c.asyncness.is_none());
    visitor.visit_expr(&c.body);
    visitor.0
}

pub(super) fn leaves_in_macros(block: &Block) -> bool {
    struct LeavesInMacros(bool);
    impl<'ast> Visit<'ast> for LeavesInMacros {
        fn visit_macro(&mut self, m: &'ast syn::Macro) {
            let words = identifiers(&m.tokens);
            self.0 |= words.contains("break") || words.contains("continue");
        }
    }
    let mut visitor = LeavesInMacros(false);
    visitor.visit_block(block);
    visitor.0
}

/// A body in two loops that were one.
pub(super) struct Leaves {
    pub(super) outer: Lifetime,
    /// The user's label, and that of the inner loop.
    pub(super) inner: Option<(Lifetime, Lifetime)>,
    /// Loops of the body's own around.
    pub(super) depth: usize,
}

impl VisitMut for Leaves {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        match e {
            Expr::Break(b) if b.label.is_none() && self.depth == 0 => {
                b.label = Some(self.outer.clone());
            }
            Expr::Continue(c) => {
                if let (Some((own, inner)), Some(label)) = (&self.inner, &c.label) {
                    if own.ident == label.ident {
                        c.label = Some(inner.clone());
                    }
                }
            }
            Expr::Closure(_) | Expr::Async(_) => return,
            _ => {}
        }
        let loops = matches!(e, Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_));
        self.depth += usize::from(loops);
        visit_mut::visit_expr_mut(self, e);
        self.depth -= usize::from(loops);
    }
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// Writes `names[i]` for `name.i`, if that is all that a body mentions of it.
pub(super) fn by_parts(body: &mut Block, name: &Ident, names: &[Ident]) -> bool {
    struct Fields<'n>(&'n Ident, &'n [Ident]);
    impl VisitMut for Fields<'_> {
        fn visit_expr_mut(&mut self, e: &mut Expr) {
            if let Expr::Field(f) = e {
                if let (Expr::Path(p), syn::Member::Unnamed(i)) = (&*f.base, &f.member) {
                    let part = self.1.get(i.index as usize);
                    if let (true, Some(part)) = (p.path.is_ident(self.0), part) {
                        *e = parse_quote!(#part);
                        return;
                    }
                }
            }
            visit_mut::visit_expr_mut(self, e);
        }
    }
    let mut changed = body.clone();
    Fields(name, names).visit_block_mut(&mut changed);
    let only = !identifiers(&changed.to_token_stream()).contains(&name.to_string());
    if only {
        *body = changed;
    }
    only
}

/// Does a value mention none of what these statements declare?
pub(super) fn apart(stmts: &[Stmt], value: &Expr) -> bool {
    let mut own = Locals::default();
    stmts.iter().for_each(|s| own.visit_stmt(s));
    let items = stmts.iter().any(|s| matches!(s, Stmt::Item(_)));
    let words = identifiers(&value.to_token_stream());
    !items && !words.iter().any(|w| own.all.contains_key(w))
}

/// The locals and parameters of a function.
#[derive(Default)]
pub(super) struct Locals {
    all: HashMap<String, Ident>,
    mutable: HashSet<String>,
}

impl<'ast> Visit<'ast> for Locals {
    fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
        let name = p.ident.to_string();
        if p.mutability.is_some() {
            self.mutable.insert(name.clone());
        }
        self.all.insert(name, p.ident.clone());
        visit::visit_pat_ident(self, p);
    }
    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

impl Locals {
    pub(super) fn of(block: &Block, sig: &syn::Signature) -> Locals {
        let mut locals = Locals::default();
        locals.visit_signature(sig);
        locals.visit_block(block);
        locals
    }

    /// A closure that takes what it uses (`move`) borrows it: each round has one of its own.  Gives what it would have taken, of
    /// which it is asked whether it is copied; none: what it has taken may change.
    pub(super) fn lend(&self, function: Option<&mut Expr>) -> Option<Vec<Ident>> {
        let Some(Expr::Closure(c)) = function else {
            return Some(Vec::new());
        };
        if c.capture.take().is_none() {
            return Some(Vec::new());
        }
        let mut own = Locals::default();
        own.visit_expr_closure(c);
        let words = identifiers(&c.body.to_token_stream());
        let outer = words.iter().filter(|w| !own.all.contains_key(*w));
        let outer: Vec<&String> = outer.collect();
        if outer.iter().any(|w| self.mutable.contains(*w)) {
            return None;
        }
        let taken = outer.iter().filter_map(|w| self.all.get(*w));
        Some(taken.cloned().collect())
    }
}

/// Is there the value of a struct in it, of which the braces would be taken for a loop's body?
pub(super) fn has_literal(e: &Expr) -> bool {
    match e {
        Expr::Struct(_) => true,
        Expr::MethodCall(m) => has_literal(&m.receiver),
        Expr::Field(f) => has_literal(&f.base),
        Expr::Index(i) => has_literal(&i.expr),
        Expr::Try(t) => has_literal(&t.expr),
        Expr::Reference(r) => has_literal(&r.expr),
        Expr::Unary(u) => has_literal(&u.expr),
        Expr::Range(r) => [&r.start, &r.end]
            .into_iter()
            .flatten()
            .any(|e| has_literal(e)),
        Expr::Binary(b) => has_literal(&b.left) || has_literal(&b.right),
        _ => false,
    }
}
