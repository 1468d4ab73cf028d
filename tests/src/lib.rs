//! What the end-to-end suites share: architectures, programs, builds, runs, comparisons.
//!
//! The suites expect the tree of `cargo xtask dist` in `target/dist` (or `PC3_ROOT`).

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
