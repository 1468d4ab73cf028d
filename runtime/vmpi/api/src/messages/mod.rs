//! Messages and requests.

mod callbacks;
pub mod general;
pub mod p2p;
pub mod persistent;
pub mod probe;
pub mod request;
pub mod requests;
pub mod status;
