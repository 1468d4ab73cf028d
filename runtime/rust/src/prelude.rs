//! What programs use.

pub use crate::{checkpoint, checkpointable, ck, Checkpointable};
