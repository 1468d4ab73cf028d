//! How values of the standard library's types are held in checkpoints.

#[cfg(feature = "ndarray")]
mod arrays;
mod cells;
mod containers;
#[cfg(any(feature = "num-complex", feature = "indexmap", feature = "smallvec"))]
mod crates;
mod groups;
mod maps;
mod numbers;
mod ranges;
mod shared;
mod text;

pub use groups::tagged;
