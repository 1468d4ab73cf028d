//! Saves and restores running C programs: frames, globals, heap and files, one checkpoint per job.
//!
//! `engine` is the interface to whoever runs the ranks; `job` what they share; `rank` one of them.

pub mod control;
pub mod engine;
mod failpoint;
pub mod format;
pub mod frames;
pub mod job;
pub mod rank;
pub mod settings;
pub mod store;
pub mod tls;
pub mod transfer;
