//! Values that the pattern of a `let` or a loop borrows from by `ref`: they live as long as its names, so they become locals.
//!
//! ```text
//! let P { ref name, .. } = make();    →    let pc3_whole1 = make(); let P { ref name, .. } = pc3_whole1;
//! for (ref name, n) in list { … }     →    for pc3_whole1 in list { let (ref name, n) = pc3_whole1; … }
//! ```

use crate::visit::{self, Visit};
use crate::visit_mut::{self, VisitMut};
use proc_macro2::Ident;
use quote::format_ident;
use syn::{parse_quote, Block, Expr, Pat, Stmt, Token};

use crate::marks::block_has_points;
use crate::reevaluation::is_place;

/// Names those in blocks with points.
pub fn name(block: &mut Block) {
    Temporaries(0).visit_block_mut(block);
}

struct Temporaries(usize);

impl VisitMut for Temporaries {
    fn visit_block_mut(&mut self, block: &mut Block) {
        if !block_has_points(block) {
            return;
        }
        visit_mut::visit_block_mut(self, block);
        for mut stmt in std::mem::take(&mut block.stmts) {
            let whole = self.whole(&mut stmt);
            block.stmts.extend(whole);
            block.stmts.push(stmt);
        }
    }
    fn visit_expr_for_loop_mut(&mut self, f: &mut syn::ExprForLoop) {
        let own = OwnBorrows::of(&f.pat);
        if own.borrowed && block_has_points(&f.body) {
            let (name, mutable) = (self.next(), own.mutable());
            let pat = std::mem::replace(&mut *f.pat, parse_quote!(#mutable #name));
            f.body.stmts.insert(0, parse_quote!(let #pat = #name;));
        }
        visit_mut::visit_expr_for_loop_mut(self, f);
    }
    fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

impl Temporaries {
    fn next(&mut self) -> Ident {
        self.0 += 1;
        format_ident!("pc3_whole{}", self.0)
    }

    fn whole(&mut self, stmt: &mut Stmt) -> Option<Stmt> {
        let Stmt::Local(local) = stmt else {
            return None;
        };
        let init = local.init.as_mut()?;
        let own = OwnBorrows::of(&local.pat);
        let made = own.borrowed && init.diverge.is_none() && local.attrs.is_empty();
        if !made || is_place(&init.expr) || matches!(*init.expr, Expr::Reference(_)) {
            return None;
        }
        let (name, mutable) = (self.next(), own.mutable());
        let value = std::mem::replace(&mut *init.expr, parse_quote!(#name));
        Some(parse_quote!(let #mutable #name = #value;))
    }
}

/// Does a pattern borrow from the value itself, not from what that borrows?
#[derive(Default)]
struct OwnBorrows {
    borrowed: bool,
    changed: bool,
}

impl OwnBorrows {
    fn of(pat: &Pat) -> OwnBorrows {
        let mut own = OwnBorrows::default();
        own.visit_pat(pat);
        own
    }

    fn mutable(&self) -> Option<Token![mut]> {
        self.changed.then(Default::default)
    }
}

impl<'ast> Visit<'ast> for OwnBorrows {
    fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
        self.borrowed |= p.by_ref.is_some();
        self.changed |= p.by_ref.is_some() && p.mutability.is_some();
        visit::visit_pat_ident(self, p);
    }
    fn visit_pat_reference(&mut self, _: &'ast syn::PatReference) {}
    fn visit_expr(&mut self, _: &'ast Expr) {}
}
