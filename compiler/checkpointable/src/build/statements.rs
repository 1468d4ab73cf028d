//! Blocks and their statements.

use std::ops::Range;

use proc_macro2::TokenStream;
use quote::{quote, ToTokens};
use syn::spanned::Spanned;
use syn::{Block, Expr, Stmt};

use super::{Builder, Destination, Result};
use crate::flow;
use crate::function::nested;
use crate::marks::{self, has_points_expr};
use crate::moves;

impl Builder {
    pub(super) fn block(&mut self, block: &Block, to: &Destination) -> Result<()> {
        match self.tail(block) {
            Some((stmts, tail)) => {
                self.using(block, |s| s.ending(stmts, tail, block.brace_token, to))
            }
            None => self.using(block, |s| {
                s.scoped(TokenStream::new(), |s| s.stmts(&block.stmts, to))
            }),
        }
    }

    fn is_used(&self, item: &syn::ItemUse) -> bool {
        let text = item.to_token_stream().to_string();
        self.uses.iter().any(|u| u.to_string() == text)
    }

    /// What the code in front of a block would see of its `use`s, were they among its declarations: methods of traits.
    fn using<T>(&mut self, block: &Block, write: impl FnOnce(&mut Self) -> T) -> T {
        let open = self.uses.len();
        if self.in_function {
            let uses = block.stmts.iter().filter_map(|s| match s {
                Stmt::Item(syn::Item::Use(u)) if !nested::is_declared(u, block) => Some(quote!(#u)),
                _ => None,
            });
            self.uses.extend(uses);
        }
        let before = std::mem::replace(&mut self.in_function, true);
        let done = write(self);
        self.in_function = before;
        self.uses.truncate(open);
        done
    }

    pub(super) fn stmts(&mut self, stmts: &[Stmt], to: &Destination) -> Result<()> {
        let depth = self.visible.len();
        self.each(stmts, &flow::Block::of(stmts), 0..stmts.len(), to)?;
        let valued = matches!(stmts.last(), Some(Stmt::Expr(_, None)))
            || matches!(stmts.last(), Some(Stmt::Macro(m)) if m.semi_token.is_none() && marks::location(&stmts[stmts.len() - 1]).is_none());
        if !valued {
            let ends = matches!(
                stmts.last(),
                Some(Stmt::Expr(
                    Expr::Return(_) | Expr::Break(_) | Expr::Continue(_),
                    _
                ))
            ) || matches!(stmts.last(), Some(Stmt::Macro(m)) if marks::diverges(&m.mac));
            if !ends && matches!(to, Destination::Return) {
                let output = &self.output;
                self.put(quote! {
                    #[allow(unused_imports)]
                    use ::pc3::point::Reached as _;
                    return ::core::result::Result::Ok(::pc3::point::End::<#output>::new().reached());
                });
            } else if !ends && !matches!(to, Destination::Nowhere) {
                self.give(quote!(()), to);
            }
        }
        self.visible.truncate(depth);
        Ok(())
    }

    /// These statements of a block.
    fn each(
        &mut self,
        stmts: &[Stmt],
        uses: &flow::Block,
        which: Range<usize>,
        to: &Destination,
    ) -> Result<()> {
        let mut next = which.start;
        while next < which.end {
            let (i, stmt) = (next, &stmts[next]);
            let last = i + 1 == stmts.len();
            next += 1;
            if let Stmt::Local(local) = stmt {
                if let Some(once) = self.once(local, &stmts[next..])? {
                    let (begin, end) = (next + once.before, next + once.until);
                    self.each(stmts, uses, next..begin, to)?;
                    self.within(once, &stmts[begin..end], |s| {
                        s.each(stmts, uses, begin..end, to)
                    })?;
                    next = end;
                    continue;
                }
            }
            self.after.enter(uses, next);
            let done = match stmt {
                Stmt::Expr(e, None) if last => self.value(e, to),
                Stmt::Macro(m)
                    if last && m.semi_token.is_none() && marks::location(stmt).is_none() =>
                {
                    let e = Expr::Macro(syn::ExprMacro {
                        attrs: m.attrs.clone(),
                        mac: m.mac.clone(),
                    });
                    self.value(&e, to)
                }
                _ => self.stmt(stmt),
            };
            self.after.leave();
            done?;
        }
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<()> {
        if let Some(mac) = marks::location(stmt) {
            let attrs = match stmt {
                Stmt::Macro(m) => &m.attrs[..],
                Stmt::Expr(Expr::Macro(m), _) => &m.attrs[..],
                _ => &[],
            };
            self.location(mac.span(), moves::number(attrs));
            return Ok(());
        }
        match stmt {
            Stmt::Item(syn::Item::Use(u)) if self.is_used(u) => Ok(()),
            Stmt::Item(item) => {
                self.head().extend(quote!(#item));
                Ok(())
            }
            Stmt::Local(local) => self.let_(local),
            Stmt::Expr(e, _) if has_points_expr(e) => self.value(e, &Destination::Nowhere),
            Stmt::Macro(m) if marks::is_call(&m.mac) => {
                let e = Expr::Macro(syn::ExprMacro {
                    attrs: m.attrs.clone(),
                    mac: m.mac.clone(),
                });
                self.value(&e, &Destination::Nowhere)
            }
            stmt => {
                let mut leaf = stmt.clone();
                self.leaf_stmt(&mut leaf);
                self.put(match leaf {
                    Stmt::Expr(e, None) => quote!(#e;),
                    leaf => quote!(#leaf),
                });
                Ok(())
            }
        }
    }
}
