//! The work of collectives.

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
