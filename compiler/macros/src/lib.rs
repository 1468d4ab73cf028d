//! The attributes of the crate `pc3`; what they do is in `pc3-checkpointable` and `pc3-derive`.

use pc3_checkpointable::Wanted;
use proc_macro::TokenStream;

/// An editor shows at a token what it finds at each place where that ends up: it gets the user's code alone.
fn wanted() -> Wanted {
    let of_editor = |name: &str| name.starts_with("rust-analyzer");
    let program = std::env::current_exe().ok();
    let name = program.as_deref().and_then(|p| p.file_name()?.to_str());
    match name.is_some_and(of_editor) {
        _ if cfg!(feature = "plain") => Wanted::Plain,
        true => Wanted::Shown,
        false => Wanted::All,
    }
}

/// Lets a function be left and gone back into at its locations and marked calls.
#[proc_macro_attribute]
pub fn checkpointable(attribute: TokenStream, item: TokenStream) -> TokenStream {
    pc3_checkpointable::attribute(attribute.into(), item.into(), wanted()).into()
}

/// The program's `main`, which may have locations and marked calls.  `#[pc3::main(mpi)]`: each of several ranks executes it;
/// `#[pc3::main(setup = f)]`: `f` is called once in each process, at a start and at a restart.
#[proc_macro_attribute]
pub fn main(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let mpi = cfg!(feature = "mpi");
    pc3_checkpointable::main(attribute.into(), item.into(), wanted(), mpi).into()
}

/// Lets values of a struct, or of an enum without fields, be sent in messages.
#[proc_macro_derive(Equivalence)]
pub fn equivalence(item: TokenStream) -> TokenStream {
    pc3_derive::equivalence(item.into()).into()
}

/// Lets values of a struct or enum be saved.
#[proc_macro_derive(Checkpointable, attributes(pc3))]
pub fn derive(item: TokenStream) -> TokenStream {
    pc3_derive::checkpointable(item.into()).into()
}

/// What is made of `stringify!` where locals have other names than the user gave them.
#[doc(hidden)]
#[proc_macro]
pub fn words(tokens: TokenStream) -> TokenStream {
    pc3_checkpointable::words(tokens.into()).into()
}
