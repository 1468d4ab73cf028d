//! What the end-to-end suites share: architectures, programs, builds, runs, comparisons.
//!
//! The suites expect the tree of `cargo xtask dist` in `target/dist` (or `PC3_ROOT`).
//!
//! * `arch`, `program`, `build`, `run`: architectures, programs with how they are run, builds, jobs.
//! * `kills`: jobs that are killed at random and go on elsewhere.
//! * `rustgen`, `types`, `torture`, `statements`: random Rust, random types, foreign suites, SQL.
//! * `stale`, `clock`: is what is tested built of these sources, and what cases cost.

pub mod arch;
pub mod build;
pub mod clock;
pub mod kills;
pub mod program;
pub mod run;
pub mod rustgen;
pub mod stale;
pub mod statements;
pub mod torture;
pub mod types;
