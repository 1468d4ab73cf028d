//! A function's parameters: those that the caller makes again, and those that are among what is kept.

use std::collections::{HashMap, HashSet};

use crate::visit::{self, Visit};
use crate::visit_mut::{self, VisitMut};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{parse_quote, FnArg, Pat, Signature, Type, TypeParam};

use crate::build::Parameter;

/// Is an argument of this type made again by the caller?
pub(crate) fn is_borrow(ty: &Type, generics: &syn::Generics) -> bool {
    struct IsBorrow<'g>(bool, &'g syn::Generics);
    impl<'ast> Visit<'ast> for IsBorrow<'_> {
        fn visit_type_reference(&mut self, r: &'ast syn::TypeReference) {
            let forever = r.lifetime.as_ref().is_some_and(|l| l.ident == "static");
            self.0 |= !forever;
            visit::visit_type_reference(self, r);
        }
        fn visit_lifetime(&mut self, l: &'ast syn::Lifetime) {
            self.0 |= l.ident != "static";
        }
        fn visit_type_impl_trait(&mut self, t: &'ast syn::TypeImplTrait) {
            self.0 |= is_closure(&t.bounds);
        }
        // Functions have no form in which they are saved.
        fn visit_type_bare_fn(&mut self, _: &'ast syn::TypeBareFn) {
            self.0 = true;
        }
        fn visit_type_path(&mut self, p: &'ast syn::TypePath) {
            if let Some(name) = p.path.get_ident() {
                let params = self.1.type_params().filter(|t| t.ident == *name);
                self.0 |= params.into_iter().any(|t| is_closure(&t.bounds));
                if let Some(w) = &self.1.where_clause {
                    self.0 |= w.predicates.iter().any(|p| match p {
                        syn::WherePredicate::Type(t) => {
                            matches!(&t.bounded_ty, Type::Path(b) if b.path.is_ident(name))
                                && is_closure(&t.bounds)
                        }
                        _ => false,
                    });
                }
            }
            visit::visit_type_path(self, p);
        }
    }
    let mut visitor = IsBorrow(false, generics);
    visitor.visit_type(ty);
    visitor.0
}

fn is_closure(bounds: &syn::punctuated::Punctuated<syn::TypeParamBound, syn::Token![+]>) -> bool {
    bounds.iter().any(|b| match b {
        syn::TypeParamBound::Trait(t) => t
            .path
            .segments
            .last()
            .is_some_and(|s| s.ident.to_string().starts_with("Fn")),
        _ => false,
    })
}

/// A function's parameters, sorted by how they come.
#[derive(Default)]
pub struct Parameters {
    pub receiver: Option<TokenStream>,
    /// The type of a receiver by value.
    pub by_self: Option<Type>,
    pub hot: Vec<TokenStream>,
    pub resume: Vec<TokenStream>,
    /// As these, with names and types apart.
    pub again: Vec<(Ident, Type)>,
    pub body: Vec<TokenStream>,
    /// What the forms hand to the body.
    pub hot_given: Vec<TokenStream>,
    pub resume_given: Vec<TokenStream>,
    pub by_value: Vec<Parameter>,
    pub borrowed: HashMap<String, bool>,
    pub names: Vec<Ident>,
    /// Names with whether they are `mut`.
    pub mutable: Vec<(Ident, bool)>,
    /// Those that are made again, are `mut`, and may be no borrows themselves.
    pub values: HashSet<String>,
    /// Those of type `Option<&mut T>`.
    pub lent: HashSet<String>,
    /// Names that the forms have for them.
    pub arguments: Vec<Ident>,
    /// Types that are not named where they are parameters, and are in the body.
    pub unnamed: Vec<TypeParam>,
}

/// `impl Trait` becomes a parameter.
pub struct Name<'a>(pub &'a mut Vec<TypeParam>);

impl VisitMut for Name<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        visit_mut::visit_type_mut(self, ty);
        if let Type::ImplTrait(t) = ty {
            let name = format_ident!("Pc3Type{}", self.0.len());
            let bounds = &t.bounds;
            self.0.push(parse_quote!(#name: #bounds));
            *ty = parse_quote!(#name);
        }
    }
}

pub fn parameters(sig: &Signature) -> Parameters {
    let mut p = Parameters::default();
    for (i, input) in sig.inputs.iter().enumerate() {
        match input {
            FnArg::Receiver(r) => p.add_receiver(r),
            FnArg::Typed(t) => p.add(i, t, &sig.generics),
        }
    }
    p
}

impl Parameters {
    fn add_receiver(&mut self, r: &syn::Receiver) {
        let mut r = r.clone();
        r.attrs.clear();
        self.receiver = Some(quote!(#r,));
        if !is_by_value(&r) {
            self.borrowed
                .insert("self".to_owned(), r.mutability.is_some());
        } else {
            let (name, mutable) = (own_self(), r.mutability);
            self.by_value.push(Parameter {
                pat: parse_quote!(#mutable #name),
                ty: (*r.ty).clone(),
                argument: format_ident!("pc3_self"),
            });
            self.mutable.push((name.clone(), mutable.is_some()));
            self.names.push(name);
            self.by_self = Some((*r.ty).clone());
        }
    }

    fn add(&mut self, i: usize, typed: &syn::PatType, generics: &syn::Generics) {
        let (pat, ty) = (&*typed.pat, &*typed.ty);
        let name = format_ident!("pc3_a{}", i);
        let mut idents = Vec::new();
        pattern_names(pat, &mut idents);
        self.hot.push(quote!(#name: #ty));
        self.hot_given.push(quote!(#name));
        if is_borrow(ty, generics) {
            self.resume.push(quote!(#name: #ty));
            self.again.push((name.clone(), ty.clone()));
            self.resume_given.push(quote!(#name));
            self.body.push(quote!(#pat: #ty));
            let mutable = matches!(ty, Type::Reference(r) if r.mutability.is_some());
            self.borrowed
                .extend(idents.iter().map(|n| (n.to_string(), mutable)));
        } else {
            self.kept(&name, ty);
            let mut named = ty.clone();
            Name(&mut self.unnamed).visit_type_mut(&mut named);
            self.body.push(quote!(#name: Pc3Mode::By<#named>));
            self.by_value.push(Parameter {
                pat: pat.clone(),
                ty: named,
                argument: name.clone(),
            });
        }
        // A closure that is called, or lent for that, is the same afterwards.
        let closure = matches!(ty, Type::Path(p) if p.path.get_ident().is_some())
            || matches!(ty, Type::ImplTrait(_));
        let closure = closure && is_borrow(ty, generics);
        self.mutable.extend(idents.iter().map(|n| {
            let is = |m: &Ident| m == n;
            (n.clone(), !closure && mutable_names(pat).iter().any(is))
        }));
        let borrow = matches!((pat, ty), (Pat::Ident(_), Type::Reference(_)));
        if is_borrow(ty, generics) && !borrow && !closure {
            let mutable = mutable_names(pat).into_iter();
            self.values.extend(mutable.map(|n| n.to_string()));
            if is_lent(ty) {
                self.lent.extend(idents.iter().map(ToString::to_string));
            }
        }
        self.names.extend(idents);
        self.arguments.push(name);
    }

    /// A value, or a borrow of one that is the same for ever: what going back in has of it.
    fn kept(&mut self, name: &Ident, ty: &Type) {
        match ty {
            // The caller writes it, or keeps it, too.
            Type::Reference(r) if is_text(&r.elem) => {
                self.again.push((name.clone(), ty.clone()));
                self.resume.push(quote!(_: #ty));
                self.resume_given
                    .push(quote!(::pc3::point::Kept(::core::marker::PhantomData)));
            }
            // It may be kept or be written at the call.
            Type::Reference(_) => {
                self.again.push((name.clone(), parse_quote!(impl Sized)));
                self.resume.push(quote!(_: impl Sized));
                self.resume_given
                    .push(quote!(::pc3::point::Kept(::core::marker::PhantomData)));
            }
            ty => {
                self.again
                    .push((name.clone(), parse_quote!(::pc3::point::Kept<#ty>)));
                self.resume.push(quote!(#name: ::pc3::point::Kept<#ty>));
                self.resume_given.push(quote!(#name));
            }
        }
    }
}

/// `Option<&mut T>`: what `as_deref_mut` changes is the caller's.
fn is_lent(ty: &Type) -> bool {
    let Type::Path(p) = ty else { return false };
    let last = p.path.segments.last().filter(|s| s.ident == "Option");
    let Some(syn::PathArguments::AngleBracketed(list)) = last.map(|s| &s.arguments) else {
        return false;
    };
    let of = |a: &syn::GenericArgument| matches!(a, syn::GenericArgument::Type(Type::Reference(r)) if r.mutability.is_some());
    list.args.iter().all(of)
}

fn is_text(ty: &Type) -> bool {
    matches!(ty, Type::Path(p) if p.path.is_ident("str"))
}

/// Parameters whose types, or what is asked of these, say that they are a `BufReader` or borrow one.
pub fn readers(sig: &Signature) -> HashSet<String> {
    let says = |text: &str| text.contains("BufRead");
    let generic = |name: &Ident| {
        let params = sig.generics.type_params();
        let mut bounds = params.filter(|t| t.ident == *name).map(|t| &t.bounds);
        bounds.any(|b| says(&quote!(#b).to_string()))
            || sig.generics.where_clause.iter().any(|w| {
                w.predicates.iter().any(|p| match p {
                    syn::WherePredicate::Type(t) => {
                        let (ty, bounds) = (&t.bounded_ty, &t.bounds);
                        *name == quote!(#ty).to_string() && says(&quote!(#bounds).to_string())
                    }
                    _ => false,
                })
            })
    };
    let mut found = HashSet::new();
    for input in &sig.inputs {
        let FnArg::Typed(t) = input else { continue };
        let ty = &t.ty;
        let words = crate::flow::identifiers(&quote!(#ty));
        let named = |w: &String| syn::parse_str::<Ident>(w).is_ok_and(|w| generic(&w));
        if says(&quote!(#ty).to_string()) || words.iter().any(named) {
            let mut names = Vec::new();
            pattern_names(&t.pat, &mut names);
            found.extend(names.iter().map(ToString::to_string));
        }
    }
    found
}

/// Parameters that are iterators or borrow one, by their types or what is asked of these.
pub fn iterators(sig: &Signature) -> HashSet<String> {
    let mut found = HashSet::new();
    for input in &sig.inputs {
        if let (FnArg::Typed(t), true) = (
            input,
            matches!(input, FnArg::Typed(t) if is_iterator(&t.ty, &sig.generics)),
        ) {
            let mut names = Vec::new();
            pattern_names(&t.pat, &mut names);
            found.extend(names.iter().map(ToString::to_string));
        }
    }
    found
}

fn is_iterator(ty: &Type, generics: &syn::Generics) -> bool {
    const NAMES: &[&str] = &[
        "CharIndices",
        "Chars",
        "Drain",
        "Enumerate",
        "IntoIter",
        "Iter",
        "IterMut",
        "Lines",
        "Peekable",
        "Range",
        "RangeInclusive",
        "Rev",
        "Skip",
        "Split",
        "SplitWhitespace",
        "Take",
        "Zip",
    ];
    type Bounds = syn::punctuated::Punctuated<syn::TypeParamBound, syn::Token![+]>;
    let asked = |bounds: &Bounds| {
        bounds.iter().any(|b| match b {
            syn::TypeParamBound::Trait(t) => t.path.segments.last().is_some_and(|s| {
                s.ident != "IntoIterator" && s.ident.to_string().ends_with("Iterator")
            }),
            _ => false,
        })
    };
    match ty {
        Type::Reference(r) => is_iterator(&r.elem, generics),
        Type::Paren(p) => is_iterator(&p.elem, generics),
        Type::ImplTrait(t) => asked(&t.bounds),
        Type::TraitObject(t) => asked(&t.bounds),
        Type::Path(p) => {
            let last = p.path.segments.last().map(|s| s.ident.to_string());
            let mut params = generics.type_params().filter(|t| p.path.is_ident(&t.ident));
            let filters = generics.where_clause.iter().flat_map(|w| &w.predicates);
            last.is_some_and(|l| NAMES.contains(&&l[..]))
                || params.any(|t| asked(&t.bounds))
                || filters.into_iter().any(|f| matches!(f, syn::WherePredicate::Type(t) if t.bounded_ty == *ty && asked(&t.bounds)))
        }
        _ => false,
    }
}

fn is_by_value(r: &syn::Receiver) -> bool {
    r.reference.is_none() && !matches!(&*r.ty, Type::Reference(_))
}

/// What `self` by value is called inside.
pub(crate) fn own_self() -> Ident {
    format_ident!("self_")
}

impl Parameters {
    /// The receiver of the form that is gone back into.
    pub(crate) fn receiver_again(&self) -> TokenStream {
        match (&self.by_self, &self.receiver) {
            (Some(ty), _) => quote!(pc3_self: ::pc3::point::Kept<#ty>,),
            (None, receiver) => quote!(#receiver),
        }
    }

    /// Parameters as the code has them, the first time and when it is gone back into.
    pub fn bindings(&self, sig: &Signature) -> (TokenStream, TokenStream) {
        let (mut first, mut again) = (TokenStream::new(), TokenStream::new());
        if self.by_self.is_some() {
            first.extend(quote!(let pc3_self = self;));
        }
        let typed = sig.inputs.iter().filter_map(|i| match i {
            FnArg::Typed(t) => Some(t),
            FnArg::Receiver(_) => None,
        });
        for (t, name) in typed.zip(&self.arguments) {
            let pat = &t.pat;
            if is_borrow(&t.ty, &sig.generics) {
                first.extend(quote!(let #pat = #name;));
                again.extend(quote!(let #pat = #name;));
            } else if let Type::Reference(_) = &*t.ty {
                again.extend(quote!(let #name = ::pc3::point::Kept(::core::marker::PhantomData);));
            }
        }
        (first, again)
    }

    /// Only values whose size is known are taken.
    pub fn sized(&self, filter: &Option<syn::WhereClause>) -> TokenStream {
        match (&self.by_self, filter) {
            (None, filter) => quote!(#filter),
            (Some(_), None) => quote!(where Self: Sized),
            (Some(_), Some(f)) if f.predicates.is_empty() || f.predicates.trailing_punct() => {
                quote!(#f Self: Sized)
            }
            (Some(_), Some(f)) => quote!(#f, Self: Sized),
        }
    }
}

/// `self` by value becomes a local like others.
pub(crate) fn rename_self(tokens: TokenStream) -> TokenStream {
    use proc_macro2::{Group, TokenTree};
    let rename = |t| match t {
        TokenTree::Ident(i) if i == "self" => {
            let mut name = own_self();
            name.set_span(i.span());
            name.into()
        }
        TokenTree::Group(g) => {
            let mut new = Group::new(g.delimiter(), rename_self(g.stream()));
            new.set_span(g.span());
            new.into()
        }
        t => t,
    };
    tokens.into_iter().map(rename).collect()
}

fn mutable_names(pat: &Pat) -> Vec<Ident> {
    struct MutableNames(Vec<Ident>);
    impl<'ast> Visit<'ast> for MutableNames {
        fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
            if p.mutability.is_some() && p.by_ref.is_none() {
                self.0.push(p.ident.clone());
            }
        }
    }
    let mut visitor = MutableNames(Vec::new());
    visitor.visit_pat(pat);
    visitor.0
}

fn pattern_names(pat: &Pat, into: &mut Vec<Ident>) {
    struct PatternNames<'a>(&'a mut Vec<Ident>);
    impl<'ast> Visit<'ast> for PatternNames<'_> {
        fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
            self.0.push(p.ident.clone());
        }
    }
    PatternNames(into).visit_pat(pat);
}
