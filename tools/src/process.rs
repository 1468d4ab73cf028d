//! What /proc tells of a process.

use std::fs;
use std::path::PathBuf;

use crate::program::is_ours;

/// Does the process catch the signal?  One that does not would be killed by it.
pub(crate) fn listens(pid: i32, signal: i32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|l| l.strip_prefix("SigCgt:"));
    let mask = caught
        .and_then(|m| u64::from_str_radix(m.trim(), 16).ok())
        .unwrap_or(0);
    (1..=64).contains(&signal) && mask >> (signal - 1) & 1 != 0
}

/// A process that only waits for its parent to notice is not.
pub(crate) fn is_alive(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat
        .rsplit(')')
        .next()
        .and_then(|rest| rest.trim_start().chars().next());
    state.is_some_and(|s| s != 'Z' && s != 'X')
}

/// What it has started, and what these have, parents first.
pub(crate) fn descendants(pid: i32) -> Vec<i32> {
    let mut all = vec![pid];
    let mut next = 0;
    while let Some(&parent) = all.get(next) {
        next += 1;
        // Each thread has children of its own.
        let threads = fs::read_dir(format!("/proc/{parent}/task"));
        for thread in threads.into_iter().flatten().flatten() {
            let text = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            let new = text.split_whitespace().filter_map(|w| w.parse().ok());
            all.extend(new.filter(|p| !all.contains(p)).collect::<Vec<i32>>());
        }
    }
    all.remove(0);
    all
}

/// The processes below a launcher that are a pc3 program's.
pub(crate) fn job_below(launcher: i32) -> impl Iterator<Item = i32> {
    let ours = |pid: &i32| is_ours(&PathBuf::from(format!("/proc/{pid}/exe")));
    descendants(launcher).into_iter().filter(ours)
}
