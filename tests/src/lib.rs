//! What the end-to-end suites share: architectures, programs, builds, runs, comparisons.
//!
//! The suites expect the tree of `cargo xtask dist` in `target/dist` (or `PC3_ROOT`).
//!
//! * `arch`, `program`, `build`, `run`: architectures, programs with how they are run, builds, jobs.
//! * `kills`: jobs that are killed at random and go on elsewhere.
//! * `rustgen`, `types`, `torture`, `statements`: random Rust, random types, foreign suites, SQL.
//! * `toolchains`: other compilers and C libraries; `dg`: options of compilers' own tests.
//! * `stale`, `clock`: is what is tested built of these sources, and what cases cost.
//!
//! Programs, by folder, and the suites that run them:
//! * `programs`, `moved`, `examples`: `sweep`, `places`, `processes`; their first line says how they are run.
//! * `apart`: the protocol without a barrier (`protocol`, `epochs`). `elsewhere`: refused on another architecture.
//! * `control`: requests and intervals. `faults`: damaged files, full disks. `data`: for one case each.
//! * `diagnostics`: what pc3cc and restarts say. `view`: `pc3 show`. `released`, `samples`: old checkpoints.
//! * `c23`, `types`, `crates`, `rust`, `editor`, `changed`, `projects`: suites of these names.

pub mod arch;
pub mod build;
pub mod clock;
pub mod dg;
pub mod kills;
pub mod program;
pub mod run;
pub mod rustgen;
pub mod stale;
pub mod statements;
pub mod toolchains;
pub mod torture;
pub mod types;
