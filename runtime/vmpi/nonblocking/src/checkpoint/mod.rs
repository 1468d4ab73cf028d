//! Local checkpoints: taken, written, and gone on from.

pub(crate) mod commit;
pub mod local;
pub mod recover;
pub(crate) mod waiting;
