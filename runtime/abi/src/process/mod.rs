//! What belongs to the process: files, signals, places, and what stands in the way of a checkpoint.

mod children;
mod environment;
pub mod files;
mod libc_handles;
mod locale;
mod lock_owners;
mod obstacles;
mod outputs;
mod signals;
mod timers;
mod working_directory;
