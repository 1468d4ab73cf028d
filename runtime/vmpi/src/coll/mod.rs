//! Collective operations (MPI 3.1 chapter 5).
//!
//! [`parties`] let members wait for one another, [`meeting`] brings the members of a blocking call together, [`rounds`] those of a non-blocking
//! one; [`moves`] moves data, [`reduce`] and [`combine`] combine them.  [`far`] brings in members of other processes, which read
//! long blocks where they are lent ([`zero_copy`]), and small ones are told in one frame ([`inline_collective`]).

pub mod barrier;
mod call;
mod combine;
mod copying;
pub mod inline_collective;
pub mod meeting;
pub mod moves;
mod parties;
pub mod posted;
pub mod reduce;
mod registry;
pub mod remote;
mod remote_exchange;
pub mod rounds;
pub mod side;
pub mod zero_copy;
