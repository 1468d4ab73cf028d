//! What processes tell each other, decide together, and how they end.

mod control_frames;
mod deciding;
pub mod desk;
pub mod ending;
pub(crate) mod heartbeat;
pub mod joint_actions;
pub mod node;
mod polls;
pub mod total_order;
