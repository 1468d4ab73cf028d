//! Collectives of several processes.

pub mod board;
mod climbing;
pub mod frames;
pub(crate) mod hashing;
pub mod outside;
mod slots;
