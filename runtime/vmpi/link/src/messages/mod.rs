//! Messages between ranks of different processes.
//!
//! * `send`: sending, whole or as an offer; `rendezvous`: offers and their bodies; `offers`: those that nobody takes.
//! * `handle`: what has come, by its kind; `arrive`: to whom a message is; `pulls`: receives that have taken an offer.
//! * `traffic`: what waits or is under way; `credit`: how much may be sent unasked; `counted`: while a checkpoint counts.
//! * `frame_heads`: their heads.

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
