//! Locations, frames and what happens around them.

pub mod callbacks;
pub mod descent;
mod entry;
pub mod exits;
pub mod footing;
mod jumps;
mod va_list;
