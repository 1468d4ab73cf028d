//! Points: locations, and marked calls with how they are made and gone back into.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned, ToTokens};
use syn::spanned::Spanned;
use syn::Expr;

use super::leaf::question;
use super::{is_borrowing, label, Builder, Point, Result, Var, Way, HELD};
use crate::again::{telling, Locals};
use crate::course::{self, Whole};
use crate::flow::identifiers;
use crate::marks;

impl Builder {
    /// The locals that the frame keeps here, and the point's static.
    pub(super) fn point(
        &mut self,
        what: TokenStream,
        span: Span,
        number: Option<usize>,
    ) -> (u32, Vec<Var>, Ident, TokenStream) {
        self.labels += 1;
        let n = self.labels;
        let needed = self.visible.iter();
        let needed = needed.filter(|v| {
            let name = v.name.to_string();
            let set = |n| self.course.at(n, &name).whole != Whole::Unset;
            let used = |n| self.course.used(n, &name);
            let needed = self.after.needs(&name) || number.is_some_and(used);
            number.is_none_or(set) && (needed || name.starts_with(HELD))
        });
        let vars = with_sources(needed.cloned().collect(), &self.visible);
        self.refuse_stale(&vars, number);
        let kept: Vec<&Ident> = vars
            .iter()
            .filter(|v| matches!(v.way, Way::Kept))
            .map(|v| &v.name)
            .collect();
        let names: Vec<String> = kept.iter().map(|n| n.to_string()).collect();
        let held: Vec<&Ident> = vars
            .iter()
            .filter(|v| matches!(v.way, Way::Transient(_)))
            .map(|v| &v.name)
            .collect();
        let held_names: Vec<String> = held.iter().map(|n| n.to_string()).collect();
        self.end_others(&vars, number);
        let point = format_ident!("PC3_POINT_{}", n);
        let function = &self.function;
        let line = quote_spanned!(span=> ::core::line!());
        self.statics.extend(quote! {
            static #point: ::pc3::point::Point = ::pc3::point::Point {
                function: &#function,
                label: #n,
                file: ::core::file!(),
                line: #line,
                what: #what,
                live: &[#(#names),*],
            };
        });
        let moved = kept.iter().filter_map(|name| {
            let span = self.course.at(number?, &name.to_string()).moved?;
            Some(quote_spanned!(span=> (&&::pc3::point::Gone(&#name)).gone();))
        });
        let in_order = self.loops_in_order();
        let park = quote! {
            {
                #[allow(unused_imports)]
                use ::pc3::point::{IsCopied as _, IsMoved as _};
                #(#moved)*
            }
            #in_order
            return ::core::result::Result::Err(::pc3::point::leave(&#point, move || ::std::vec![
                #(::pc3::point::keep(#names, #kept),)*
                #(::pc3::point::hold(#held_names, #held),)*
            ]))
        };
        (n, vars, point, park)
    }

    /// Locals that may still exist though nothing needs them end here.
    fn end_others(&mut self, needed: &[Var], number: Option<usize>) {
        let Some(number) = number else { return };
        for v in &self.visible {
            let name = v.name.to_string();
            let exists = matches!(
                self.course.at(number, &name).whole,
                Whole::Here | Whole::Unknown
            );
            if exists && !needed.iter().any(|n| n.name == v.name) {
                if let Some(asked) = self.asked.get_mut(&name) {
                    asked.ends = true;
                }
            }
        }
    }

    /// What is made again must be the same then.
    fn refuse_stale(&mut self, needed: &[Var], number: Option<usize>) {
        let Some(number) = number else { return };
        let mut stale = Vec::new();
        for v in needed.iter().filter(|v| matches!(v.way, Way::Made(_))) {
            stale.push((v.name.span(), v.name.to_string()));
        }
        let sources: BTreeSet<String> = needed
            .iter()
            .filter_map(|v| match &v.way {
                Way::Made(code) => Some(identifiers(code)),
                Way::Kept | Way::Transient(_) => None,
            })
            .flatten()
            .collect();
        for name in self.borrowed.keys() {
            if self.after.needs(name) || sources.contains(name) {
                stale.push((Span::call_site(), name.clone()));
            }
        }
        for name in &self.made_loops {
            stale.push((Span::call_site(), name.clone()));
        }
        for (span, name) in stale {
            let Some((what, at)) = self.course.at(number, &name).stale else {
                continue;
            };
            let (span, text) = match () {
                () if name.starts_with("for ") => (
                    at,
                    format!("`{what}`, which a loop goes over, changes here; after a restart the loop's iterator is made again: go over a copy, or keep an index"),
                ),
                () if what == name && self.borrowed.contains_key(&name) => (
                    at,
                    format!("`{name}` comes from the caller, who makes it again after a restart: what it becomes here would be lost; keep an index, or bind it with another `let`"),
                ),
                () if what == name => (
                    at,
                    format!("`{name}` is a borrow that is made again after a restart: what it becomes here would be lost; keep an index instead"),
                ),
                () => (
                    span,
                    format!("`{name}` is made again after a restart, and `{what}`, which it is made from, may have another value then: copy that to a `let` without `mut`, or bind a value instead of a borrow"),
                ),
            };
            if !self.errors.iter().any(|e| e.to_string() == text) {
                self.errors.push(syn::Error::new(span, text));
            }
        }
    }

    pub(super) fn location(&mut self, span: Span, number: Option<usize>) {
        let (n, vars, point, park) = self.point(quote!("checkpoint"), span, number);
        let id = self.region().id;
        self.put(quote!(if ::pc3::point::due() { #park; }));
        let take = self.restore(&vars, id);
        let at = label(&self.name("u").to_string());
        let arms = quote!(::pc3::point::check(&mut pc3_frame, &#point); #take pc3_at = 0; ::pc3::point::back(&mut pc3_frame); ::pc3::point::resumed(););
        self.unit(arms, &[n], &at);
        self.region().points.push(Point { label: n, vars });
    }

    /// A marked call: gives its value.
    pub(super) fn call(&mut self, e: &Expr) -> Result<TokenStream> {
        if let Expr::Try(t) = e {
            let value = self.call(&t.expr)?;
            return Ok(question(value, &self.output, t.question_token.span));
        }
        let mac = marks::call(e)
            .ok_or_else(|| syn::Error::new_spanned(e, "a marked call is expected here"))?;
        let span = mac.mac.path.span();
        let number = course::number(&mac.attrs);
        let mut inner: Expr = syn::parse2(mac.mac.tokens.clone())?;
        let what = called(&inner);
        self.brief_operands(&mut inner);
        self.leaf(&mut inner);
        self.name_operands(&mut inner);
        // To go back in, borrows are made again.
        self.after.enter_use(&self.borrows_of(&inner));
        let (n, vars, point, park) = self.point(quote!(#what), span, number);
        self.after.leave();
        let id = self.region().id;
        let result = self.name("r");
        self.declare(&result, false, None);
        let call = self.marked(&inner)?;
        let types = &call.types;
        self.head()
            .extend(quote!(#(let #types = ::core::marker::PhantomData;)*));
        let (hot, resume) = (&call.hot, &call.resume);
        self.put(quote!(#result = #hot;));
        let take = self.restore(&vars, id);
        let at = label(&self.name("u").to_string());
        let arms = quote! {
            ::pc3::point::check(&mut pc3_frame, &#point);
            #take
            pc3_at = 0;
            ::pc3::point::back(&mut pc3_frame);
            #result = #resume;
        };
        self.unit(arms, &[n], &at);
        self.region().points.push(Point { label: n, vars });
        let mut value = self.name("c");
        value.set_span(inner.span());
        self.declare(&value, false, None);
        self.put(quote! {
            match #result {
                ::core::result::Result::Ok(pc3_v) => #value = pc3_v,
                ::core::result::Result::Err(_) => { #park; }
            }
        });
        Ok(quote!(#value))
    }

    /// Takes back the locals of a region.
    pub(super) fn restore(&self, vars: &[Var], region: usize) -> TokenStream {
        let mut out = TokenStream::new();
        let mut done = BTreeSet::new();
        for v in vars.iter().filter(|v| v.region == region) {
            let (name, text) = (&v.name, v.name.to_string());
            match &v.way {
                Way::Kept => out.extend(quote_spanned! {name.span()=>
                    #name = ::pc3::point::take(&mut pc3_frame, #text);
                }),
                Way::Transient(again) => out.extend(quote_spanned! {name.span()=>
                    #name = match ::pc3::point::held(&mut pc3_frame, #text) {
                        ::core::option::Option::Some(pc3_v) => pc3_v,
                        ::core::option::Option::None => #again,
                    };
                }),
                Way::Made(code) => {
                    if done.insert(code.to_string()) {
                        out.extend(code.clone());
                    }
                }
            }
        }
        out
    }

    /// Operands whose value a call that is gone back into cannot do without get names.
    fn name_operands(&mut self, call: &mut Expr) {
        let (receiver, args) = match call {
            Expr::Call(c) => (None, &mut c.args),
            Expr::MethodCall(m) => (Some(&mut *m.receiver), &mut m.args),
            _ => return,
        };
        let is_method = receiver.is_some();
        let mut operands: Vec<&mut Expr> = receiver.into_iter().chain(args.iter_mut()).collect();
        let names = |s: &Self, i: usize, e: &Expr| {
            let mut probe = s.probe();
            let mut e = e.clone();
            let again = match is_method && i == 0 {
                true => probe.place(&mut e) || probe.borrow(&mut e),
                false => !s.is_again(&e) || probe.borrow(&mut e),
            };
            !again || !probe.from.is_empty()
        };
        let last = (0..operands.len())
            .rev()
            .find(|i| names(self, *i, operands[*i]));
        for (i, e) in operands.iter_mut().enumerate() {
            if is_method && i == 0 {
                if !self.again_by(e, |a, e| a.place(e)) && !self.again(e) {
                    let mut name = self.name("k");
                    name.set_span(telling(e));
                    let value = std::mem::replace(*e, syn::parse_quote!(#name));
                    self.sources(vec![(name, value)]);
                }
            } else if self.is_again(e) {
                self.refuse_captures(e);
                self.again(e);
            } else if last.is_some_and(|l| i < l) && !matches!(e, Expr::Lit(_)) {
                // Evaluated in front of what gets a name.
                let name = self.name("v");
                self.declare(&name, false, None);
                let value = std::mem::replace(*e, syn::parse_quote!(#name));
                self.put(quote!(#name = #value;));
            }
        }
    }

    /// Is the argument one that is made again, as far as it shows?
    pub(super) fn is_again(&self, e: &Expr) -> bool {
        match e {
            Expr::Paren(p) => self.is_again(&p.expr),
            Expr::Group(p) => self.is_again(&p.expr),
            Expr::Lit(l) => matches!(l.lit, syn::Lit::Str(_)),
            Expr::Reference(_) | Expr::Closure(_) => true,
            Expr::Path(p) => {
                let borrow = |i: &Ident| self.is_borrow(&i.to_string());
                p.path.get_ident().is_some_and(borrow) || self.is_function(p)
            }
            Expr::MethodCall(_) => is_borrowing(e),
            Expr::Call(c) => {
                self.probe().borrow(&mut e.clone()) && c.args.iter().any(|a| self.is_again(a))
            }
            Expr::Tuple(t) => t.elems.iter().any(|a| self.is_again(a)),
            Expr::Array(t) => t.elems.iter().any(|a| self.is_again(a)),
            _ => false,
        }
    }

    /// How a marked call is made, and gone back into.
    pub(super) fn marked(&mut self, e: &Expr) -> Result<Call> {
        let mut call = Call::default();
        match e {
            Expr::Call(c) => {
                let Expr::Path(p) = &*c.func else {
                    return Err(syn::Error::new_spanned(
                        &c.func,
                        "`ck!` marks calls of functions by their name",
                    ));
                };
                let (hot, resume) = forms(p);
                let (again, first) = self.arguments(&c.args, &mut call);
                let span = c.paren_token.span.join();
                call.hot = invoked(quote!(#hot), &first, span);
                call.resume = invoked(quote!(#resume), &again, span);
            }
            Expr::MethodCall(m) => {
                let (receiver, generics) = (&m.receiver, &m.turbofish);
                let hot = format_ident!("pc3_hot_{}", m.method, span = m.method.span());
                let resume = format_ident!("pc3_resume_{}", m.method, span = m.method.span());
                let (again, first) = self.arguments(&m.args, &mut call);
                let span = m.paren_token.span.join();
                call.hot = invoked(quote!(#receiver.#hot #generics), &first, span);
                call.resume = invoked(quote!(#receiver.#resume #generics), &again, span);
            }
            other => {
                return Err(syn::Error::new_spanned(
                    other,
                    "`ck!` marks one call: `ck!(f(x))` or `ck!(value.method(x))`",
                ))
            }
        }
        Ok(call)
    }

    /// Arguments for going back in, and for the first time.
    pub(super) fn arguments(
        &mut self,
        list: &syn::punctuated::Punctuated<Expr, syn::Token![,]>,
        call: &mut Call,
    ) -> (Vec<TokenStream>, Vec<TokenStream>) {
        let (mut again, mut first) = (Vec::new(), Vec::new());
        for e in list {
            match self.borrow(e) {
                Some(borrow) => {
                    again.push(borrow);
                    // As the user wrote it: what the compiler makes of it may overlap with other arguments.
                    first.push(quote!(#e));
                }
                None => {
                    let ty = self.name("p");
                    again.push(quote!(::pc3::point::Kept::new(#ty)));
                    first.push(quote_spanned!(e.span()=> ::pc3::point::same(#ty, #e)));
                    call.types.push(ty);
                }
            }
        }
        (again, first)
    }

    pub(super) fn borrows_of(&self, call: &Expr) -> TokenStream {
        let (receiver, list) = match call {
            Expr::Call(c) => (TokenStream::new(), &c.args),
            Expr::MethodCall(m) => (m.receiver.to_token_stream(), &m.args),
            _ => return TokenStream::new(),
        };
        let borrows = list.iter().filter_map(|e| self.borrow(e));
        quote!(#receiver #(; #borrows)*)
    }

    /// The argument as a borrow that can be made again.
    pub(super) fn borrow(&self, e: &Expr) -> Option<TokenStream> {
        match e {
            Expr::Paren(p) => self.borrow(&p.expr),
            Expr::Group(p) => self.borrow(&p.expr),
            Expr::Path(p) if self.is_function(p) => Some(quote!(#e)),
            Expr::Path(p) => {
                let name = p.path.get_ident()?.to_string();
                let made = self.visible.iter().find(|v| v.name == name);
                match self.borrowed.get(&name) {
                    Some(true) => Some(quote!(&mut *#e)),
                    Some(false) => Some(quote!(#e)),
                    // A loop's items may be values.
                    None => made.filter(|v| matches!(v.way, Way::Made(_))).map(|_| {
                        quote! {{
                            #[allow(unused_imports)]
                            use ::pc3::point::{AgainBorrow as _, AgainValue as _};
                            #e.pc3_again()
                        }}
                    }),
                }
            }
            e => self.is_again(e).then(|| quote!(#e)),
        }
    }
}

/// A call whose arguments are where the user's are.
fn invoked(function: TokenStream, arguments: &[TokenStream], at: Span) -> TokenStream {
    let mut list = Group::new(Delimiter::Parenthesis, quote!(#(#arguments),*));
    list.set_span(at);
    quote!(#function #list)
}

#[derive(Default)]
pub(super) struct Call {
    pub(super) hot: TokenStream,
    pub(super) resume: TokenStream,
    /// Stand for the types of arguments by value.
    pub(super) types: Vec<Ident>,
}

/// `path::f` as `path::f::hot` and `path::f::resume`; `Type::f` as `Type::pc3_hot_f`.
pub(super) fn forms(p: &syn::ExprPath) -> (syn::ExprPath, syn::ExprPath) {
    let n = p.path.segments.len();
    let of_type = p.qself.is_some()
        || n.checked_sub(2)
            .and_then(|i| p.path.segments.get(i))
            .is_some_and(|s| s.ident.to_string().starts_with(char::is_uppercase));
    let form = |what: &str| {
        let mut p = p.clone();
        if of_type {
            if let Some(last) = p.path.segments.last_mut() {
                last.ident = format_ident!("pc3_{}_{}", what, last.ident);
            }
        } else {
            let last = p.path.segments.last_mut();
            let span = last
                .as_ref()
                .map_or_else(Span::call_site, |l| l.ident.span());
            let generics = last
                .map(|l| std::mem::take(&mut l.arguments))
                .unwrap_or_default();
            let ident = format_ident!("{}", what, span = span);
            p.path.segments.push(syn::PathSegment {
                ident,
                arguments: generics,
            });
        }
        p
    };
    (form("hot"), form("resume"))
}

/// The name of what is called.
pub(super) fn called(e: &Expr) -> String {
    match e {
        Expr::Call(c) => match &*c.func {
            Expr::Path(p) => p
                .path
                .segments
                .last()
                .map(|s| s.ident.to_string())
                .unwrap_or_default(),
            _ => String::new(),
        },
        Expr::MethodCall(m) => m.method.to_string(),
        _ => String::new(),
    }
}

/// With the locals that those to be made again are made from.
pub(super) fn with_sources(vars: Vec<Var>, visible: &[Var]) -> Vec<Var> {
    let mut names: BTreeSet<String> = vars.iter().map(|v| v.name.to_string()).collect();
    loop {
        let before = names.len();
        for v in visible
            .iter()
            .filter(|v| names.contains(&v.name.to_string()))
            .collect::<Vec<_>>()
        {
            if let Way::Made(code) | Way::Transient(code) = &v.way {
                let sources = identifiers(code);
                names.extend(
                    visible
                        .iter()
                        .map(|v| v.name.to_string())
                        .filter(|n| sources.contains(n)),
                );
            }
        }
        if names.len() == before {
            break;
        }
    }
    visible
        .iter()
        .filter(|v| names.contains(&v.name.to_string()))
        .cloned()
        .collect()
}
