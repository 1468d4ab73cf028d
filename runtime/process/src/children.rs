//! Processes that the program has started and not yet waited for: a restart has no such children.  The system says which there are;
//! calls are noted only to name them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use pc3_os::processes::{children, lives};

/// Those that the process had when it began: whoever has become this program by `exec` had started them.
static FIRST: OnceLock<BTreeSet<i32>> = OnceLock::new();
static STARTED: Mutex<BTreeMap<i32, String>> = Mutex::new(BTreeMap::new());
/// So many calls are noted before those are forgotten whose process is gone.
const MANY: usize = 64;

fn started() -> MutexGuard<'static, BTreeMap<i32, String>> {
    STARTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// To be called before the program runs.
pub fn note() {
    let _ = FIRST.set(children().unwrap_or_default());
}

/// A child that has not been waited for, with the call that started it.
pub fn obstacle() -> Option<String> {
    let first = FIRST.get()?;
    let started = started();
    let of = match children() {
        Some(all) => *all.difference(first).next()?,
        None => *started.keys().find(|pid| lives(**pid))?,
    };
    let by = started.get(&of);
    let by = by.map_or(String::new(), |call| format!(" (made by {call})"));
    Some(format!(
        "process {of} is a child of the program{by}, which has not waited for it"
    ))
}

/// One has been started, by this call.
pub fn enter(pid: i32, call: String) {
    let mut started = started();
    if started.len() >= MANY {
        started.retain(|pid, _| lives(*pid));
    }
    started.insert(pid, call);
}
