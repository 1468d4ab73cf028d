//! The two clones of an instrumented function, as text.
//!
//! * `printer`: prints statements and expressions; `edits` puts what is printed in the place of the user's text.
//! * `range`, `labels`: ways to points in the clone that resumes; `function_copies`: copies of functions that it calls.
//! * `decl`, `ctypes`, `hoist`, `packing`: declarations and types, also those that move in front of the function.
//! * `vla`, `literals`, `objects`, `scalar_promotion`: variables, texts and objects that are printed otherwise.
//! * `witnesses`: marks that code has run.

pub(crate) mod ctypes;
pub(crate) mod decl;
pub(crate) mod edits;
pub(crate) mod function_copies;
pub(crate) mod hoist;
pub(crate) mod labels;
pub(crate) mod literals;
pub(crate) mod objects;
pub(crate) mod packing;
pub(crate) mod printer;
pub(crate) mod range;
pub(crate) mod scalar_promotion;
pub(crate) mod vla;
pub(crate) mod witnesses;
