//! Macros that show their arguments as these are written: locals that have other names now are shown under the user's.
//!
//! ```text
//! assert!(x_2 > 3)     →   assert!(x_2 > 3, "assertion failed: {}", "x > 3")
//! dbg!(x_2)            →   ::pc3::point::dbg!("x", x_2)
//! shown!(x_2)          →   as it is, where `stringify!` means `::pc3::point::words!(x_2 x; …)`
//! ```

use std::collections::HashMap;

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{quote, ToTokens};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{parse_quote_spanned, Expr, Macro, Token};

use crate::marks;
use crate::names::ident;

type List = Punctuated<Expr, Token![,]>;

/// The arguments of a well-known macro, as they are now and as they were.
pub fn arguments(mac: &mut Macro, now: &List, were: &List) -> TokenStream {
    let text = |e: &Expr| e.to_token_stream().to_string();
    let name = marks::name(mac);
    let same = now.iter().zip(were).all(|(a, b)| text(a) == text(b));
    match name.as_str() {
        _ if same => quote!(#now),
        "assert" | "debug_assert" if now.len() == 1 => {
            let (now, were) = (now.first(), were.first().map(text));
            quote!(#now, "assertion failed: {}", #were)
        }
        "dbg" => {
            mac.path = parse_quote_spanned!(mac.path.span()=> ::pc3::point::dbg);
            let both = now.iter().zip(were);
            let both = both.map(|(now, were)| {
                let were = text(were);
                quote!(#were, #now)
            });
            quote!(#(#both),*)
        }
        _ => quote!(#now),
    }
}

/// What `stringify!` means in a function whose locals, which are given with the user's names, are arguments of other macros.
pub fn stringify(renamed: &HashMap<String, String>) -> TokenStream {
    let raw = |name: &str| ident(name, proc_macro2::Span::call_site());
    let mut pairs: Vec<_> = renamed.iter().collect();
    pairs.sort();
    let pairs = pairs.iter().map(|(new, own)| {
        let (new, own) = (raw(new), raw(own));
        quote!(#new #own)
    });
    quote! {
        macro_rules! stringify {
            ($($pc3_t:tt)*) => { ::pc3::point::words!(#(#pairs)*; $($pc3_t)*) };
        }
    }
}

/// `words!(x_2 x …; tokens)`: the tokens as a text, with the user's names.
pub fn words(tokens: TokenStream) -> TokenStream {
    let mut tokens = tokens.into_iter();
    let names: Vec<TokenTree> = tokens
        .by_ref()
        .take_while(|t| !matches!(t, TokenTree::Punct(p) if p.as_char() == ';'))
        .collect();
    let names = names.chunks(2).filter_map(|pair| match pair {
        [TokenTree::Ident(new), TokenTree::Ident(own)] => Some((new.to_string(), own.clone())),
        _ => None,
    });
    let written = named(tokens.collect(), &names.collect());
    quote!(::core::stringify!(#written))
}

fn named(tokens: TokenStream, names: &HashMap<String, Ident>) -> TokenStream {
    let one = |t: TokenTree| match t {
        TokenTree::Ident(i) => match names.get(&i.to_string()) {
            Some(own) => {
                let mut own = own.clone();
                own.set_span(i.span());
                TokenTree::Ident(own)
            }
            None => TokenTree::Ident(i),
        },
        TokenTree::Group(g) => {
            let mut group = Group::new(g.delimiter(), named(g.stream(), names));
            group.set_span(g.span());
            TokenTree::Group(group)
        }
        t => t,
    };
    tokens.into_iter().map(one).collect()
}
