//! Numbers that another ABI has otherwise: sizes, widths, values of the C library.

pub mod floats;
pub mod range;
pub mod sizes;
pub mod width;
pub mod words;
