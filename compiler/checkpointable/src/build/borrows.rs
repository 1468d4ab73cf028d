//! Borrows that are made again, and what they are made from; locals that end.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Expr;

use super::{Builder, Var, Way};
use crate::again::{Again, Locals};
use crate::course::mutable_in;

impl Builder {
    /// Of a local that may exist at a point it is said, while it surely exists, whether one may end it.
    pub(super) fn tie(&mut self, name: &Ident) {
        let tie = self.ties(&[(name.clone(), false)]);
        self.put(tie);
    }

    pub(super) fn ties(&mut self, names: &[(Ident, bool)]) -> TokenStream {
        let mut ties = TokenStream::new();
        for (name, _) in names {
            let text = name.to_string();
            if !self.course.exists(&text) {
                continue;
            }
            if !self.tied.contains_key(&text) {
                let ends = format_ident!("Pc3Local{}", self.tied.len());
                self.tied.insert(text.clone(), (ends, name.span(), false));
            }
            let ends = &self.tied[&text].0;
            ties.extend(quote_spanned! {name.span()=> {
                #[allow(unused_imports)]
                use ::pc3::point::Unsaved as _;
                ::pc3::point::Ends(&#name).unseen::<#ends>(const { ::pc3::point::judge::<_, _, Pc3Mode>() });
            }});
        }
        ties
    }

    /// An expression that gives a borrow, in a form that can be evaluated again; what that is made from gets names here.
    pub(super) fn again(&mut self, e: &mut Expr) -> bool {
        self.again_by(e, |again, e| again.borrow(e))
    }

    pub(super) fn probe(&self) -> Again<'_> {
        Again::new(self, self.names)
    }

    pub(super) fn again_by(
        &mut self,
        e: &mut Expr,
        how: impl Fn(&mut Again, &mut Expr) -> bool,
    ) -> bool {
        self.names += 1;
        let mut again = self.probe();
        let mut made = e.clone();
        if !how(&mut again, &mut made) {
            return false;
        }
        let from = again.from;
        *e = made;
        self.sources(from);
        true
    }

    pub(super) fn sources(&mut self, from: Vec<(Ident, Expr)>) {
        for (name, value) in from {
            self.local(&name, true, None, Way::Kept);
            self.put(quote!(#name = #value;));
        }
    }

    /// A closure is made again: what it captures by value must be the same then.
    pub(super) fn refuse_captures(&mut self, e: &Expr) {
        match e {
            Expr::Reference(r) => self.refuse_captures(&r.expr),
            Expr::Closure(c) if c.capture.is_some() => {
                if let Some((span, name)) = mutable_in(&c.body, &self.course.mutable) {
                    self.errors.push(syn::Error::new(
                        span,
                        format!("a closure is made again after a restart, and `{name}` may have another value then: copy it to a `let` without `mut` for the closure"),
                    ));
                }
            }
            _ => {}
        }
    }
}

impl Locals for Builder {
    fn is_borrow(&self, name: &str) -> bool {
        let made = |v: &&Var| v.name == name && matches!(v.way, Way::Made(_));
        self.borrowed.contains_key(name) || self.visible.iter().any(|v| made(&v))
    }
    fn is_mutable(&self, name: &str) -> bool {
        self.course.mutable.contains(name)
    }
}

/// Does it show that the value is a borrow?
pub(super) fn is_borrowing(e: &Expr) -> bool {
    match e {
        Expr::Lit(l) => matches!(l.lit, syn::Lit::Str(_)),
        Expr::Reference(_) => true,
        Expr::Paren(p) => is_borrowing(&p.expr),
        Expr::MethodCall(m) => matches!(
            m.method.to_string().as_str(),
            "as_ref" | "as_mut" | "as_slice" | "as_mut_slice" | "as_str" | "as_bytes" | "as_path"
        ),
        _ => false,
    }
}
