//! What a function saves at its points, and how.
//!
//! * `plan`: what each point saves, decided before anything is printed; `variables`: where a variable is kept.
//! * `frame`: the text that saves and restores it; `savers`: the records and functions that points share.
//! * `arguments`, `copied_arguments`: variable arguments; `jumps`: calls of `setjmp`.

pub(crate) mod arguments;
pub(crate) mod copied_arguments;
pub(crate) mod frame;
pub(crate) mod jumps;
pub(crate) mod plan;
pub(crate) mod savers;
pub(crate) mod variables;
