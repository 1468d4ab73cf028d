//! The job, its processes and clocks.

pub mod clocks;
pub mod env;
pub mod port;
pub mod session;
pub mod spawn;
pub mod tool;
