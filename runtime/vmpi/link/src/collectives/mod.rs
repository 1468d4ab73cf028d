//! Collectives of several processes.

pub mod board;
pub(crate) mod hashing;
pub mod outside;
mod slots;
