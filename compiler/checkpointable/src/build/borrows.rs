//! Borrows that are made again, and what they are made from; locals that end.

use std::rc::Rc;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{parse_quote, Expr, Pat};

use super::loops::pure;
use super::patterns::{inner_name, inner_names};
use super::places;
use super::rematch::ChosenCase;
use super::{BodyForm, Builder, Chain, LocalAtPoint, Restoration, Var, HELD};
use crate::moves::mutable_in;
use crate::operands::{HEAD, TEMPORARY};
use crate::reevaluation::{has_guard, still, telling, Links, Locals, Reevaluation, Source};

impl Builder {
    /// Of a local that may exist at a point it is asked whether one may end it; at the end of the function, where its type
    /// is surely known.
    pub(super) fn ask(&mut self, name: &Ident) {
        let text = name.to_string();
        // What a pattern leaves of a head is judged there.
        if !self.moves.exists(&text) || text.starts_with(HEAD) || self.form == BodyForm::Hot {
            return;
        }
        let n = self.asked.len();
        let asked = self.asked.entry(text).or_insert_with(|| LocalAtPoint {
            number: n,
            name: name.clone(),
            ends: false,
            part: false,
            line: None,
            called: Vec::new(),
        });
        let of = asked.of();
        // Only its type is meant: it need not have a value here, nor where the type is asked for.
        self.head().extend(quote_spanned! {name.span()=>
            if false { loop {} ::pc3::point::of(&#name, &#of); }
        });
    }

    /// An expression that gives a borrow, in a form that can be evaluated again; what that is made from gets names here.
    pub(super) fn reevaluated(&mut self, e: &mut Expr) -> bool {
        self.again_by(e, |again, e| again.borrow(e))
    }

    pub(super) fn probe(&self) -> Reevaluation<'_> {
        Reevaluation::new(self, self.names)
    }

    pub(super) fn again_by(
        &mut self,
        e: &mut Expr,
        how: impl Fn(&mut Reevaluation, &mut Expr) -> bool,
    ) -> bool {
        self.names += 1;
        let mut again = self.probe();
        // It lives until the end of its block.
        again.extended = HELD;
        let mut made = e.clone();
        if !how(&mut again, &mut made) {
            return false;
        }
        let links = again.links();
        let from = again.from;
        *e = made;
        self.sources(from);
        let mut asked = places::ask(e);
        asked.extend(links.receivers.iter().map(|(of, _)| places::ask_plain(of)));
        self.put(self.in_one_form(asked));
        true
    }

    /// As `again_by`, in the head of `what`; what the borrow is made from lives until its end.
    pub(super) fn head_again(
        &mut self,
        e: &mut Expr,
        what: &str,
        how: impl Fn(&mut Reevaluation, &mut Expr) -> bool,
    ) -> Option<Links> {
        self.names += 1;
        let mut again = self.probe();
        (again.prefix, again.extended) = (HELD, HELD);
        let mut made = e.clone();
        let links = match how(&mut again, &mut made) {
            true => again.links(),
            false if has_guard(e) => return None,
            false => {
                (again.from, made) = (Vec::new(), e.clone());
                again.chain(&mut made)?
            }
        };
        let mut from = again.from;
        *e = made;
        from.iter_mut().for_each(|s| {
            if s.chain.is_none() {
                self.brief(&mut s.value, what);
            }
            self.leaf(&mut s.value);
        });
        self.sources(from);
        self.leaf(e);
        Some(links)
    }

    pub(super) fn sources(&mut self, from: Vec<Source>) {
        for Source {
            name,
            mut value,
            chain,
        } in from
        {
            let (way, known) = match chain {
                Some(links) => self.chain_way(&value, None, &links, &[&name], false),
                None => (Restoration::Kept, TokenStream::new()),
            };
            self.local(&name, true, None, way);
            self.leaf(&mut value);
            self.put(quote!(#name = #value; #known));
        }
    }

    /// A value whose type says whether it is saved or made again; what follows it says that the type is known to be made
    /// again only.
    fn chain_way(
        &mut self,
        e: &Expr,
        pattern: Option<ChosenCase>,
        links: &Links,
        names: &[&Ident],
        head: bool,
    ) -> (Restoration, TokenStream) {
        let mut made = still(e);
        self.judge_closures(&mut made);
        self.leaf(&mut made);
        self.names += 1;
        let way = Restoration::Asked(Rc::new(Chain {
            id: self.names,
            pattern,
            head,
            item: false,
            folded: false,
            made: quote!(#made),
            guard: links.guard,
            taken: links.taken.clone(),
        }));
        let known = names.iter().map(|name| {
            let asked = asking(quote!(about(&#name)), head);
            receivers_known(&asked, links, &still(e))
        });
        let known = self.in_one_form(known.collect());
        (way, known)
    }

    /// Closures in what is made again.
    pub(super) fn judge_closures(&mut self, made: &mut Expr) {
        let wrong = pure::closures(made, &self.pure);
        self.errors.extend(wrong);
    }

    /// Such a value as an argument of a call that is gone back into.
    pub(super) fn chain_argument(&mut self, e: &Expr, ty: &Ident) -> TokenStream {
        let links = self.probe().chain(&mut e.clone()).unwrap_or_default();
        let (ask, mut made) = (asking(quote!(of(&#ty)), false), still(e));
        self.judge_closures(&mut made);
        let known = receivers_known(&ask, &links, &made);
        let argument = questions(quote!(#ask.argument(|| #made)));
        quote!({ #known #argument })
    }

    /// `let PAT = e;` of such a value, if it may be one.
    pub(super) fn chained(
        &mut self,
        e: &mut Expr,
        pat: &Pat,
    ) -> Option<(Restoration, TokenStream)> {
        let (pattern, bound) = match pat {
            Pat::Type(t) if !has_borrow(&t.ty) => return None,
            Pat::Type(t) => return self.chained(e, &t.pat),
            Pat::Ident(p) if p.by_ref.is_none() && p.subpat.is_none() => {
                (None, vec![(p.ident.clone(), p.mutability.is_some())])
            }
            pat => {
                let (inner, names) = inner_names(pat);
                (Some(inner), names)
            }
        };
        let names: Vec<&Ident> = bound.iter().map(|n| &n.0).collect();
        if names.is_empty() {
            return None;
        }
        self.names += 1;
        let mut again = self.probe();
        let links = again.chain(e)?;
        let from = again.from;
        self.sources(from);
        let pattern = pattern.map(|p| ChosenCase::only(self.structure(&p)));
        let (way, mut known) = self.chain_way(e, pattern, &links, &names, false);
        known.extend(self.in_one_form(unchanged(&bound, false, false)));
        Some((way, known))
    }

    /// Names that a pattern binds in a head, or that a `let` binds which takes a borrow apart.
    pub(super) fn matched(
        &mut self,
        scrutinee: &Expr,
        taken: ChosenCase,
        links: &Links,
        names: &[(Ident, bool)],
    ) -> (Restoration, TokenStream) {
        let all: Vec<&Ident> = names.iter().map(|n| &n.0).collect();
        let (way, mut known) = self.chain_way(scrutinee, Some(taken), links, &all, true);
        known.extend(self.in_one_form(unchanged(names, makes_values(scrutinee), true)));
        (way, known)
    }

    /// Names that a loop's pattern binds of an item, which is in hand after going back in.
    pub(super) fn of_item(&mut self, item: &Ident, inner: &Pat, folded: bool) -> Restoration {
        let inner = self.structure(inner);
        self.names += 1;
        Restoration::Asked(Rc::new(Chain {
            id: self.names,
            pattern: Some(ChosenCase::only(
                parse_quote!(::core::option::Option::Some(#inner)),
            )),
            head: true,
            item: true,
            folded,
            made: quote!(#item.take()),
            guard: false,
            taken: None,
        }))
    }

    /// What the user calls a local.
    pub(super) fn said<'a>(&'a self, name: &'a str) -> &'a str {
        match self.renamed.get(name) {
            Some(own) => own,
            None if name == "self_" => "self",
            None => name,
        }
    }

    /// A closure is made again: what it captures by value must be the same then.
    pub(super) fn refuse_captures(&mut self, e: &Expr) {
        match e {
            Expr::Reference(r) => self.refuse_captures(&r.expr),
            Expr::Closure(c) if c.capture.is_some() => {
                if let Some((span, name)) = mutable_in(&c.body, &self.moves.mutable) {
                    let name = self.said(&name).to_owned();
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

impl LocalAtPoint {
    fn of(&self) -> Ident {
        format_ident!("pc3_of{}", self.number)
    }

    /// A point may end it.
    pub(super) fn ended_at(&mut self, span: Span) {
        let line = || quote_spanned!(span=> ::core::line!());
        self.line.get_or_insert_with(line);
    }

    /// The question, and where it is asked.
    pub(super) fn question(&self, b: &Builder) -> (TokenStream, TokenStream) {
        let said = b.said(&self.name.to_string()).to_owned();
        let (name, ends, of, mode) = (&self.name, self.ends, self.of(), b.judged());
        let ty = format_ident!("Pc3Local{}", self.number);
        let judged = format_ident!("pc3_judged{}", self.number);
        let (text, more) = if said.starts_with(TEMPORARY) {
            (": what is left of this value lives until the end of the statement or of the branch that it is the head of, and a checkpoint within would end it: bind the call's value by `let` in front, and take all of it apart (`let Type { a, b: _b } = …;`); the location or call is in line ".to_owned(), String::new())
        } else if self.part {
            (format!(": `{said}` has a `Drop`, or holds a value that has one, and what is left of it may still exist at the location or marked call in line "), format!(", behind which it is not mentioned; a checkpoint there would end it: take it apart with a pattern that binds all of it (`_` and `..` do not), or, if it is whole, write `drop({said})` where it is to end"))
        } else {
            (format!(": `{said}` has a `Drop`, or holds a value that has one, and may still exist at the location or marked call in line "), format!(", behind which it is not mentioned; a checkpoint there would end it: write `drop({said})` where it is to end, in front or behind (if a method uses it up, call that as `Type::method({said})`)"))
        };
        let point = self.line.clone().unwrap_or_else(|| quote!(""));
        let line = quote_spanned!(name.span()=> ::core::line!());
        let question = quote_spanned! {name.span()=>
            struct #ty;
            impl ::pc3::point::Local for #ty {
                const ENDS: bool = #ends;
                const TEXT: &'static str = ::core::concat!(::core::file!(), ":", #line, #text, #point, #more);
            }
            let #of = ::core::marker::PhantomData;
            let #judged = const { ::pc3::point::judge::<#ty, _, #mode>() };
        };
        let asked = quote_spanned! {name.span()=>
            ::pc3::point::Ends::of(&#of).unseen(#judged);
        };
        let all = self.called.iter().enumerate().map(|(i, (way, moved))| {
            let (ty, judged) = (
                format_ident!("{}_{}", ty, i),
                format_ident!("{}_{}", judged, i),
            );
            let question = quote_spanned! {name.span()=>
                struct #ty;
                impl ::pc3::point::Local for #ty {
                    const ENDS: bool = true;
                    const TEXT: &'static str = ::core::concat!(::core::file!(), ":", #line, #text, #point, #more);
                }
                let #judged = const { ::pc3::point::judge_called::<#ty, _, #mode, _, #moved>() };
            };
            let asked = quote_spanned! {name.span()=>
                ::pc3::point::Ends::of(&#of).unseen_called(&#way, #judged);
            };
            (question, asked)
        });
        all.fold((question, asked), |(q, a), (more, asks)| {
            (quote!(#q #more), quote!(#a #asks))
        })
    }
}

impl Locals for Builder {
    fn is_borrow(&self, name: &str) -> bool {
        let made = |v: &&Var| {
            v.name == name
                && match &v.way {
                    Restoration::Made(_) => true,
                    Restoration::Asked(chain) => chain.head,
                    _ => false,
                }
        };
        self.borrowed.contains_key(name) || self.visible.iter().any(|v| made(&v))
    }
    fn is_mutable(&self, name: &str) -> bool {
        self.moves.mutable.contains(name)
    }
    fn may_be_borrow(&self, name: &str) -> bool {
        let asked = |v: &Var| v.name == name && matches!(v.way, Restoration::Asked(_));
        self.is_borrow(name) || self.visible.iter().any(asked)
    }
    fn changes(&self, name: &str) -> bool {
        match self.borrowed.get(name) {
            Some(mutable) => *mutable,
            None => self.is_mutable(name) || self.may_be_borrow(name),
        }
    }
    fn is_reader(&self, name: &str) -> bool {
        self.readers.contains(name)
    }
    fn is_iterator(&self, name: &str) -> bool {
        self.iterators.contains(name)
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

/// Asks whether what methods are called on is known to do nothing else, and so the places in what is made again.
fn receivers_known(asked: &TokenStream, links: &Links, made: &Expr) -> TokenStream {
    let mut known: TokenStream = links
        .receivers
        .iter()
        .map(|(receiver, ordered)| {
            let (receiver, at) = (still(receiver), telling(receiver));
            match ordered {
                true => quote_spanned!(at=> #asked.ordered(&#receiver);),
                false => quote_spanned!(at=> #asked.plain(&#receiver);),
            }
        })
        .collect();
    known.extend(places::asked(made, &quote!(#asked.fine)));
    if known.is_empty() {
        return known;
    }
    quote! {
        if false {
            loop {}
            #[allow(unused_imports)]
            use ::pc3::point::{places::*, KnownBorrowed as _, KnownOther as _, KnownRepeated as _, KnownSaved as _, KnownSeen as _};
            #known
        }
    }
}

/// What is asked of a local's type; what no more is known of is made again if it is matched in a head.
fn asking(of: TokenStream, head: bool) -> TokenStream {
    match head {
        true => quote!((&&&&::pc3::point::Ask::#of.seen())),
        false => quote!((&&&&::pc3::point::Ask::#of)),
    }
}

/// Is it known of these names, with whether they are `mut`, that nothing is lost if they are made again?
pub(super) fn unchanged(names: &[(Ident, bool)], values: bool, head: bool) -> TokenStream {
    let asked = names.iter().map(|(name, mutable)| {
        let asked = asking(quote!(about(&#name)), head);
        let changed = mutable.then(|| quote_spanned!(name.span()=> #asked.changed();));
        let cells = values.then(|| quote_spanned!(name.span()=> (&&#asked.cells()).none();));
        quote!(#changed #cells)
    });
    let asked: TokenStream = asked.collect();
    match asked.is_empty() {
        true => asked,
        false => questions(quote! {
            if false {
                loop {}
                #[allow(unused_imports)]
                use ::pc3::point::{WithCells as _, WithoutCells as _};
                #asked
            }
        }),
    }
}

/// Methods that make values, whose cells are their own.
const MAKE: &[&str] = &[
    "and_then",
    "cloned",
    "copied",
    "filter_map",
    "flat_map",
    "map",
    "map_while",
    "scan",
    "to_owned",
];

pub(super) fn makes_values(e: &Expr) -> bool {
    struct MakesValues(bool);
    impl<'ast> crate::visit::Visit<'ast> for MakesValues {
        fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
            self.0 |= MAKE.iter().any(|n| m.method == n);
            crate::visit::visit_expr_method_call(self, m);
        }
    }
    let mut visitor = MakesValues(false);
    crate::visit::Visit::visit_expr(&mut visitor, e);
    visitor.0
}

fn questions(code: TokenStream) -> TokenStream {
    quote! {{
        #[allow(unused_imports)]
        use ::pc3::point::{AskBorrowed as _, AskOther as _, AskRepeated as _, AskSaved as _, AskSeen as _};
        #code
    }}
}

/// Stands for the type of such a local.
pub(super) fn type_of(name: &Ident) -> Ident {
    format_ident!("pc3_of_{}", name, span = name.span())
}

impl Chain {
    /// What is matched, or evaluated, again.
    pub(super) fn of(&self) -> TokenStream {
        let (made, which) = (
            &self.made,
            self.pattern.as_ref().and_then(ChosenCase::which),
        );
        quote!(#made; #which)
    }

    /// Such locals end in front of a checkpoint, or are moved out.
    pub(super) fn park(&self, name: &Ident) -> TokenStream {
        let asked = asking(quote!(about(&#name)), self.head);
        let parked = questions(quote!(#asked.park(#name)));
        quote_spanned!(name.span()=> let #name = #parked;)
    }

    fn ask(&self, name: &Ident) -> TokenStream {
        let ty = type_of(name);
        asking(quote!(of(&#ty)), self.head)
    }

    /// Takes these of a loop's names back: some are made again by all means.
    pub(super) fn item_back(&self, asked: &[&Ident], made: &[&Ident]) -> TokenStream {
        let Some(pattern) = &self.pattern else {
            return TokenStream::new();
        };
        let backs = asked.iter().map(|name| {
            let (text, ask, inner) = (name.to_string(), self.ask(name), inner_name(name));
            quote_spanned! {name.span()=>
                #name = match #ask.back(&mut pc3_frame, #text) {
                    ::core::option::Option::Some(pc3_v) => pc3_v,
                    ::core::option::Option::None => #inner,
                };
            }
        });
        let inner = made.iter().map(|n| inner_name(n));
        let names: Vec<&Ident> = asked.iter().chain(made).copied().collect();
        let assign = quote!(#(#backs)* #(#made = #inner;)*);
        questions(pattern.match_again(&self.made, &assign, &names))
    }

    /// Takes these of its locals back.
    pub(super) fn back(&self, names: &[&Ident]) -> TokenStream {
        let made = &self.made;
        let back = |name: &Ident| {
            let (text, ask) = (name.to_string(), self.ask(name));
            quote!(#ask.back(&mut pc3_frame, #text))
        };
        let code = match &self.pattern {
            None => names
                .iter()
                .map(|name| {
                    let back = back(name);
                    quote_spanned!(name.span()=> #name = match #back {
                        ::core::option::Option::Some(pc3_v) => pc3_v,
                        ::core::option::Option::None => #made,
                    };)
                })
                .collect(),
            Some(pattern) => {
                let asked = names.iter().map(|n| self.ask(n));
                let inner: Vec<Ident> = names.iter().map(|n| inner_name(n)).collect();
                let backs: Vec<TokenStream> = names.iter().map(|n| back(n)).collect();
                let again = pattern.match_again(
                    made,
                    &quote! {
                        #(#names = match #backs {
                            ::core::option::Option::Some(pc3_v) => pc3_v,
                            ::core::option::Option::None => #inner,
                        };)*
                    },
                    names,
                );
                quote! {
                    if false #(|| #asked.again())* {
                        #again
                    } else {
                        #(#names = match #backs {
                            ::core::option::Option::Some(pc3_v) => pc3_v,
                            ::core::option::Option::None => ::pc3::point::changed(),
                        };)*
                    }
                }
            }
        };
        questions(code)
    }

    /// A local as an argument of a call that is gone back into, which it has been moved into: made again, or kept there.
    pub(super) fn argument(&self, name: &Ident) -> TokenStream {
        let (made, ask) = (&self.made, self.ask(name));
        let again = match &self.pattern {
            None => made.clone(),
            Some(pattern) => {
                let (v, inner) = (quote!(pc3_v), inner_name(name));
                let again = pattern.match_again(made, &quote!(#v = #inner;), &[name]);
                quote!({ let #v; #again #v })
            }
        };
        questions(quote!(#ask.argument(|| #again)))
    }

    /// It has been moved into an argument, which is made again: a borrow.
    pub(super) fn remade(&self, name: &Ident) -> TokenStream {
        let made = &self.made;
        let again = match &self.pattern {
            None => quote!(#name = #made;),
            Some(pattern) => {
                let inner = inner_name(name);
                pattern.match_again(made, &quote!(#name = #inner;), &[name])
            }
        };
        if self.folded {
            // What it was made into is saved, or a borrow.
            return again;
        }
        quote_spanned! {name.span()=>
            #again
            {
                #[allow(unused_imports)]
                use ::pc3::point::{IsBorrow as _, IsText as _, IsValue as _};
                (&&&::pc3::point::Made(&#name)).made();
            }
        }
    }
}

/// Is there a borrow in the type?
fn has_borrow(ty: &syn::Type) -> bool {
    struct HasBorrow(bool);
    impl<'ast> crate::visit::Visit<'ast> for HasBorrow {
        fn visit_type_reference(&mut self, _: &'ast syn::TypeReference) {
            self.0 = true;
        }
        fn visit_lifetime(&mut self, _: &'ast syn::Lifetime) {
            self.0 = true;
        }
        fn visit_type_infer(&mut self, _: &'ast syn::TypeInfer) {
            self.0 = true;
        }
    }
    let mut visitor = HasBorrow(false);
    crate::visit::Visit::visit_type(&mut visitor, ty);
    visitor.0
}

/// Does it show that the value is a borrow?
pub(super) fn is_borrowing(e: &Expr) -> bool {
    match e {
        Expr::Lit(l) => matches!(l.lit, syn::Lit::Str(_)),
        Expr::Reference(_) => true,
        Expr::Tuple(t) => !t.elems.is_empty() && t.elems.iter().all(is_borrowing),
        Expr::Paren(p) => is_borrowing(&p.expr),
        Expr::MethodCall(m) => matches!(
            m.method.to_string().as_str(),
            "as_ref" | "as_mut" | "as_slice" | "as_mut_slice" | "as_str" | "as_bytes" | "as_path"
        ),
        _ => false,
    }
}
