//! Looks at how values lie in memory: order of bytes, offsets, layouts.

pub mod byte_pointers;
pub mod bytes;
pub mod copies;
pub mod in_unions;
pub mod layout;
pub mod network;
pub mod offsets;
pub mod pointer_bytes;
pub mod records;
pub mod sent;
pub mod stored;
