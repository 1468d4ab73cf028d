//! Frames of collectives whose members are in several processes.  What these mean is known to `pc3_vmpi_coll::remote`.
//!
//! * `outside`: what collectives ask for; `frames`: what is in one; `climbing`: those of non-blocking calls, along the tree.
//! * `board`, `slots`: where what comes waits, of any length and of few words; `hashing`: maps for that.

pub mod board;
mod climbing;
pub mod frames;
pub(crate) mod hashing;
pub mod outside;
mod slots;
