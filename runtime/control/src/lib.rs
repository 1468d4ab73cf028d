//! What a job is told, decides, says and keeps; nothing here knows of ranks.
//!
//! * `settings` reads `PC3_*`, `inherited` takes them out of the environment; `placement` and
//!   `partition`: which process and worker has a rank; `peers`: the other processes.
//! * `control`: when a checkpoint is wanted. Everything meets in `pc3_flag`.
//! * `listening`: to signals that ask for one, or end the process.
//! * `report`: messages and exit statuses.
//! * `store`: the directory of checkpoints: names, commit, lock, which are given up.
//! * `failpoint`: places where tests make a program die.

pub mod control;
pub mod failpoint;
pub mod inherited;
pub mod listening;
pub mod partition;
pub mod peers;
pub mod placement;
pub mod report;
pub mod settings;
pub mod store;
