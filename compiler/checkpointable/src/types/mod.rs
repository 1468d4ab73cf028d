//! Derives: how values of structs and enums are saved and sent.

pub(crate) mod derive;
pub(crate) mod equivalence;
pub(crate) mod unsaved;
