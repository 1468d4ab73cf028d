//! `#[entry]`: exports a function of MPI under both of its names (MPI 4.1 section 15.2).
//!
//! `PMPI_X` is the function; `MPI_X` is a weak name of it, in the same object file, so that a program's own `MPI_X`
//! takes its place and calls `PMPI_X`.  What the library itself calls is never a program's wrapper.

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

#[proc_macro_attribute]
pub fn entry(_: TokenStream, item: TokenStream) -> TokenStream {
    let mut tokens: Vec<TokenTree> = item.into_iter().collect();
    let is_fn = |t: &TokenTree| matches!(t, TokenTree::Ident(i) if i.to_string() == "fn");
    let name = tokens
        .iter()
        .position(is_fn)
        .and_then(|at| tokens.get(at + 1))
        .map(ToString::to_string);
    let (Some(name), Some(TokenTree::Group(body))) = (name, tokens.pop()) else {
        return error("a function is expected here");
    };
    if !name.starts_with("MPI_") {
        return error("the function's name does not begin with MPI_");
    }
    // Inlined or merged with another, the function would name the alias twice.
    let head = format!(
        "#[export_name = \"P{name}\"] #[inline(never)] #[allow(non_snake_case, unused_unsafe)]"
    );
    let alias = format!(
        "// SAFETY: directives only.
         unsafe {{ ::core::arch::asm!(\".weak {name}\", \".set {name}, P{name}\", options(nomem, nostack, preserves_flags)) }};"
    );
    let (Ok(mut out), Ok(mut inner)) = (head.parse::<TokenStream>(), alias.parse::<TokenStream>())
    else {
        return error("not a name");
    };
    inner.extend(body.stream());
    tokens.push(TokenTree::Group(Group::new(Delimiter::Brace, inner)));
    out.extend(tokens);
    out
}

fn error(what: &str) -> TokenStream {
    format!("compile_error!(\"{what}\");")
        .parse()
        .unwrap_or_default()
}
