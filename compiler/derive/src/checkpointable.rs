//! `#[derive(Checkpointable)]`.
//!
//! ```text
//! struct S { a: A, b: B }   →   members "a", "b" laid out one after the other, read by name, of many structs each at once
//! enum E { X, Y(A) }        →   a number, and the members of the variant, read by the variant's name
//! ```
//!
//! Attributes of fields: `#[pc3(skip)]`: not saved, `Default` instead; `#[pc3(default)]` or `#[pc3(default = path)]`:
//! or `#[pc3(since = version)]`: may be missing in older checkpoints; `#[pc3(with = "serde")]`: saved by serde;
//! `#[pc3(transient = expression)]`: not saved, made again of the other fields.

use std::collections::HashSet;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, ToTokens};
use syn::visit::{self, Visit};
use syn::{parse_quote, Data, DeriveInput, Field, Fields, Type};

use crate::unsaved;

type Result<T> = std::result::Result<T, syn::Error>;

enum Kind {
    Saved,
    Skipped,
    /// May be missing; then it is this.
    Optional(TokenStream),
    /// Not saved, and made again of the others.
    Transient(TokenStream),
}

/// What saves it.
enum SavedBy {
    Itself,
    Serde,
}

struct Member {
    /// As the checkpoint names it.
    name: String,
    /// As the pattern names it.
    bound: Ident,
    field: TokenStream,
    /// The type that is saved, and that of the field.
    ty: Type,
    field_ty: Type,
    kind: Kind,
    by: SavedBy,
}

/// Every type parameter must have the trait.
pub(crate) fn bind(generics: &mut syn::Generics, to: &syn::Path) {
    let params: Vec<Ident> = generics.type_params().map(|t| t.ident.clone()).collect();
    let clause = generics.make_where_clause();
    for t in &params {
        clause.predicates.push(parse_quote!(#t: #to));
    }
}

/// Those that are saved must have the trait; others, in fields that are not, only live as long.
fn bind_saved(generics: &mut syn::Generics, saved: &[Type]) {
    let mut named = NamesInTypes::default();
    saved.iter().for_each(|t| named.visit_type(t));
    let params: Vec<Ident> = generics.type_params().map(|t| t.ident.clone()).collect();
    let clause = generics.make_where_clause();
    for t in &params {
        clause
            .predicates
            .push(match named.0.contains(&t.to_string()) {
                true => parse_quote!(#t: ::pc3::Checkpointable),
                false => parse_quote!(#t: 'static),
            });
    }
}

/// Names in types, but for what `PhantomData` only speaks of.
#[derive(Default)]
struct NamesInTypes(HashSet<String>);

impl<'ast> Visit<'ast> for NamesInTypes {
    fn visit_path_segment(&mut self, s: &'ast syn::PathSegment) {
        if s.ident != "PhantomData" {
            self.0.insert(s.ident.to_string());
            visit::visit_path_segment(self, s);
        }
    }
}

pub fn expand(item: TokenStream) -> Result<TokenStream> {
    let mut input: DeriveInput = syn::parse2(item)?;
    let text = input.ident.to_string();
    let title = quote!(::core::concat!(::core::module_path!(), "::", #text));
    unsaved::lifetimes(&input.generics)?;
    let parts = parts(&input.data, &title)?;
    bind_saved(&mut input.generics, &parts.saved);
    let name = &input.ident;
    let (impl_generics, ty_generics, filter) = input.generics.split_for_impl();
    let Generated {
        size,
        align,
        describe,
        save,
        load,
        load_all,
        types,
        saved: _,
    } = parts;
    // Other fields than those of types that are `Loud` are not looked at.
    let asked = |what: &str| -> Vec<TokenStream> {
        let what = format_ident!("{}", what);
        let one = |ty: &Type| {
            quote!({
                #[allow(unused_imports)]
                use ::pc3::point::Quiet as _;
                ::pc3::point::Held::<#ty>::#what
            })
        };
        types.iter().map(one).collect()
    };
    let (itself, behind) = (asked("ITSELF"), asked("BEHIND"));
    let drops = quote!(<::pc3::point::Probe::<Self>>::DROPS);
    Ok(quote! {
        #[automatically_derived]
        #[allow(clippy::all, clippy::pedantic)]
        impl #impl_generics ::pc3::Loud for #name #ty_generics #filter {
            const LOUD: bool = {
                #[allow(unused_imports)]
                use ::pc3::point::NoDrop as _;
                #drops #(|| #itself)*
            };
            const HOLDS: bool = {
                false #(|| #behind)*
            };
        }

        #[automatically_derived]
        #[allow(clippy::all, clippy::pedantic)]
        impl #impl_generics ::pc3::Checkpointable for #name #ty_generics #filter {
            const SIZE: u64 = #size;
            const ALIGN: u64 = #align;
            fn describe(pc3_types: &mut ::pc3::Types) -> ::pc3::TypeId { #describe }
            fn save<'pc3>(&'pc3 self, pc3_out: &mut ::pc3::Saver<'pc3>, pc3_at: usize) { #save }
            fn load(pc3_from: &::pc3::Loading, pc3_value: ::pc3::View) -> ::core::result::Result<Self, ::pc3::LoadError> { #load }
            #load_all
        }
    })
}

fn parts(data: &Data, title: &TokenStream) -> Result<Generated> {
    match data {
        Data::Struct(s) => structure(&s.fields, title),
        Data::Enum(e) => enumeration(e, title),
        Data::Union(u) => Err(syn::Error::new_spanned(
            u.union_token,
            "a union cannot be saved: which of its members is in use is not known; use an enum",
        )),
    }
}

struct Generated {
    size: TokenStream,
    align: TokenStream,
    describe: TokenStream,
    save: TokenStream,
    load: TokenStream,
    /// How many are made at once; none: one by one.
    load_all: TokenStream,
    /// Of all that is in it.
    types: Vec<Type>,
    /// Of what is saved by itself.
    saved: Vec<Type>,
}

impl Member {
    /// A borrow of the field as what is saved.
    fn seen(&self, borrow: TokenStream) -> TokenStream {
        match self.by {
            SavedBy::Itself => borrow,
            SavedBy::Serde => quote!(::pc3::Serde::of(#borrow)),
        }
    }
}

fn member(i: usize, f: &Field) -> Result<Member> {
    let (mut kind, mut by) = (Kind::Saved, SavedBy::Itself);
    for a in f.attrs.iter().filter(|a| a.path().is_ident("pc3")) {
        a.parse_nested_meta(|m| {
            if m.path.is_ident("skip") {
                kind = Kind::Skipped;
            } else if m.path.is_ident("default") {
                kind = Kind::Optional(match m.input.peek(syn::Token![=]) {
                    true => {
                        let path: syn::Path = m.value()?.parse()?;
                        quote!(#path)
                    }
                    false => quote!(::core::default::Default::default),
                });
            } else if m.path.is_ident("since") {
                // Which version does not matter: it is missing in older ones.
                let _: syn::Lit = m.value()?.parse()?;
                if let Kind::Saved = kind {
                    kind = Kind::Optional(quote!(::core::default::Default::default));
                }
            } else if m.path.is_ident("with") {
                let with: syn::LitStr = m.value()?.parse()?;
                if with.value() != "serde" {
                    return Err(syn::Error::new_spanned(with, "expected \"serde\""));
                }
                by = SavedBy::Serde;
            } else if m.path.is_ident("transient") {
                let again: syn::Expr = m.value()?.parse()?;
                kind = Kind::Transient(quote!(#again));
            } else {
                return Err(m.error(
                    "expected `skip`, `default`, `default = path`, `since = version`, `with = \"serde\"` or `transient = expression`",
                ));
            }
            Ok(())
        })?;
    }
    let is_saved = matches!(kind, Kind::Saved | Kind::Optional(_)) && matches!(by, SavedBy::Itself);
    if let Some((at, why)) = unsaved::of(&f.ty).filter(|_| is_saved) {
        return Err(syn::Error::new_spanned(at, why));
    }
    let index = syn::Index::from(i);
    let field_ty = f.ty.clone();
    let ty = match by {
        SavedBy::Itself => field_ty.clone(),
        SavedBy::Serde => parse_quote!(::pc3::Serde<#field_ty>),
    };
    Ok(Member {
        name: f.ident.as_ref().map_or_else(
            || i.to_string(),
            |n| n.to_string().trim_start_matches("r#").to_owned(),
        ),
        bound: format_ident!("pc3_m{}", i),
        field: f
            .ident
            .as_ref()
            .map_or_else(|| quote!(#index), |n| quote!(#n)),
        ty,
        field_ty,
        kind,
        by,
    })
}

fn members(fields: &Fields) -> Result<Vec<Member>> {
    let mut errors: Option<syn::Error> = None;
    let mut list = Vec::new();
    for (i, f) in fields.iter().enumerate() {
        match member(i, f) {
            Ok(m) => list.push(m),
            Err(e) => match &mut errors {
                Some(all) => all.combine(e),
                None => errors = Some(e),
            },
        }
    }
    errors.map_or(Ok(list), Err)
}

fn saved(list: &[Member]) -> Vec<&Member> {
    list.iter()
        .filter(|m| !matches!(m.kind, Kind::Skipped | Kind::Transient(_)))
        .collect()
}

/// Types of those that are saved as what they are.
fn by_themselves<'m>(list: &'m [&Member]) -> impl Iterator<Item = Type> + 'm {
    let itself = |m: &&&Member| matches!(m.by, SavedBy::Itself);
    list.iter().filter(itself).map(|m| m.ty.clone())
}

/// The layout of the members that are saved.
fn layout(list: &[&Member]) -> TokenStream {
    let n = list.len();
    let types = list.iter().map(|m| &m.ty);
    quote!(::pc3::layout::<#n>([#((<#types as ::pc3::Checkpointable>::SIZE, <#types as ::pc3::Checkpointable>::ALIGN)),*]))
}

fn described(list: &[&Member]) -> TokenStream {
    let (names, types): (Vec<_>, Vec<_>) = list.iter().map(|m| (&m.name, &m.ty)).unzip();
    let i = 0..list.len();
    quote!(
        ::std::vec![#((::std::string::ToString::to_string(#names), <#types as ::pc3::Checkpointable>::describe(pc3_types), pc3_layout.offsets[#i])),*]
    )
}

/// The value, of the members of a checkpoint.  Fields that are made again are so last, of the others by their names.
fn loaded(of: &TokenStream, list: &[Member]) -> TokenStream {
    let is_late = |m: &&Member| matches!(m.kind, Kind::Transient(_));
    let again = list.iter().any(|m| is_late(&m));
    let mut first = TokenStream::new();
    let mut fields = Vec::new();
    let late = list.iter().filter(is_late);
    for m in list.iter().filter(|m| !is_late(m)).chain(late) {
        let (field, name, ty) = (&m.field, &m.name, &m.ty);
        let inner = match m.by {
            SavedBy::Itself => quote!(),
            SavedBy::Serde => quote!(.0),
        };
        let value = match &m.kind {
            Kind::Saved => quote!(pc3_members.load::<#ty>(#name)?#inner),
            Kind::Optional(or) => {
                let or = match m.by {
                    SavedBy::Itself => quote!(#or),
                    SavedBy::Serde => quote!(|| ::pc3::Serde(#or())),
                };
                quote!(pc3_members.load_or::<#ty>(#name, #or)?#inner)
            }
            Kind::Skipped => quote!(::core::default::Default::default()),
            Kind::Transient(again) => quote!(#again),
        };
        if !again {
            fields.push(quote!(#field: #value));
            continue;
        }
        let local = match name.starts_with(char::is_numeric) {
            true => m.bound.to_token_stream(),
            false => field.clone(),
        };
        let own = &m.field_ty;
        first.extend(quote!(let #local: #own = #value;));
        fields.push(quote!(#field: #local));
    }
    quote!({ #first ::core::result::Result::Ok(#of { #(#fields),* }) })
}

/// `let mut a = part.load::<A>("a")?; …`, and a struct of the next of each.
fn columns(all: &[Member], title: &TokenStream) -> TokenStream {
    let plain = |m: &Member| {
        matches!(
            (&m.kind, &m.by),
            (Kind::Saved | Kind::Optional(_), SavedBy::Itself)
        )
    };
    if all.is_empty() || !all.iter().all(plain) {
        return TokenStream::new();
    }
    let (names, types): (Vec<_>, Vec<_>) = all.iter().map(|m| (&m.name, &m.ty)).unzip();
    let (fields, bound): (Vec<_>, Vec<_>) = all.iter().map(|m| (&m.field, &m.bound)).unzip();
    let loads = all.iter().map(|m| {
        let (name, ty) = (&m.name, &m.ty);
        match &m.kind {
            Kind::Optional(or) => quote!(pc3_part.load_or::<#ty>(#name, #or)?),
            _ => quote!(pc3_part.load::<#ty>(#name)?),
        }
    });
    quote! {
        const FLAT: bool = #(<#types as ::pc3::Checkpointable>::FLAT)&&*;
        fn load_all(pc3_from: &::pc3::Loading, pc3_values: ::pc3::View) -> ::core::result::Result<::std::vec::Vec<Self>, ::pc3::LoadError> {
            pc3_from.columns(pc3_values, #title, &[#(#names),*], |pc3_part| {
                #(let mut #bound = #loads;)*
                let pc3_one = |_| ::core::result::Result::Ok(Self {
                    #(#fields: ::core::iter::Iterator::next(&mut #bound).ok_or_else(::pc3::missing)?,)*
                });
                ::core::iter::Iterator::collect(::core::iter::Iterator::map(0..pc3_part.count(), pc3_one))
            })
        }
    }
}

fn structure(fields: &Fields, title: &TokenStream) -> Result<Generated> {
    let all = members(fields)?;
    let list = saved(&all);
    let layout = layout(&list);
    let (described, loaded) = (described(&list), loaded(&quote!(Self), &all));
    let names: Vec<_> = list.iter().map(|m| &m.name).collect();
    let parts = list.iter().map(|m| {
        let field = &m.field;
        m.seen(quote!(&self.#field))
    });
    let types = list.iter().map(|m| &m.ty);
    let i = 0..list.len();
    Ok(Generated {
        types: all.iter().map(|m| m.field_ty.clone()).collect(),
        saved: by_themselves(&list).collect(),
        size: quote!(#layout.size),
        align: quote!(#layout.align),
        describe: quote! {
            pc3_types.record::<Self>(::std::string::ToString::to_string(#title), |pc3_types| {
                let pc3_layout = #layout;
                #described
            })
        },
        save: quote! {
            let pc3_layout = #layout;
            #(<#types as ::pc3::Checkpointable>::save(#parts, pc3_out, pc3_at + pc3_layout.offsets[#i] as usize);)*
        },
        load: quote! {
            let pc3_members = pc3_from.members::<Self>(pc3_value, #title)?;
            pc3_members.only(&[#(#names),*])?;
            #loaded
        },
        load_all: columns(&all, title),
    })
}

fn enumeration(e: &syn::DataEnum, title: &TokenStream) -> Result<Generated> {
    let (mut sizes, mut variants, mut saves, mut loads) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut itself = Vec::new();
    for (tag, v) in e.variants.iter().enumerate() {
        let all = members(&v.fields)?;
        let list = saved(&all);
        itself.extend(by_themselves(&list));
        let layout = layout(&list);
        let (name, text, tag) = (&v.ident, v.ident.to_string(), tag as u32);
        let (described, loaded) = (described(&list), loaded(&quote!(Self::#name), &all));
        let (names, bounds): (Vec<_>, Vec<_>) = list.iter().map(|m| (&m.name, &m.bound)).unzip();
        let (fields, types): (Vec<_>, Vec<_>) = list.iter().map(|m| (&m.field, &m.ty)).unzip();
        let seen = list.iter().map(|m| {
            let bound = &m.bound;
            m.seen(quote!(#bound))
        });
        let i = 0..list.len();
        sizes.push(quote!((#layout.size, #layout.align)));
        variants.push(quote! {{
            let pc3_layout = #layout;
            ::pc3::Variant {
                name: ::std::string::ToString::to_string(#text),
                members: #described,
                size: pc3_layout.size,
                align: pc3_layout.align,
            }
        }});
        saves.push(quote! {
            Self::#name { #(#fields: #bounds,)* .. } => {
                pc3_out.put(pc3_at, &u32::to_ne_bytes(#tag));
                let pc3_layout = #layout;
                let pc3_at = pc3_at + <Self as ::pc3::Checkpointable>::ALIGN as usize;
                #(<#types as ::pc3::Checkpointable>::save(#seen, pc3_out, pc3_at + pc3_layout.offsets[#i] as usize);)*
            }
        });
        loads.push(quote! {
            #text => {
                pc3_members.only(&[#(#names),*])?;
                #loaded
            }
        });
    }
    let held = e.variants.iter().flat_map(|v| &v.fields);
    let n = sizes.len();
    let tagged = quote!(::pc3::tagged::<#n>([#(#sizes),*]));
    let none = e.variants.is_empty().then(|| quote!(_ => {}));
    Ok(Generated {
        types: held.map(|f| f.ty.clone()).collect(),
        saved: itself,
        size: quote!(#tagged.0),
        align: quote!(#tagged.1),
        describe: quote! {
            pc3_types.variants::<Self>(::std::string::ToString::to_string(#title), |pc3_types| ::std::vec![#(#variants),*])
        },
        save: quote!(match self { #(#saves)* #none }),
        load_all: TokenStream::new(),
        load: quote! {
            let (pc3_variant, pc3_members) = pc3_from.variant::<Self>(pc3_value, #title)?;
            match pc3_variant {
                #(#loads)*
                pc3_other => ::core::result::Result::Err(::pc3::LoadError::new(
                    ::std::format!("is {}::{pc3_other} in the checkpoint, which does not exist here", #title),
                )),
            }
        },
    })
}
