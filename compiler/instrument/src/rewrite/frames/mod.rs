//! What a function saves at its points, and how.

pub(crate) mod arguments;
pub(crate) mod copied_arguments;
pub(crate) mod frame;
pub(crate) mod jumps;
pub(crate) mod plan;
pub(crate) mod savers;
pub(crate) mod variables;
