//! Messages between ranks of different processes.

pub mod arrive;
pub mod counted;
pub(crate) mod credit;
pub mod frame_heads;
pub mod handle;
pub mod offers;
pub mod pulls;
pub mod rendezvous;
pub mod send;
pub mod traffic;
