//! The attributes of the crate `pc3`; what they do is in `pc3-checkpointable`.

use proc_macro::TokenStream;

/// Lets a function be left and gone back into at its locations and marked calls.
#[proc_macro_attribute]
pub fn checkpointable(attribute: TokenStream, item: TokenStream) -> TokenStream {
    pc3_checkpointable::attribute(attribute.into(), item.into(), cfg!(feature = "plain")).into()
}

/// The program's `main`, which may have locations and marked calls.  `#[pc3::main(mpi)]`: each of several ranks executes it.
#[proc_macro_attribute]
pub fn main(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let features = pc3_checkpointable::Features {
        plain: cfg!(feature = "plain"),
        mpi: cfg!(feature = "mpi"),
    };
    pc3_checkpointable::main(attribute.into(), item.into(), features).into()
}

/// Lets values of a struct, or of an enum without fields, be sent in messages.
#[proc_macro_derive(Equivalence)]
pub fn equivalence(item: TokenStream) -> TokenStream {
    pc3_checkpointable::derive_equivalence(item.into()).into()
}

/// Lets values of a struct or enum be saved.
#[proc_macro_derive(Checkpointable, attributes(pc3))]
pub fn derive(item: TokenStream) -> TokenStream {
    pc3_checkpointable::derive(item.into()).into()
}
