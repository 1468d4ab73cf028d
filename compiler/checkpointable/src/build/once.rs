//! Iterators in locals whose closures would be of another type if they were written twice: what such a local is needed in is a
//! region of its own, in front of which the iterator is made, whichever way it is entered.
//!
//! ```text
//! let mut it = list.iter().map(|x| x * n);   →   it = Paused::once(…, |w| Ahead::of(list.iter().map(|x| x * n)).ahead(w));
//! while let Some(x) = it.next() { … }            'l: { … break 'l; }
//! ```

use proc_macro2::{Ident, TokenStream};
use quote::{quote, ToTokens};
use syn::{Expr, Local, Pat, Stmt};

use super::lets::has_closure;
use super::walks::ahead;
use super::{label, Builder, Result, Way};
use crate::again::{walks, Again};
use crate::flow::identifiers;
use crate::loops::{over, Over};
use crate::marks::has_points;

/// Such a local.
pub(super) struct Once {
    name: Ident,
    made: TokenStream,
    asked: TokenStream,
    /// Which of the statements behind it are in the region.
    pub(super) before: usize,
    pub(super) until: usize,
}

impl Builder {
    /// Is a `let` one of these?  `behind` are the statements that may be in the region.
    pub(super) fn once(&mut self, local: &Local, behind: &[Stmt]) -> Result<Option<Once>> {
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
        self.names += 1;
        let again = Again::new(self, self.names);
        let Over::Again { made, from, taken } = over(expr, again, &self.course.mutable)? else {
            return Ok(None);
        };
        self.iterators.insert(name.to_string());
        let (made, asked) = self.made_walk(name, expr, made, from, taken);
        let made = quote!(#made);
        self.local(name, true, None, Way::Once(made.clone()));
        Ok(Some(Once {
            name: name.clone(),
            made,
            asked,
            before: before.min(until),
            until,
        }))
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
        let mut count = 1 + behind[..last].iter().rposition(has_points)?;
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

    pub(super) fn within(
        &mut self,
        once: Once,
        stmts: &[Stmt],
        write: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let (name, asked) = (&once.name, &once.asked);
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
        let (text, again) = (name.to_string(), ahead(&once.made, &quote!(pc3_w)));
        self.put(quote! {
            let pc3_back = Pc3Mode::RESUME && pc3_at != 0;
            #name = ::pc3::point::Paused::once(&mut pc3_frame, #text, pc3_back, |pc3_w| #again);
            #asked
            #at: { #code }
        });
        Ok(())
    }

    /// Is it such a local?
    pub(super) fn once_name(&self, e: &Expr) -> Option<Ident> {
        let Expr::Path(p) = e else { return None };
        let name = p.path.get_ident()?;
        let local = self.visible.iter().find(|v| v.name == *name)?;
        matches!(local.way, Way::Once(_)).then(|| name.clone())
    }
}

/// The name and the value of a `let` that may be one.
fn shown(local: &Local) -> Option<(&Ident, &Expr)> {
    let (Pat::Ident(p), Some(init)) = (&local.pat, &local.init) else {
        return None;
    };
    let plain = p.by_ref.is_none() && p.subpat.is_none() && local.attrs.is_empty();
    let is = plain && walks(&init.expr) && has_closure(&init.expr);
    is.then_some((&p.ident, &*init.expr))
}
