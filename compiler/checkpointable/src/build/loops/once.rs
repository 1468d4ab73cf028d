//! Closures in locals, and iterators with closures, which would be of another type if they were written twice: what such a local
//! is needed in is a region of its own, in front of which it is made, whichever way that is entered.
//!
//! ```text
//! let mut it = list.iter().map(|x| x * n);   →   it = Paused::once(…, |w| Ahead::of(list.iter().map(|x| x * n)).ahead(w));
//! while let Some(x) = it.next() { … }            'l: { … break 'l; }
//! ```

use crate::visit::Visit;
use proc_macro2::{Ident, TokenStream};
use quote::{quote, ToTokens};
use syn::{Expr, Local, Pat, Stmt};

use super::walks::ahead;
use crate::build::lets::has_closure;
use crate::build::{label, Builder, Restoration, Result, Var};
use crate::flow::identifiers;
use crate::loops::{over, Over};
use crate::marks::{self, has_points};
use crate::reevaluation::{walks, Reevaluation};

/// Such a local.
pub(in crate::build) struct Once {
    name: Ident,
    made: OnceValue,
    /// Which of the statements behind it are in the region.
    pub(in crate::build) before: usize,
    pub(in crate::build) until: usize,
}

enum OnceValue {
    /// An iterator, and what is asked of it.
    Iterator(TokenStream, TokenStream),
    Closure(TokenStream),
}

impl Builder {
    /// Is a `let` one of these?  `behind` are the statements that may be in the region.
    pub(in crate::build) fn once(
        &mut self,
        local: &Local,
        behind: &[Stmt],
    ) -> Result<Option<Once>> {
        let Some((name, expr)) = shown(local) else {
            return Ok(None);
        };
        let Some(until) = self.needed_in(name, behind) else {
            return Ok(None);
        };
        let text = name.to_string();
        let mentions = |s: &Stmt| identifiers(&s.to_token_stream()).contains(&text);
        let other = |s: &Stmt| matches!(s, Stmt::Local(l) if shown(l).is_some());
        let begins = |s: &Stmt| has_points(s) || mentions(s) || other(s);
        let before = behind.iter().position(begins).unwrap_or(until);
        let made = match expr {
            Expr::Closure(c) => {
                if !self.wanted(name, behind) || !self.stays(c) {
                    return Ok(None);
                }
                let mut made = expr.clone();
                self.leaf(&mut made);
                let made = quote!(#made);
                self.local(name, true, None, Restoration::Closure(made.clone()));
                OnceValue::Closure(made)
            }
            expr => {
                self.names += 1;
                let again = Reevaluation::new(self, self.names);
                let Over::Again { made, from, taken } = over(expr, again, &self.moves.mutable)?
                else {
                    return Ok(None);
                };
                self.iterators.insert(name.to_string());
                let (made, asked) = self.made_walk(name, expr, made, from, taken);
                let made = quote!(#made);
                self.local(name, true, None, Restoration::Once(made.clone()));
                OnceValue::Iterator(made, asked)
            }
        };
        Ok(Some(Once {
            name: name.clone(),
            made,
            before: before.min(until),
            until,
        }))
    }

    /// Is the local, or another such one that it is used in, needed behind a point?
    fn wanted(&self, name: &Ident, behind: &[Stmt]) -> bool {
        let name = name.to_string();
        self.moves.needed(&name)
            || is_handed_on(&name, behind)
            || others(&name, behind).any(|(i, other)| self.wanted(other, &behind[i + 1..]))
    }

    /// Is the closure the same if it is made later?  What it borrows cannot change in between; what it takes may.
    fn stays(&self, c: &syn::ExprClosure) -> bool {
        let words = identifiers(&c.body.to_token_stream());
        c.capture.is_none() || words.is_disjoint(&self.moves.mutable.iter().cloned().collect())
    }

    /// How many of these statements are to be gone through until no point is left behind which the local is mentioned, nor
    /// another such local of theirs.
    fn needed_in(&self, name: &Ident, behind: &[Stmt]) -> Option<usize> {
        let name = name.to_string();
        let mentions = |s: &Stmt| identifiers(&s.to_token_stream()).contains(&name);
        let last = match self.after.needs(&name) {
            true => behind.len(),
            false => 1 + behind.iter().rposition(mentions)?,
        };
        let points = behind[..last].iter().rposition(has_points);
        let users = others(&name, behind).filter_map(|(i, other)| {
            let more = self.needed_in(other, &behind[i + 1..])?;
            Some(i + 1 + more)
        });
        let mut count = points.map(|i| i + 1).into_iter().chain(users).max()?;
        let mut i = 0;
        while i < count {
            if let Stmt::Local(l) = &behind[i] {
                let more = shown(l).and_then(|(name, _)| self.needed_in(name, &behind[i + 1..]));
                count = count.max(more.map_or(0, |more| i + 1 + more));
            }
            i += 1;
        }
        Some(count)
    }

    pub(in crate::build) fn within(
        &mut self,
        once: Once,
        stmts: &[Stmt],
        write: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let name = &once.name;
        let outside = self.outside();
        // To the compiler the region may be gone through from its beginning after it was entered.
        let uses = quote!(#name; #(#stmts)*);
        self.after.enter_loop(&uses, outside.into_iter());
        self.open();
        self.region().part = true;
        let done = write(self);
        self.after.leave();
        let at = label(&self.name("l").to_string());
        let part = self.region().id;
        let (code, points) = self.close(&quote!(break #at;));
        done?;
        let region = self.region().id;
        // Behind it they are the block's.
        for v in self.visible.iter_mut().filter(|v| v.region == part) {
            v.region = region;
        }
        let before = label(&self.name("u").to_string());
        self.loop_unit(points, &before);
        let made = match &once.made {
            OnceValue::Closure(made) => quote!(#name = #made;),
            OnceValue::Iterator(made, asked) => {
                let (text, again) = (name.to_string(), ahead(made, &quote!(pc3_w)));
                quote! {
                    let pc3_back = Pc3Mode::RESUME && pc3_at != 0;
                    #name = ::pc3::point::Paused::once(&mut pc3_frame, #text, pc3_back, |pc3_w| #again);
                    #asked
                }
            }
        };
        self.put(quote!(#made #at: { #code }));
        Ok(())
    }

    /// Is it a closure that is made in front of a region?
    pub(in crate::build) fn is_closure(&self, e: &Expr) -> bool {
        let Expr::Path(p) = e else { return false };
        let is = |v: &Var| p.path.is_ident(&v.name) && matches!(v.way, Restoration::Closure(_));
        self.visible.iter().any(is)
    }

    /// Is it such a local?
    pub(in crate::build) fn once_name(&self, e: &Expr) -> Option<Ident> {
        let Expr::Path(p) = e else { return None };
        let name = p.path.get_ident()?;
        let local = self.visible.iter().find(|v| v.name == *name)?;
        matches!(local.way, Restoration::Once(_)).then(|| name.clone())
    }
}

/// Is it an argument of a marked call, or within one that is made again?
fn is_handed_on(name: &str, stmts: &[Stmt]) -> bool {
    struct IsHandedOn<'n>(&'n str, bool);
    impl<'ast> Visit<'ast> for IsHandedOn<'_> {
        fn visit_macro(&mut self, m: &'ast syn::Macro) {
            let inner = syn::parse2::<Expr>(m.tokens.clone());
            let arguments = match (marks::is_call(m), &inner) {
                (true, Ok(Expr::Call(c))) => &c.args,
                (true, Ok(Expr::MethodCall(c))) => &c.args,
                _ => return,
            };
            self.1 |= arguments.iter().any(|a| {
                matches!(a, Expr::Path(_) | Expr::Reference(_) | Expr::Closure(_))
                    && identifiers(&a.to_token_stream()).contains(self.0)
            });
        }
    }
    let mut visitor = IsHandedOn(name, false);
    stmts.iter().for_each(|s| visitor.visit_stmt(s));
    visitor.1
}

/// Such locals that another one is used in, and where their `let`s are.
fn others<'s>(name: &'s str, behind: &'s [Stmt]) -> impl Iterator<Item = (usize, &'s Ident)> {
    behind.iter().enumerate().filter_map(move |(i, s)| match s {
        Stmt::Local(l) => {
            let (other, value) = shown(l)?;
            let used = identifiers(&value.to_token_stream()).contains(name);
            used.then_some((i, other))
        }
        _ => None,
    })
}

/// The name and the value of a `let` that may be one.
fn shown(local: &Local) -> Option<(&Ident, &Expr)> {
    let (Pat::Ident(p), Some(init)) = (&local.pat, &local.init) else {
        return None;
    };
    let plain = p.by_ref.is_none() && p.subpat.is_none() && local.attrs.is_empty();
    let closure = matches!(&*init.expr, Expr::Closure(c) if c.asyncness.is_none());
    let is = plain && (closure || (walks(&init.expr) && has_closure(&init.expr)));
    is.then_some((&p.ident, &*init.expr))
}
