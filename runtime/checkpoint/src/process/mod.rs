//! State outside of the program's variables.

pub mod attributes;
pub mod gather;
pub mod interrupts;
pub mod signal_tables;
pub mod spawned;
