//! How values of the standard library's types are held in checkpoints.

#[cfg(feature = "ndarray")]
mod arrays;
mod cells;
mod containers;
mod crates;
mod groups;
mod maps;
mod numbers;
mod ranges;
#[cfg(feature = "serde")]
mod serde;
mod shared;
mod text;

pub use groups::tagged;
#[cfg(feature = "serde")]
pub use serde::Serde;
