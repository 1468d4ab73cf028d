//! Children that the program has forked: the job's checkpoints are their parent's.

use std::sync::OnceLock;

use crate::processes;

/// The process that runs the job.
static PROCESS: OnceLock<i32> = OnceLock::new();

/// This one does.
pub fn note() {
    let _ = PROCESS.set(processes::id());
}

/// In a child that the program has forked?
pub fn forked() -> bool {
    PROCESS.get().is_some_and(|p| *p != processes::id())
}
