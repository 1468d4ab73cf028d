//! Datatypes in a checkpoint: as the constructor calls that made them.

pub mod log;
pub mod rebuilt;
pub mod values;
pub mod written;
