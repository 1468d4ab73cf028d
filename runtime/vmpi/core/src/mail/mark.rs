//! What a message tells of its sender while a checkpoint is under way.

use std::cell::Cell;

use pc3_protocol::{Name, Stamp};

pub struct Mark {
    /// World rank, or the protocol's word for all from before the line.
    pub from: u32,
    pub stamp: Stamp,
    pub name: Option<Name>,
    /// It is not part of its receiver's local checkpoint: it will be sent again.
    pub left_out: bool,
    /// A probe has shown it to a receiver in front of the line behind which it was sent.
    pub seen: Cell<bool>,
    /// It is part of its receiver's local checkpoint, though it was sent behind the line: its sender's has nothing of it.
    pub early: bool,
}
