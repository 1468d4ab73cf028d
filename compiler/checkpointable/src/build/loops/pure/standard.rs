//! Functions and methods of the standard library that do nothing but give a value.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Expr;

use crate::names::NUMBERS;

/// Is there such a method of numbers, texts, lists, maps, `Option` …, or of a trait in the prelude?
pub(super) fn is_method(name: &str) -> bool {
    const NAMES: &str = include_str!("methods.txt");
    NAMES.split_whitespace().any(|n| n == name)
}

/// Is it such a function?
pub(super) fn is_known(p: &syn::ExprPath) -> bool {
    const TYPES: &[&str] = &[
        "String", "str", "Vec", "Option", "Box", "Rc", "Arc", "Some", "Ok",
    ];
    const APART: &[&str] = &[
        "cell", "env", "fs", "io", "net", "process", "sync", "thread", "time",
    ];
    let mut words = p.path.segments.iter().map(|s| s.ident.to_string());
    let first = words.next().unwrap_or_default();
    let standard = ["std", "core", "alloc"].contains(&&*first);
    let of_type = TYPES.contains(&&*first) || NUMBERS.contains(&&*first);
    match p.path.segments.len() > 1 {
        // A trait of the program's may have given the type another one.
        true if of_type => words.last().is_some_and(|name| is_method(&name)),
        true => standard && !words.any(|w| APART.contains(&&*w)),
        false => false,
    }
}

/// Asks whether a type in front of a function is the standard library's, and no other of its name.
pub(super) fn ask_type(function: &Expr) -> TokenStream {
    let Expr::Path(p) = function else {
        return TokenStream::new();
    };
    let Some(first) = p.path.segments.first().map(|s| &s.ident) else {
        return TokenStream::new();
    };
    let known = match first.to_string().as_str() {
        "String" => quote!(string::String),
        "Vec" => quote!(vec::Vec<u8>),
        "Option" => quote!(option::Option<u8>),
        "Box" => quote!(boxed::Box<u8>),
        "Rc" => quote!(rc::Rc<u8>),
        "Arc" => quote!(sync::Arc<u8>),
        _ => return TokenStream::new(),
    };
    let (of, at) = (
        (first != "String").then(|| quote!(<u8>)),
        first.span().resolved_at(Span::call_site()),
    );
    quote_spanned!(at=> { fn the_same(v: #first #of) -> ::std::#known { v } })
}
