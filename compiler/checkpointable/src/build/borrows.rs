//! Borrows that are made again, and what they are made from; locals that end.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Expr;

use super::{Asked, Builder, Var, Way, HELD};
use crate::again::{Again, Locals};
use crate::course::mutable_in;
use crate::operands::HEAD;

impl Builder {
    /// Of a local that may exist at a point it is asked whether one may end it; at the end of the function, where its type
    /// is surely known.
    pub(super) fn ask(&mut self, name: &Ident) {
        let text = name.to_string();
        // What a pattern leaves of a head is judged there.
        if !self.course.exists(&text) || text.starts_with(HEAD) {
            return;
        }
        let n = self.asked.len();
        let asked = self.asked.entry(text).or_insert_with(|| Asked {
            number: n,
            name: name.clone(),
            ends: false,
        });
        let of = asked.of();
        // Only its type is meant: it need not have a value here, nor where the type is asked for.
        self.head().extend(quote_spanned! {name.span()=>
            if false { loop {} ::pc3::point::of(&#name, &#of); }
        });
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

    /// As `again_by`, in the head of `what`; what the borrow is made from lives until its end.
    pub(super) fn head_again(
        &mut self,
        e: &mut Expr,
        what: &str,
        how: impl Fn(&mut Again, &mut Expr) -> bool,
    ) -> bool {
        self.names += 1;
        let mut again = self.probe();
        again.prefix = HELD;
        let mut made = e.clone();
        if !how(&mut again, &mut made) {
            return false;
        }
        let mut from = again.from;
        *e = made;
        from.iter_mut().for_each(|(_, value)| {
            self.brief(value, what);
            self.leaf(value);
        });
        self.sources(from);
        self.leaf(e);
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

impl Asked {
    fn of(&self) -> Ident {
        format_ident!("pc3_of{}", self.number)
    }

    /// The question, and where it is asked.
    pub(super) fn question(&self) -> (TokenStream, TokenStream) {
        let (name, ends, of) = (&self.name, self.ends, self.of());
        let ty = format_ident!("Pc3Local{}", self.number);
        let judged = format_ident!("pc3_judged{}", self.number);
        let text = format!(": `{name}` has a `Drop`, or holds a value that has one, and may still exist at a location or marked call behind which it is not mentioned; a checkpoint there would end it: write `drop({name})` where it is to end, in front or behind (if a method uses it up, call that as `Type::method({name})`)");
        let line = quote_spanned!(name.span()=> ::core::line!());
        let question = quote_spanned! {name.span()=>
            struct #ty;
            impl ::pc3::point::Local for #ty {
                const ENDS: bool = #ends;
                const TEXT: &'static str = ::core::concat!(::core::file!(), ":", #line, #text);
            }
            let #of = ::core::marker::PhantomData;
            let #judged = const { ::pc3::point::judge::<#ty, _, Pc3Mode>() };
        };
        let asked = quote_spanned! {name.span()=>
            ::pc3::point::Ends::of(&#of).unseen(#judged);
        };
        (question, asked)
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
    fn is_function(&self, path: &syn::ExprPath) -> bool {
        let last = path.path.segments.last().map(|s| s.ident.to_string());
        let named = last.is_some_and(|l| l.starts_with(|c: char| c.is_lowercase() || c == '_'));
        let local = path.path.get_ident().is_some_and(|i| {
            let name = i.to_string();
            name.starts_with("self")
                || name.starts_with("pc3_")
                || self.borrowed.contains_key(&name)
                || self.visible.iter().any(|v| v.name == name)
        });
        named && !local
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
