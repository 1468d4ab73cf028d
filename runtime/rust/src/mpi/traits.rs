//! What is used by name.

pub use super::buffer::{Buffer, BufferMut};
pub use super::collective::{CommunicatorCollectives, Root};
pub use super::communicator::Communicator;
pub use super::immediate::root::ImmediateRoot;
pub use super::immediate::ImmediateCollectives;
pub use super::persistent::{PersistentDestination, PersistentSource};
pub use super::point_to_point::{Destination, Source};
pub use super::Equivalence;
