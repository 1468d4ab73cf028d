//! Calls of the runtime that are put into the program.

pub(crate) mod library;
pub(crate) mod out_of_bounds;
pub(crate) mod suballocation;
pub(crate) mod union_tracking;
