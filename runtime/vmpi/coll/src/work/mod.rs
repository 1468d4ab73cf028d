//! The work of collectives: what is done once the calls of all members are known.
//!
//! * `moves`, `reduce`: the two kinds of calls, which move data or combine them; `barrier`: those that do neither.
//! * `moving`, `copying`: how data are moved; `reducing`, `combine`: how they are combined; `subtrees`: in which order.
//! * `shapes`, `side`: who deals with whom, and in which blocks; `process_contribution`: what a process's members give together.

pub mod barrier;
pub(crate) mod combine;
mod copying;
pub mod moves;
mod moving;
pub mod process_contribution;
pub mod reduce;
mod reducing;
pub mod shapes;
pub mod side;
pub(crate) mod subtrees;
