//! The last expression of a block: what lives until its end does so for as long as the user's edition says, that is, behind
//! the block's locals before edition 2024.  So it stays the last expression of a block with the user's braces.

use proc_macro2::{Delimiter, Group, TokenStream};
use quote::quote;
use syn::token::Brace;
use syn::{Block, Expr, Pat, Stmt};

use super::leaf::returned;
use super::{label, Builder, Destination, Result};
use crate::marks::has_points_expr;

impl Builder {
    /// A block's other statements, and its last expression if it has no points and values in it live until its end.
    pub(super) fn tail<'a>(&mut self, block: &'a Block) -> Option<(&'a [Stmt], &'a Expr)> {
        let (Stmt::Expr(tail, None), stmts) = block.stmts.split_last()? else {
            return None;
        };
        let own = |s: &Stmt| matches!(s, Stmt::Local(l) if matches!(&l.pat, Pat::Ident(p) if p.ident.to_string().starts_with("pc3_")));
        let written = !stmts.first().is_some_and(own);
        (written && !has_points_expr(tail) && self.has_briefs(tail)).then_some((stmts, tail))
    }

    /// A block that ends with an expression.
    pub(super) fn ending(
        &mut self,
        stmts: &[Stmt],
        tail: &Expr,
        braces: Brace,
        to: &Destination,
    ) -> Result<()> {
        let depth = self.visible.len();
        self.region().heads.push(TokenStream::new());
        self.after.enter_tail(&quote!(#tail));
        let done = self.stmts(stmts, &Destination::Nowhere);
        self.after.leave();
        let mut tail = tail.clone();
        self.leaf(&mut tail);
        let at = label(&self.name("t").to_string());
        self.put(quote!(break #at;));
        let region = self.region();
        let head = region.heads.pop().unwrap_or_default();
        let before = std::mem::take(&mut region.stream);
        let mut block = Group::new(Delimiter::Brace, quote!(#head #at: { #before } #tail));
        block.set_span(braces.span.join());
        let block = quote!(#block);
        self.put(match to {
            Destination::Nowhere => quote!(#block;),
            Destination::Local(name) => quote!(#name = #block;),
            Destination::Return => {
                let end = returned(&block, &self.output);
                quote!(#end;)
            }
        });
        self.visible.truncate(depth);
        done
    }
}
