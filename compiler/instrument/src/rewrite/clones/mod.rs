//! The two clones of an instrumented function, as text.

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
