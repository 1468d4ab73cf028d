//! Conditions of `if` and `while` that bind names, and jump.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{BinOp, Expr, ExprLet, Lifetime, Pat};

use super::brief::{is_named, leaves, leaves_nothing_else, whole_value};
use super::patterns::{assignments, binds, inner_names, rename_inner, Binds};
use super::rematch::ChosenCase;
use super::{Builder, Restoration, Result, Var};
use crate::operands::is_chain;
use crate::reevaluation::Links;

/// What a condition is that of.
pub(super) struct Bodies {
    pub(super) what: &'static str,
    /// Have they points, where it holds and where not?
    pub(super) then: bool,
    pub(super) other: bool,
}

/// Its parts, in their order.
fn chain<'e>(e: &'e Expr, into: &mut Vec<&'e Expr>) {
    match e {
        Expr::Binary(b) if matches!(b.op, BinOp::And(_)) && is_chain(e) => {
            chain(&b.left, into);
            chain(&b.right, into);
        }
        e => into.push(e),
    }
}

/// One of several conditions.
enum Condition {
    /// The pattern and what it is compared with, with the names that it has while they are, and how its names get their values.
    Let(Box<Pat>, TokenStream, TokenStream),
    If(TokenStream),
}

impl Builder {
    /// A condition that jumps where it holds; gives the locals that it binds.
    pub(super) fn condition(
        &mut self,
        cond: &Expr,
        to: &Lifetime,
        bodies: &Bodies,
    ) -> Result<Vec<Var>> {
        match cond {
            Expr::Let(l) => self.arm(l, to, bodies),
            cond if is_chain(cond) => self.chain(cond, to, bodies),
            cond => {
                let mut cond = cond.clone();
                self.leaf(&mut cond);
                self.put(quote!(if #cond { break #to; }));
                Ok(Vec::new())
            }
        }
    }

    /// `if let PAT = scrutinee`
    fn arm(&mut self, l: &ExprLet, to: &Lifetime, bodies: &Bodies) -> Result<Vec<Var>> {
        let pat = &l.pat;
        let (inner, names) = inner_names(pat);
        let assign = assignments(&names);
        let mut scrutinee = (*l.expr).clone();
        let taken = match self.is_made(&mut scrutinee, pat, bodies.what) {
            Some(links) => {
                let taken = self.chosen_case(&inner);
                let (way, known) = self.matched(&scrutinee, taken.clone(), &links, &names);
                Some((taken, way, known))
            }
            None => {
                // Where there is an `else`, the edition says whether the guard is held there.
                if !bodies.other {
                    let named = self.name_guard(&mut scrutinee);
                    self.else_ends.extend(named);
                }
                let left =
                    (bodies.then && leaves(pat)) || (bodies.other && !leaves_nothing_else(pat));
                self.unmade(&mut scrutinee, bodies.what, left);
                None
            }
        };
        let Some((taken, way, known)) = taken else {
            let (bound, known) = self.bound_values(&names);
            self.put(quote!(if let #inner = #scrutinee { #assign #known break #to; }));
            return Ok(bound);
        };
        let bound = self.bound_taken(&taken, &names, &way);
        let arms = taken.arms(&None, &quote!(#assign #known break #to;));
        self.put(quote!(match #scrutinee { #arms #[allow(unreachable_patterns)] _ => {} }));
        Ok(bound)
    }

    fn bound_taken(
        &mut self,
        taken: &ChosenCase,
        names: &[(proc_macro2::Ident, bool)],
        way: &Restoration,
    ) -> Vec<Var> {
        let depth = self.visible.len();
        self.declare_taken(taken);
        let mut bound = self.visible.split_off(depth);
        bound.extend(self.bound(names, way));
        bound
    }

    fn bound(&mut self, names: &[(proc_macro2::Ident, bool)], way: &Restoration) -> Vec<Var> {
        let depth = self.visible.len();
        for (name, mutable) in names {
            self.local(name, *mutable, None, way.clone());
        }
        self.visible.split_off(depth)
    }

    /// Of what is not made again; with what asks which of it are parts of texts.
    fn bound_values(&mut self, names: &[(proc_macro2::Ident, bool)]) -> (Vec<Var>, TokenStream) {
        let (mut bound, mut known) = (Vec::new(), TokenStream::new());
        for name in names {
            let (way, asked) = self.value_way(&name.0);
            bound.extend(self.bound(std::slice::from_ref(name), &way));
            known.extend(asked);
        }
        (bound, known)
    }

    /// `let PAT = a && b`: one within the other, and the names get their values where all of them hold.
    fn chain(&mut self, cond: &Expr, to: &Lifetime, bodies: &Bodies) -> Result<Vec<Var>> {
        let (mut exprs, mut parts) = (Vec::new(), Vec::new());
        chain(cond, &mut exprs);
        let (mut before, mut bound) = (Vec::new(), Vec::new());
        for e in exprs {
            let Expr::Let(l) = e else {
                let mut e = e.clone();
                self.leaf(&mut e);
                parts.push(Condition::If(rename_inner(e, &before)));
                continue;
            };
            let (inner, names) = inner_names(&l.pat);
            let mut scrutinee = (*l.expr).clone();
            // Nothing can be evaluated in front of what stands in front of it.
            let mut probe = self.probe();
            let made = match binds(&l.pat) {
                Binds::Values => false,
                Binds::Borrows | Binds::Mixed => {
                    probe.place(&mut scrutinee.clone()) || probe.borrow(&mut scrutinee.clone())
                }
                Binds::Either => probe.borrow(&mut scrutinee.clone()),
            };
            let mut assign = assignments(&names);
            let made = made && probe.from.is_empty();
            let links = probe.links();
            let mut seen = match made {
                true => {
                    self.leaf(&mut scrutinee);
                    let taken = self.chosen_case(&inner);
                    let arms = taken.arms(&None, &assign);
                    let (way, known) = self.matched(&scrutinee, taken.clone(), &links, &names);
                    assign = quote! {
                        match #scrutinee { #arms #[allow(unreachable_patterns)] _ => ::pc3::point::changed() }
                        #known
                    };
                    self.bound_taken(&taken, &names, &way)
                }
                false => {
                    self.unmade(&mut scrutinee, bodies.what, bodies.then && leaves(&l.pat));
                    let (bound, known) = self.bound_values(&names);
                    assign.extend(known);
                    bound
                }
            };
            // Those behind it may be made from its names.
            self.visible.extend(seen.iter().cloned());
            bound.append(&mut seen);
            let scrutinee = rename_inner(scrutinee, &before);
            parts.push(Condition::Let(Box::new(inner), scrutinee, assign));
            before.extend(names);
        }
        self.visible.truncate(self.visible.len() - bound.len());
        let assigns = parts.iter().filter_map(|p| match p {
            Condition::Let(_, _, assign) => Some(assign),
            Condition::If(_) => None,
        });
        let all = quote!(#(#assigns)* break #to;);
        let whole = parts.iter().rev().fold(all, |then, p| match p {
            Condition::Let(pat, scrutinee, _) => quote!(if let #pat = #scrutinee { #then }),
            Condition::If(cond) => quote!(if #cond { #then }),
        });
        self.put(whole);
        Ok(bound)
    }

    /// A head that nothing is made of again; `left`: something may remain of its value.
    pub(super) fn unmade(&mut self, scrutinee: &mut Expr, what: &str, left: bool) {
        if let Some(value) = whole_value(scrutinee) {
            *scrutinee = value;
        }
        self.brief(scrutinee, what);
        if left && !is_named(scrutinee) {
            self.brief_rest(scrutinee, what);
        }
        self.leaf(scrutinee);
    }

    /// Are a pattern's names borrows that can be made again from this?
    fn is_made(&mut self, scrutinee: &mut Expr, pat: &Pat, what: &str) -> Option<Links> {
        match binds(pat) {
            Binds::Values => None,
            Binds::Borrows | Binds::Mixed => self
                .head_again(scrutinee, what, |a, e| a.place(e))
                .or_else(|| self.head_again(scrutinee, what, |a, e| a.borrow(e))),
            Binds::Either => self.head_again(scrutinee, what, |a, e| a.borrow(e)),
        }
    }
}
