//! What a marked call of a method asks of it: whether it takes its receiver by value, which the call does not show.
//!
//! ```text
//! fn step(&mut self, n: u64) -> R                     fn end(self, n: u64) -> R
//!
//! fn pc3_way_step(&mut self) -> Lent<fn(Kept<u64>)>   fn pc3_way_end(self) -> Moved<impl Fn(Kept<Self>, Kept<u64>) -> R>
//! fn pc3_again_step(&mut self, n: Kept<u64>) -> R     fn pc3_again_end(self, n: Kept<u64>) -> R
//! ```
//!
//! A borrowed receiver is made again and called on.  One that was moved is in the method's frame: the call has none to be
//! made on, so it learns from the type that `pc3_way_end` gives which function to go back into.  `pc3_again_end` is there
//! for the compiler to read only.

use std::collections::HashSet;

use crate::visit_mut::VisitMut;
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::{FnArg, GenericParam, Signature, Type, TypeParam, WherePredicate};

use super::item::{generic_names, method_names, output};
use super::parameters::{Name, Parameters};

pub(crate) fn way_name(method: &Ident) -> Ident {
    format_ident!("pc3_way_{}", method, span = method.span())
}

pub(crate) fn again_name(method: &Ident) -> Ident {
    format_ident!("pc3_again_{}", method, span = method.span())
}

/// Both functions; `attributes` and `vis` stand in front of each.  Those of a trait's method have no `bodies`.
pub fn functions(
    sig: &Signature,
    p: &Parameters,
    front: &TokenStream,
    bodies: bool,
) -> TokenStream {
    let Some(FnArg::Receiver(receiver)) = sig.inputs.first() else {
        return TokenStream::new();
    };
    let mut receiver = receiver.clone();
    receiver.attrs.clear();
    let (name, out) = (&sig.ident, output(sig));
    let (way, again) = (way_name(name), again_name(name));
    let (_, resume) = method_names(name);
    let (generics, all_filter) = (&sig.generics.params, &sig.generics.where_clause);
    let passed = generic_names(sig);
    let passed = (!passed.is_empty()).then(|| quote!(::<#(#passed),*>));
    let (names, types): (Vec<&Ident>, Vec<&Type>) = p.again.iter().map(|(n, t)| (n, t)).unzip();
    let result = quote!(::core::result::Result<#out, ::pc3::point::Unwind>);
    let body = |code: TokenStream| match bodies {
        true => quote!({ #code }),
        false => quote!(;),
    };
    let mut unnamed: Vec<TypeParam> = Vec::new();
    let named: Vec<Type> = types
        .iter()
        .map(|t| {
            let mut t = (*t).clone();
            Name(&mut unnamed).visit_type_mut(&mut t);
            t
        })
        .collect();
    let Some(ty) = &p.by_self else {
        let (needed, filter) = needed(sig, &quote!(#receiver #(#named)* #(#unnamed)*));
        let is = body(quote!(::pc3::point::Lent::new()));
        let called = body(quote!(Self::#resume #passed(self, #(#names),*)));
        return quote! {
            #front fn #way<#(#needed,)* #(#unnamed),*>(#receiver) -> ::pc3::point::Lent<fn(::pc3::point::Kept<()>, #(#named),*)> #filter #is
            #front fn #again<#generics>(#receiver, #(#names: #types),*) -> #result #all_filter #called
        };
    };
    if receiver.colon_token.is_none() {
        receiver.mutability = None;
    }
    let all = generics.iter().map(|g| quote!(#g));
    let all = all.chain(unnamed.iter().map(|g| quote!(#g)));
    let sized = p.sized(all_filter);
    let is = body(quote!(::pc3::point::Moved::by(Self::#resume #passed)));
    let called = body(quote!(::core::unreachable!("only its type is asked for")));
    quote! {
        #front fn #way<#(#all),*>(#receiver) -> ::pc3::point::Moved<impl ::core::ops::Fn(::pc3::point::Kept<#ty>, #(#named),*) -> #result> #sized #is
        #front fn #again<#generics>(#receiver, #(#names: #types),*) -> #result #sized #called
    }
}

/// Parameters that these types mention, or what is asked of those that they mention, and what is asked of them: others could
/// not be inferred.
fn needed<'s>(sig: &'s Signature, types: &TokenStream) -> (Vec<&'s GenericParam>, TokenStream) {
    let name = |g: &GenericParam| match g {
        GenericParam::Type(t) => t.ident.to_string(),
        GenericParam::Const(c) => c.ident.to_string(),
        GenericParam::Lifetime(l) => l.lifetime.ident.to_string(),
    };
    let asked: Vec<_> = sig
        .generics
        .where_clause
        .iter()
        .flat_map(|w| &w.predicates)
        .collect();
    let mut words = HashSet::new();
    mentioned(types, &mut words);
    loop {
        let before = words.len();
        for g in sig
            .generics
            .params
            .iter()
            .filter(|g| words.contains(&name(g)))
            .collect::<Vec<_>>()
        {
            mentioned(&quote!(#g), &mut words);
        }
        for p in &asked {
            if let WherePredicate::Type(t) = p {
                let (mut of, ty) = (HashSet::new(), &t.bounded_ty);
                mentioned(&quote!(#ty), &mut of);
                if sig
                    .generics
                    .params
                    .iter()
                    .any(|g| of.contains(&name(g)) && words.contains(&name(g)))
                {
                    mentioned(&quote!(#p), &mut words);
                }
            }
        }
        if words.len() == before {
            break;
        }
    }
    let (needed, others): (Vec<_>, Vec<_>) = sig
        .generics
        .params
        .iter()
        .partition(|g| words.contains(&name(g)));
    let told = asked.into_iter().filter(|p| {
        let mut of = HashSet::new();
        mentioned(&quote!(#p), &mut of);
        !others.iter().any(|g| of.contains(&name(g)))
    });
    (needed, quote!(where #(#told,)*))
}

fn mentioned(tokens: &TokenStream, into: &mut HashSet<String>) {
    for t in tokens.clone() {
        match t {
            TokenTree::Ident(i) => drop(into.insert(i.to_string())),
            TokenTree::Group(g) => mentioned(&g.stream(), into),
            _ => {}
        }
    }
}
