//! Collective operations (MPI 3.1 chapter 5) on intra-communicators.
//!
//! [`meeting`] brings the members together, [`moves`] moves data, [`reduce`] combines them.

pub mod barrier;
pub mod meeting;
pub mod moves;
pub mod reduce;
