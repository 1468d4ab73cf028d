//! What processes tell each other, decide together, and how they end.

mod deciding;
pub mod desk;
pub mod ending;
pub(crate) mod heartbeat;
pub mod node;
mod polls;
pub mod together;
pub mod total_order;
mod words;
