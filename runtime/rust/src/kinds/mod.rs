//! How values of the standard library's types are held in checkpoints.

mod cells;
mod containers;
mod groups;
mod maps;
mod numbers;
mod ranges;
mod shared;
mod text;

pub use groups::tagged;
