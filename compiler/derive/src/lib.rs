//! Derives: how values of structs and enums are saved (`checkpointable`) and sent (`equivalence`); fields that stay `unsaved`.

mod checkpointable;
mod equivalence;
mod unsaved;

use proc_macro2::TokenStream;

/// `#[derive(Equivalence)]`.
pub fn equivalence(item: TokenStream) -> TokenStream {
    equivalence::expand(item).unwrap_or_else(|e| e.to_compile_error())
}

/// `#[derive(Checkpointable)]`.
pub fn checkpointable(item: TokenStream) -> TokenStream {
    checkpointable::expand(item).unwrap_or_else(|e| e.to_compile_error())
}
