//! Collectives of several processes.

pub mod board;
mod climbing;
pub(crate) mod hashing;
pub mod outside;
mod slots;
