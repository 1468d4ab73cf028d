//! Messages and requests.

pub mod buffers;
mod callbacks;
pub mod general;
pub mod p2p;
pub mod partitioned;
pub mod persistent;
pub mod probe;
pub mod request;
pub mod requests;
pub mod status;
