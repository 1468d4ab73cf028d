//! Which functions call which, and which of them can reach a checkpoint location.

pub mod callgraph;
pub mod groups;
pub mod pointers;
pub mod quiet;
pub mod signatures;
