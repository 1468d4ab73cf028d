//! Iterators in locals that are needed behind a point.
//!
//! ```text
//! let mut it = text.chars().peekable();   →   it = (&&&Ahead::of(text.chars().peekable())).ahead(Walked::default());
//! let mut it = map.into_iter();           →   it = (&&&Owned::of(map.into_iter())).owned();
//! ```
//!
//! A copy of one (`let mut look = it.clone();`) comes back as that does.  Of its own type is one whose type is written, or that is lent to somebody (`&mut it`).

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Expr, Local, Pat};

use super::ask_parts;
use crate::build::borrows::type_of;
use crate::build::lets::has_closure;
use crate::build::{places, Builder, Restoration, Result};
use crate::loops::{over, owned_local, unchanging, Over};
use crate::reevaluation::{iterates, telling, walks, Reevaluation, Source};

impl Builder {
    /// `let it = ITERATOR;`: how it comes back, what is asked of it, and its value.
    pub(in crate::build) fn walked(
        &mut self,
        local: &Local,
    ) -> Result<Option<(Restoration, TokenStream, TokenStream)>> {
        let (pat, ty) = match &local.pat {
            Pat::Type(t) => (&*t.pat, Some(&t.ty)),
            pat => (pat, None),
        };
        let (Pat::Ident(p), Some(init)) = (pat, &local.init) else {
            return Ok(None);
        };
        let name = p.ident.to_string();
        let plain = p.by_ref.is_none() && p.subpat.is_none() && local.attrs.is_empty();
        if !plain || !self.moves.crosses(&name) {
            return Ok(None);
        }
        let expr = &*init.expr;
        if let (Some((_, way)), None) = (copied(expr).and_then(|of| self.walked_name(of)), ty) {
            let mut value = expr.clone();
            self.leaf(&mut value);
            return Ok(Some((way, TokenStream::new(), quote!(#value))));
        }
        // Two closures are of two types.
        if walks(expr) && !has_closure(expr) {
            self.names += 1;
            let again = Reevaluation::new(self, self.names);
            if let Over::Again { made, from, taken } = over(expr, again, &self.moves.mutable)? {
                let (made, asked) = self.made_walk(&p.ident, expr, made, from, taken);
                let begin = quote!(::core::default::Default::default());
                let (way, value) = match (ty, self.moves.lent.contains(&name)) {
                    (None, false) => (Restoration::Walked(quote!(#made)), ahead(&made, &begin)),
                    (None, true) => (Restoration::Compared(quote!(#made)), exact(&made, &begin)),
                    (Some(ty), _) => {
                        let made = quote!({ let pc3_v: #ty = #made; pc3_v });
                        (Restoration::Compared(made.clone()), exact(&made, &begin))
                    }
                };
                return Ok(Some((way, asked, value)));
            }
        }
        if ty.is_some() {
            return Ok(None);
        }
        Ok(owned_local(expr).map(|mut value| {
            self.leaf(&mut value);
            (Restoration::Kept, TokenStream::new(), quote!(#value))
        }))
    }

    /// A local that is one, and what it is made again by.
    pub(in crate::build) fn walked_name(&self, e: &Expr) -> Option<(String, Restoration)> {
        let Expr::Path(p) = e else { return None };
        let name = p.path.get_ident()?;
        let local = self.visible.iter().find(|v| v.name == *name)?;
        match &local.way {
            way @ (Restoration::Walked(_) | Restoration::Compared(_)) => {
                Some((name.to_string(), way.clone()))
            }
            _ => None,
        }
    }

    /// `it.clone()`, of one that shows as an iterator.
    pub(in crate::build) fn copies_iterator(&self, e: &Expr) -> bool {
        match copied(e) {
            Some(Expr::Path(p)) => p
                .path
                .get_ident()
                .is_some_and(|i| self.iterators.contains(&i.to_string())),
            _ => false,
        }
    }

    /// What makes it, and what is asked of that once it is made.
    pub(in crate::build) fn made_walk(
        &mut self,
        name: &Ident,
        expr: &Expr,
        mut made: Expr,
        mut from: Vec<Source>,
        taken: Vec<Ident>,
    ) -> (Expr, TokenStream) {
        from.iter_mut().for_each(|s| self.leaf(&mut s.value));
        self.leaf(&mut made);
        self.sources(from);
        let mut asked = self.ask_taken(taken);
        asked.extend(self.ask_closures(&made));
        asked.extend(self.ask_order(name, expr));
        asked.extend(self.in_one_form(places::ask(&made)));
        asked.extend(match &made {
            // What it gives may be a value of the program's.
            Expr::MethodCall(m) if iterates(&m.method) => {
                let (at, of) = (telling(&made), &m.receiver);
                quote_spanned! {at=> if false {
                    loop {}
                    #[allow(unused_imports)]
                    use ::pc3::point::{MakesExact as _, MakesValue as _};
                    (&::pc3::point::Makes::by(&#name)).plain(&#of);
                }}
            }
            made => self.in_one_form(ask_parts(made)),
        });
        self.judge_closures(&mut made);
        unchanging(&mut made);
        (made, asked)
    }
}

/// `it.clone()` stands where `it` does.
fn copied(e: &Expr) -> Option<&Expr> {
    match e {
        Expr::MethodCall(m) if m.method == "clone" && m.args.is_empty() => Some(&m.receiver),
        _ => None,
    }
}

pub(in crate::build) fn ahead(made: &dyn quote::ToTokens, walked: &TokenStream) -> TokenStream {
    quote! {{
        #[allow(unused_imports)]
        use ::pc3::point::{AheadBothWays as _, AheadOneWay as _, AheadSaved as _};
        (&&&::pc3::point::Ahead::of(#made)).ahead(#walked)
    }}
}

fn exact(made: &dyn quote::ToTokens, walked: &TokenStream) -> TokenStream {
    quote! {{
        #[allow(unused_imports)]
        use ::pc3::point::{AheadBothWays as _, AheadExact as _, AheadExactOneWay as _, AheadOneWay as _, AheadSaved as _};
        (&&&&&::pc3::point::Ahead::of(#made)).exact(#walked)
    }}
}

/// It waits behind a point.
pub(in crate::build) fn pause(name: &Ident) -> TokenStream {
    let text = name.to_string();
    quote_spanned! {name.span()=>
        let #name = ::pc3::point::Paused::pause(#name, #text, ::core::concat!(::core::file!(), ":", ::core::line!()));
    }
}

pub(in crate::build) fn back(name: &Ident, text: &str, made: &TokenStream) -> TokenStream {
    let walked = format_ident!("pc3_w");
    let ahead = ahead(made, &quote!(#walked));
    quote_spanned!(name.span()=> #name = ::pc3::point::Paused::back(&mut pc3_frame, #text, |#walked| #ahead);)
}

pub(in crate::build) fn compare(name: &Ident, made: &TokenStream) -> TokenStream {
    let text = name.to_string();
    quote_spanned! {name.span()=>
        let #name = {
            #[allow(unused_imports)]
            use ::pc3::point::{Rested as _, RestsExact as _, RestsSaved as _, RestsWalk as _};
            let pc3_at = ::core::concat!(::core::file!(), ":", ::core::line!());
            (&&&::pc3::point::Rests::of(#name)).rest(pc3_at).entry(#text, || #made)
        };
    }
}

pub(in crate::build) fn compared(name: &Ident, text: &str, made: &TokenStream) -> TokenStream {
    let (of, walked) = (type_of(name), format_ident!("pc3_w"));
    let exact = exact(made, &quote!(#walked));
    quote_spanned! {name.span()=>
        #name = {
            #[allow(unused_imports)]
            use ::pc3::point::{ReturnsOther as _, ReturnsSaved as _};
            (&&::pc3::point::Returns::of(&#of)).back(&mut pc3_frame, #text, |#walked| #exact)
        };
    }
}
