//! What messages are made of, by the names that rsmpi has for it.

pub use super::buffer::{Buffer, BufferMut, View, ViewMut, ViewMut as MutView};
pub use super::Equivalence;
