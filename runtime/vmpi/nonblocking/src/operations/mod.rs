//! What ranks do while a checkpoint is under way, or while one is being replayed.

pub mod births;
pub(crate) mod coll;
pub mod io;
pub(crate) mod late;
pub(crate) mod later;
pub mod outcomes;
pub(crate) mod p2p;
pub(crate) mod remote;
