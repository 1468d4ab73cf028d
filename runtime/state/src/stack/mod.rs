//! What a rank has on its stack, or instead of it.

pub mod apart;
pub mod callbacks;
pub mod dispositions;
pub mod exits;
pub mod frames;
pub mod handlers;
pub mod jumps;
pub mod shadow;
pub mod tls;
