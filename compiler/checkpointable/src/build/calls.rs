//! How marked calls are made, and gone back into.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned, ToTokens};
use syn::spanned::Spanned;
use syn::Expr;

use super::loops::{of, Question};
use super::{is_borrowing, places, BodyForm, Builder, Restoration, Result, Var};
use crate::function::receivers::{again_name, way_name};
use crate::reevaluation::{has_guard, still, telling, Locals, Source};

impl Builder {
    /// Operands whose value a call that is gone back into cannot do without get names.
    pub(super) fn name_operands(&mut self, call: &mut Expr) {
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
                false if is_chain(s, &e) => probe.chain(&mut e).is_some(),
                false => !s.is_again(&e) || probe.borrow(&mut e),
            };
            !again || !probe.from.is_empty()
        };
        let last = (0..operands.len())
            .rev()
            .find(|i| names(self, *i, operands[*i]));
        for (i, e) in operands.iter_mut().enumerate() {
            if is_method && i == 0 {
                self.put(self.in_one_form(places::ask_receiver(e)));
                if !self.again_by(e, |a, e| a.place(e)) && !self.reevaluated(e) {
                    let mut name = self.name("k");
                    name.set_span(telling(e));
                    let mut value = std::mem::replace(*e, syn::parse_quote!(#name));
                    let mut again = self.probe();
                    let chain = again.chain(&mut value);
                    let mut from = again.from;
                    from.push(Source { name, value, chain });
                    self.sources(from);
                }
            } else if self.is_again(e) {
                self.refuse_captures(e);
                self.reevaluated(e);
            } else if is_chain(self, e) {
                self.again_by(e, |a, e| a.chain(e).is_some());
            } else if last.is_some_and(|l| i < l) && !matches!(e, Expr::Lit(_)) {
                // Evaluated in front of what gets a name.
                let name = self.name("v");
                self.declare(&name, false, None);
                let mut value = std::mem::replace(*e, syn::parse_quote!(#name));
                self.leaf(&mut value);
                self.put(quote!(#name = #value;));
            }
        }
    }

    /// Arguments by value that may be texts, and which the caller keeps a copy of then.
    pub(super) fn hand(&mut self, call: &Expr, number: Option<usize>) {
        let list = match call {
            Expr::Call(c) => &c.args,
            Expr::MethodCall(m) => &m.args,
            _ => return,
        };
        for (i, e) in list.iter().enumerate() {
            if !may_be_text(e) || is_chain(self, e) || self.borrow_at(e, number).is_some() {
                continue;
            }
            let (name, lasts) = (self.name("t"), self.name("h"));
            let ty = of(self.again.len());
            let piece = self.is_parted(e);
            self.cuts |= piece;
            let (asked, way): (fn(Ident) -> Question, Restoration) = match piece {
                true => (Question::Pieces, Restoration::Piece),
                false => (Question::Lasts, Restoration::Handed),
            };
            self.again.push(asked(lasts.clone()));
            self.head().extend(quote! {
                let mut #name = ::pc3::point::Handed::none(&#ty, &#lasts);
            });
            let region = self.region_now();
            self.visible.push(Var {
                name: name.clone(),
                way,
                region,
            });
            self.handed.push((i, name));
        }
    }

    /// Is it a local that may be a part of a text?
    pub(super) fn is_parted(&self, e: &Expr) -> bool {
        let Expr::Path(p) = e else { return false };
        let parted = |v: &Var| p.path.is_ident(&v.name) && matches!(v.way, Restoration::Parted(_));
        self.visible.iter().any(parted)
    }

    /// Is the argument one that is made again, as far as it shows?
    pub(super) fn is_again(&self, e: &Expr) -> bool {
        match e {
            Expr::Paren(p) => self.is_again(&p.expr),
            Expr::Group(p) => self.is_again(&p.expr),
            Expr::Lit(l) => matches!(l.lit, syn::Lit::Str(_) | syn::Lit::ByteStr(_)),
            Expr::Reference(_) | Expr::Closure(_) => true,
            Expr::Path(p) => {
                let borrow = |i: &Ident| self.may_be_borrow(&i.to_string());
                p.path.get_ident().is_some_and(borrow) || self.is_function(p) || self.is_closure(e)
            }
            Expr::MethodCall(_) => is_borrowing(e),
            Expr::Call(c) => {
                // Of texts alone a value of the user's may be made, whose type decides.
                let text = |e: &Expr| matches!(e, Expr::Lit(_)) && self.is_again(e);
                self.probe().borrow(&mut e.clone())
                    && (c.args.iter().any(|a| self.is_again(a) && !text(a)) || is_constant(e))
                    && c.args.iter().any(|a| self.is_again(a))
            }
            Expr::Tuple(t) => t.elems.iter().any(|a| self.is_again(a)),
            Expr::Array(t) => t.elems.iter().any(|a| self.is_again(a)),
            _ => false,
        }
    }

    /// How a marked call is made, and gone back into; `written`: with its `?`s.
    pub(super) fn marked(
        &mut self,
        e: &Expr,
        written: &Expr,
        number: Option<usize>,
    ) -> Result<Call> {
        let mut call = Call::default();
        let written: Vec<&Expr> = match written {
            Expr::Call(c) => c.args.iter().collect(),
            Expr::MethodCall(m) => m.args.iter().collect(),
            _ => Vec::new(),
        };
        match e {
            Expr::Call(c) => {
                let Expr::Path(p) = &*c.func else {
                    return Err(syn::Error::new_spanned(
                        &c.func,
                        "`ck!` marks calls of functions by their name",
                    ));
                };
                let (hot, resume) = forms(p);
                let (again, first) = self.arguments(&c.args, &written, number, &mut call);
                let span = c.paren_token.span.join();
                call.hot = invoked(quote!(#hot), &first, span);
                call.resume = invoked(quote!(#resume), &again, span);
            }
            Expr::MethodCall(m) => {
                let (receiver, generics) = (&m.receiver, &m.turbofish);
                let hot = format_ident!("pc3_hot_{}", m.method, span = m.method.span());
                let (asked, resume) = (way_name(&m.method), again_name(&m.method));
                let (again, first) = self.arguments(&m.args, &written, number, &mut call);
                let span = m.paren_token.span.join();
                call.hot = invoked(quote!(#receiver.#hot #generics), &first, span);
                call.resume = invoked(quote!(#receiver.#resume #generics), &again, span);
                let (way, form) = (self.name("w"), self.name("f"));
                call.asked = quote! {
                    if false {
                        loop {}
                        #way.is(#receiver.#asked());
                        #way.typed(&#form);
                    }
                };
                let kept = quote!(::pc3::point::Kept(::core::marker::PhantomData));
                let moved = quote!(#way.given((#form.get())(#kept, #(#again),*)));
                call.receiver = Some(Receiver { way, form, moved });
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
        written: &[&Expr],
        number: Option<usize>,
        call: &mut Call,
    ) -> (Vec<TokenStream>, Vec<TokenStream>) {
        let (mut again, mut first) = (Vec::new(), Vec::new());
        for (i, (e, written)) in list.iter().zip(written).enumerate() {
            if let Some((_, name)) = self.handed.iter().find(|h| h.0 == i) {
                let at = e.span().resolved_at(Span::call_site());
                again.push(quote_spanned!(at=> ::pc3::point::again(&#name)));
                first.push(quote_spanned!(e.span()=> ::pc3::point::handed(&mut #name, #e)));
                continue;
            }
            if is_chain(self, written) {
                let ty = self.name("p");
                again.push(self.chain_argument(written, &ty));
                call.borrows.chain(written, &ty);
                first.push(quote_spanned!(e.span()=> ::pc3::point::same(#ty, #e)));
                call.types.push(ty);
                continue;
            }
            match self.borrow_at(e, number) {
                Some(borrow) => {
                    again.push(match self.form {
                        BodyForm::Hot => borrow,
                        _ => call.borrows.tied(e, borrow, &mut || self.name("p")),
                    });
                    // As the user wrote it: what the compiler makes of it may overlap with other arguments.
                    first.push(quote!(#e));
                }
                None => {
                    let ty = self.name("p");
                    let at = e.span().resolved_at(Span::call_site());
                    again.push(quote_spanned!(at=> ::pc3::point::kept(#ty)));
                    first.push(quote_spanned!(e.span()=> ::pc3::point::same(#ty, #e)));
                    call.types.push(ty);
                }
            }
        }
        (again, first)
    }

    pub(super) fn borrows_of(&self, call: &Expr, number: Option<usize>) -> TokenStream {
        let (receiver, list) = match call {
            Expr::Call(c) => (TokenStream::new(), &c.args),
            Expr::MethodCall(m) => (m.receiver.to_token_stream(), &m.args),
            _ => return TokenStream::new(),
        };
        let borrows = list.iter().filter_map(|e| self.borrow_at(e, number));
        let handed = self.handed.iter().map(|h| &h.1);
        quote!(#receiver #(; #borrows)* #(; #handed)*)
    }

    fn borrow_at(&self, e: &Expr, number: Option<usize>) -> Option<TokenStream> {
        if is_chain(self, e) {
            return Some(still(e).to_token_stream());
        }
        self.moved_argument(e, number).or_else(|| self.borrow(e))
    }

    /// An argument that is a local which a head has bound, and which nothing else needs.
    fn moved_argument(&self, e: &Expr, number: Option<usize>) -> Option<TokenStream> {
        let (Expr::Path(p), Some(number)) = (e, number) else {
            return None;
        };
        let name = p.path.get_ident()?;
        let text = name.to_string();
        let local = self.visible.iter().find(|v| v.name == text)?;
        let Restoration::Asked(chain) = &local.way else {
            return None;
        };
        let moved = chain.head && !chain.item && self.moved_in(&text, number);
        moved.then(|| chain.argument(name))
    }

    /// The argument as a borrow that can be made again.
    pub(super) fn borrow(&self, e: &Expr) -> Option<TokenStream> {
        match e {
            Expr::Paren(p) => self.borrow(&p.expr),
            Expr::Group(p) => self.borrow(&p.expr),
            Expr::Path(p) if self.is_function(p) || self.is_closure(e) => Some(quote!(#e)),
            Expr::Path(p) if is_named_constant(p) => Some(quote!(::pc3::point::given(#e))),
            Expr::Path(p) => {
                let name = p.path.get_ident()?.to_string();
                let made = self.visible.iter().find(|v| v.name == name);
                match self.borrowed.get(&name) {
                    Some(true) => Some(quote!(&mut *#e)),
                    Some(false) => Some(quote!(#e)),
                    // A loop's items may be values.
                    None => made
                        .filter(|v| matches!(v.way, Restoration::Made(_) | Restoration::Asked(_)))
                        .map(|_| {
                            let at = e.span().resolved_at(Span::call_site());
                            quote_spanned! {at=> {
                                #[allow(unused_imports)]
                                use ::pc3::point::{AgainBorrow as _, AgainValue as _};
                                #e.pc3_again()
                            }}
                        }),
                }
            }
            Expr::Call(_) if is_constant(e) => {
                self.is_again(e).then(|| quote!(::pc3::point::given(#e)))
            }
            e => self.is_again(e).then(|| quote!(#e)),
        }
    }
}

/// Methods of the standard library that may give a borrow: the argument's type says.
fn is_chain(b: &Builder, e: &Expr) -> bool {
    !b.is_again(e) && !has_guard(e) && b.probe().chain(&mut e.clone()).is_some()
}

/// What gives no number for certain.
fn may_be_text(e: &Expr) -> bool {
    match e {
        Expr::Paren(p) => may_be_text(&p.expr),
        Expr::Group(p) => may_be_text(&p.expr),
        Expr::Unary(u) => matches!(u.op, syn::UnOp::Deref(_)),
        Expr::Lit(_) | Expr::Binary(_) | Expr::Cast(_) | Expr::Range(_) => false,
        Expr::Struct(_) | Expr::Macro(_) | Expr::Repeat(_) => false,
        _ => true,
    }
}

/// `None`, `MOST`, `Kind::Small`
fn is_named_constant(p: &syn::ExprPath) -> bool {
    let last = p.path.segments.last().map(|s| s.ident.to_string());
    last.is_some_and(|l| l.starts_with(char::is_uppercase))
}

/// `Name("text", 3)`
fn is_constant(e: &Expr) -> bool {
    match e {
        Expr::Lit(_) => true,
        Expr::Call(c) => c.args.iter().all(is_constant),
        Expr::Tuple(t) => t.elems.iter().all(is_constant),
        Expr::Array(t) => t.elems.iter().all(is_constant),
        _ => false,
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
    /// Asks the types how the receiver is taken.
    pub(super) asked: TokenStream,
    pub(super) hot: TokenStream,
    pub(super) resume: TokenStream,
    pub(super) receiver: Option<Receiver>,
    /// Stand for the types of arguments by value.
    pub(super) types: Vec<Ident>,
    pub(super) borrows: places::Arguments,
}

/// How a method takes its receiver.
pub(super) struct Receiver {
    pub(super) way: Ident,
    /// What is gone back into if that was moved,
    pub(super) form: Ident,
    /// and how.
    pub(super) moved: TokenStream,
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
