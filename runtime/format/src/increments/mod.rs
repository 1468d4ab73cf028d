//! Format version 3: a checkpoint of which only what has changed is written.
//!
//! A rank's data is cut into chunks.  The checkpoint's file has a [`table`] of them, and they lie in [`pack`]s: in that of this
//! checkpoint if they are new, else in those of earlier ones.  [`chunker`] finds what is new; [`codec`] compresses it;
//! [`load`] puts a rank's data together again, and [`named`] says what of it is lost.  Every table lists every chunk, so no
//! checkpoint needs another one's table.

pub mod chunker;
pub mod codec;
pub(crate) mod load;
pub(crate) mod named;
pub mod pack;
pub mod table;
#[cfg(test)]
mod tests;
