//! `#[derive(Equivalence)]`: values of a struct in messages are its fields one after the other, those of an enum without
//! fields are the number of their variant.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{parse_quote, Data, DataEnum, DeriveInput, Fields, Index, Member};

use crate::checkpointable::bind;

type Result<T> = std::result::Result<T, syn::Error>;

pub fn expand(item: TokenStream) -> Result<TokenStream> {
    let mut input: DeriveInput = syn::parse2(item)?;
    bind(&mut input.generics, &parse_quote!(::pc3::mpi::Equivalence));
    let name = &input.ident;
    let (impl_generics, ty_generics, filter) = input.generics.split_for_impl();
    let body = match &input.data {
        Data::Struct(s) if !s.fields.is_empty() => structure(&s.fields),
        Data::Struct(_) => {
            return refuse(&input, "a message of values without fields says nothing")
        }
        Data::Enum(e) => enumeration(&input, e)?,
        Data::Union(_) => {
            return refuse(
                &input,
                "which of a union's members a message would hold is not known",
            )
        }
    };
    Ok(quote! {
        #[automatically_derived]
        impl #impl_generics ::pc3::mpi::Equivalence for #name #ty_generics #filter {
            #body
        }
    })
}

fn refuse<T>(input: &DeriveInput, why: &str) -> Result<T> {
    Err(syn::Error::new_spanned(&input.ident, why))
}

fn structure(fields: &Fields) -> TokenStream {
    let types: Vec<_> = fields.iter().map(|f| &f.ty).collect();
    let members = fields.iter().enumerate().map(|(i, f)| match &f.ident {
        Some(name) => Member::Named(name.clone()),
        None => Member::Unnamed(Index::from(i)),
    });
    let members: Vec<Member> = members.collect();
    quote! {
        const LENGTH: usize = 0 #(+ <#types as ::pc3::mpi::Equivalence>::LENGTH)*;

        fn put(&self, out: &mut ::std::vec::Vec<u8>) {
            #(::pc3::mpi::Equivalence::put(&self.#members, out);)*
        }
        fn get(from: &mut &[u8]) -> ::core::result::Result<Self, ::pc3::mpi::InvalidValue> {
            ::core::result::Result::Ok(Self {
                #(#members: <#types as ::pc3::mpi::Equivalence>::get(from)?,)*
            })
        }
    }
}

fn enumeration(input: &DeriveInput, e: &DataEnum) -> Result<TokenStream> {
    if e.variants.is_empty() {
        return refuse(input, "there are no values that a message could hold");
    }
    if let Some(v) = e.variants.iter().find(|v| !v.fields.is_empty()) {
        return Err(syn::Error::new_spanned(
            v,
            "what messages hold has a fixed length: an enum with fields in its variants has none (send a number that says which, and a \
             struct, in messages of their own)",
        ));
    }
    let text = input.ident.to_string();
    let names: Vec<_> = e.variants.iter().map(|v| &v.ident).collect();
    let numbers: Vec<u32> = (0..names.len() as u32).collect();
    Ok(quote! {
        const LENGTH: usize = 4;

        fn put(&self, out: &mut ::std::vec::Vec<u8>) {
            let number: u32 = match self {
                #(Self::#names {} => #numbers,)*
            };
            ::pc3::mpi::Equivalence::put(&number, out);
        }
        fn get(from: &mut &[u8]) -> ::core::result::Result<Self, ::pc3::mpi::InvalidValue> {
            match <u32 as ::pc3::mpi::Equivalence>::get(from)? {
                #(#numbers => ::core::result::Result::Ok(Self::#names {}),)*
                _ => ::core::result::Result::Err(::pc3::mpi::InvalidValue(#text)),
            }
        }
    })
}
