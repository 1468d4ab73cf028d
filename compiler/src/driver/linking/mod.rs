//! From objects and archives to a program.

pub mod clashes;
pub mod gaps;
pub mod inputs;
pub mod job;
pub mod link;
pub mod plain;
pub mod program;
pub mod recompile;
pub mod removed;
pub mod split;
pub mod substitute;
pub mod teams;
pub mod trace;
