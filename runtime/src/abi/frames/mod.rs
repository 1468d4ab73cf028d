//! Locations, frames and what happens around them.

pub(crate) mod callbacks;
pub(crate) mod descent;
mod entry;
pub(crate) mod exits;
pub(crate) mod footing;
mod jumps;
mod va_list;
