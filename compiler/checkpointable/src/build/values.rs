//! Expressions whose value goes somewhere: branches are written one behind the other, and jump.

use proc_macro2::TokenStream;
use quote::{quote, ToTokens};
use syn::spanned::Spanned;
use syn::{Expr, ExprMatch};

use super::brief::leaves;
use super::conditions::Bodies;
use super::leaf::returned;
use super::loops::repeat::Head;
use super::patterns::{assignments, binds, inner_names, rename_inner, Binds};
use super::{label, Builder, Destination, Restoration, Result};
use crate::marks::{self, block_has_points, has_points_expr};
use crate::moves;
use crate::operands::{is_assignment, is_marked};

impl Builder {
    pub(super) fn give(&mut self, value: TokenStream, to: &Destination) {
        match to {
            Destination::Nowhere => self.put(quote!(#value;)),
            Destination::Local(name) => self.put(quote!(#name = #value;)),
            Destination::Return => {
                let end = returned(&value, &self.output);
                self.put(quote!(#end;));
            }
        }
    }

    /// An expression whose value goes somewhere.
    pub(super) fn value(&mut self, e: &Expr, to: &Destination) -> Result<()> {
        if !has_points_expr(e) {
            let mut leaf = e.clone();
            self.leaf(&mut leaf);
            match to {
                Destination::Nowhere => self.put(quote!(#leaf;)),
                _ => self.give(quote!(#leaf), to),
            }
            return Ok(());
        }
        if is_marked(e) {
            // What it is called with ends with the statement.
            return self.scoped(TokenStream::new(), |s| {
                let value = s.call(e)?;
                s.give(value, to);
                Ok(())
            });
        }
        match e {
            Expr::Macro(m) if marks::is_location(&m.mac) => {
                self.location(m.mac.span(), moves::number(&m.attrs));
                self.give(quote!(()), to);
                Ok(())
            }
            Expr::Paren(p) => self.value(&p.expr, to),
            Expr::Group(p) => self.value(&p.expr, to),
            Expr::Return(r) => match &r.expr {
                Some(e) => self.value(e, &Destination::Return),
                None => {
                    self.give(quote!(()), &Destination::Return);
                    Ok(())
                }
            },
            Expr::Assign(a) => {
                self.after.enter_use(&left_uses(&a.left));
                let value = self.named(&a.right);
                self.after.leave();
                let (value, mut left) = (value?, (*a.left).clone());
                self.leaf(&mut left);
                self.put(quote!(#left = { #value };));
                Ok(())
            }
            Expr::Binary(b) if is_assignment(&b.op) => {
                self.after.enter_use(&b.left.to_token_stream());
                let value = self.named(&b.right);
                self.after.leave();
                let (value, mut left, op) = (value?, (*b.left).clone(), &b.op);
                self.leaf(&mut left);
                self.put(quote!(#left #op #value;));
                Ok(())
            }
            Expr::If(i) => self.if_(i, to),
            Expr::Match(m) => self.scoped(TokenStream::new(), |s| s.match_(m, to)),
            Expr::Block(b) => self.block_expr(b, to),
            Expr::Unsafe(u) => Err(syn::Error::new_spanned(
                u.unsafe_token,
                "points cannot be within `unsafe`: end that block in front of them",
            )),
            Expr::Loop(l) => {
                let value = self.loop_(&l.label, &l.body, Head::Loop, e)?;
                match to {
                    Destination::Nowhere => self.put(quote!(let _ = #value;)),
                    to => self.give(value, to),
                }
                Ok(())
            }
            Expr::While(w) => {
                let value = self.loop_(&w.label, &w.body, Head::While(&w.cond), e)?;
                self.give(value, to);
                Ok(())
            }
            Expr::ForLoop(f) => {
                self.scoped(TokenStream::new(), |s| s.for_(f))?;
                if !matches!(to, Destination::Nowhere) {
                    self.give(quote!(()), to);
                }
                Ok(())
            }
            other => Err(syn::Error::new_spanned(
                other,
                "a marked call cannot be part of this expression: bind its value with `let` before",
            )),
        }
    }

    /// The value under a name of its own.
    pub(super) fn named(&mut self, e: &Expr) -> Result<TokenStream> {
        let name = self.name("v");
        self.declare(&name, false, None);
        self.value(e, &Destination::Local(name.clone()))?;
        Ok(quote!(#name))
    }

    pub(super) fn block_expr(&mut self, b: &syn::ExprBlock, to: &Destination) -> Result<()> {
        let end = match &b.label {
            Some(l) => {
                let end = label(&self.name("j").to_string());
                self.blocks
                    .insert(l.name.ident.to_string(), (to.clone(), end.clone()));
                Some(end)
            }
            None => None,
        };
        self.block(&b.block, to)?;
        if let Some(end) = end {
            self.target(&end);
        }
        Ok(())
    }

    pub(super) fn if_(&mut self, i: &syn::ExprIf, to: &Destination) -> Result<()> {
        let (then, end) = (
            label(&self.name("b").to_string()),
            label(&self.name("j").to_string()),
        );
        self.scoped(TokenStream::new(), |s| {
            let bodies = Bodies {
                what: "the `if`",
                then: block_has_points(&i.then_branch),
                other: i
                    .else_branch
                    .as_ref()
                    .is_some_and(|(_, e)| has_points_expr(e)),
            };
            s.else_ends.clear();
            let bound = s.condition(&i.cond, &then, &bodies)?;
            let ends = std::mem::take(&mut s.else_ends);
            if i.else_branch.is_some() {
                s.end_for_else(ends, i.if_token.span);
            }
            match &i.else_branch {
                Some((_, other)) => match &**other {
                    Expr::Block(b) if b.label.is_none() => s.block(&b.block, to)?,
                    other => s.value(other, to)?,
                },
                None if matches!(to, Destination::Nowhere) => {}
                None => s.give(quote!(()), to),
            }
            s.put(quote!(break #end;));
            s.target(&then);
            s.visible.extend(bound);
            s.block(&i.then_branch, to)
        })?;
        self.target(&end);
        Ok(())
    }

    pub(super) fn match_(&mut self, m: &ExprMatch, to: &Destination) -> Result<()> {
        let end = label(&self.name("j").to_string());
        let what = "the `match`";
        let mut scrutinee = (*m.expr).clone();
        let links = self.head_again(&mut scrutinee, what, |a, e| a.borrow(e));
        let is_made = links.is_some();
        let links = links.unwrap_or_default();
        if !is_made {
            self.name_guard(&mut scrutinee);
            let left = |a: &syn::Arm| has_points_expr(&a.body) && leaves(&a.pat);
            self.unmade(&mut scrutinee, what, m.arms.iter().any(left));
        }
        let mut arms = TokenStream::new();
        let mut bodies = Vec::new();
        for arm in &m.arms {
            let pat = &arm.pat;
            if !has_points_expr(&arm.body) {
                let mut leaf = arm.clone();
                if let Some((_, g)) = &mut leaf.guard {
                    self.leaf(g);
                }
                self.leaf(&mut leaf.body);
                let (guard, body) = (leaf.guard.map(|(_, g)| quote!(if #g)), leaf.body);
                let give = match to {
                    Destination::Nowhere => quote!(#body;),
                    Destination::Local(name) => quote!(#name = #body;),
                    Destination::Return => returned(&quote!(#body), &self.output),
                };
                arms.extend(quote!(#pat #guard => { #give break #end; }));
                continue;
            }
            let at = label(&self.name("b").to_string());
            let (inner, names) = inner_names(pat);
            let assign = assignments(&names);
            let guard = match &arm.guard {
                Some((_, g)) => {
                    let mut g = (**g).clone();
                    self.leaf(&mut g);
                    let renamed = rename_inner(g, &names);
                    Some(quote!(if #renamed))
                }
                None => None,
            };
            let made = match binds(pat) {
                Binds::Values => false,
                Binds::Borrows | Binds::Mixed => {
                    is_made || crate::reevaluation::is_place(&scrutinee)
                }
                Binds::Either => is_made,
            };
            let taken = made.then(|| self.chosen_case(&inner));
            let mut known = TokenStream::new();
            let ways: Vec<Restoration> = match &taken {
                Some(taken) => {
                    let (way, asked) = self.matched(&scrutinee, taken.clone(), &links, &names);
                    known = asked;
                    vec![way; names.len()]
                }
                None => {
                    let asked = names.iter().map(|(name, _)| self.value_way(name));
                    let (ways, all): (Vec<Restoration>, Vec<TokenStream>) = asked.unzip();
                    known.extend(all);
                    ways
                }
            };
            let bound = self.apart(|s| {
                if let Some(taken) = &taken {
                    s.declare_taken(taken);
                }
                for ((name, mutable), way) in names.iter().zip(&ways) {
                    s.local(name, *mutable, None, way.clone());
                }
            });
            let body = quote!(#assign #known break #at;);
            arms.extend(match taken {
                Some(taken) => taken.arms(&guard, &body),
                None => quote!(#inner #guard => { #body }),
            });
            bodies.push((at, bound, &arm.body));
        }
        self.put(quote!(match #scrutinee { #arms }));
        for (at, (head, bound), body) in bodies {
            self.target(&at);
            self.scoped(head, |s| {
                s.visible.extend(bound);
                match &**body {
                    Expr::Block(b) if b.label.is_none() => s.block(&b.block, to),
                    other => s.value(other, to),
                }
            })?;
            self.put(quote!(break #end;));
        }
        self.target(&end);
        Ok(())
    }
}

pub(super) fn left_uses(left: &Expr) -> TokenStream {
    match left {
        Expr::Path(_) | Expr::Infer(_) => TokenStream::new(),
        Expr::Tuple(t) => t.elems.iter().map(left_uses).collect(),
        Expr::Array(t) => t.elems.iter().map(left_uses).collect(),
        Expr::Call(c) => c.args.iter().map(left_uses).collect(),
        Expr::Struct(s) => s.fields.iter().map(|f| left_uses(&f.expr)).collect(),
        Expr::Paren(p) => left_uses(&p.expr),
        left => quote!(#left;),
    }
}
