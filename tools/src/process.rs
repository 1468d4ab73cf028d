//! What /proc tells of a process.

use std::fs;

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
