//! What a program has of its process beside memory, as components: nothing here knows of ranks.
//!
//! * `files`: streams and descriptors; how they stand at a checkpoint, and opening them again.
//! * `locale`, `working_directory`: each rank's own, where several share a process.
//! * `arguments`, `environment`, `variables`, `limits`: what the process was started with, and what
//!   has changed since.
//! * `obstacles`, `children`: what no checkpoint can hold, by the calls that made it.
//! * `lock_owners`: who holds a mutex; `shared_objects`: where libraries lie.

pub mod arguments;
pub mod children;
pub mod environment;
pub mod files;
pub mod limits;
pub mod locale;
pub mod lock_owners;
pub mod obstacles;
pub mod shared_objects;
pub mod variables;
pub mod working_directory;
