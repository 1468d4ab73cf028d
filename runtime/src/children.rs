//! Processes that the program has started and not yet waited for: a restart has no such children.  The system says which there are;
//! calls are noted only to name them.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{c_char, c_int, c_void, CStr};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use pc3_os::original;
use pc3_os::processes::{children, lives};
use pc3_os::types::pid_t;

use crate::files::{call, pc3_call_at};

/// Those that the process had when it began: whoever has become this program by `exec` had started them.
static FIRST: OnceLock<BTreeSet<i32>> = OnceLock::new();
static STARTED: Mutex<BTreeMap<i32, String>> = Mutex::new(BTreeMap::new());
/// So many calls are noted before those are forgotten whose process is gone.
const MANY: usize = 64;

fn started() -> MutexGuard<'static, BTreeMap<i32, String>> {
    STARTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// To be called before the program runs.
pub(crate) fn note() {
    let _ = FIRST.set(children().unwrap_or_default());
}

/// A child that has not been waited for, with the call that started it.
pub(crate) fn obstacle() -> Option<String> {
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

fn enter(pid: i32, call: String) {
    let mut started = started();
    if started.len() >= MANY {
        started.retain(|pid, _| lives(*pid));
    }
    started.insert(pid, call);
}

/// A function returned the number of a process that it has started.
///
/// # Safety
/// `name` is a terminated string, `place` as for `pc3_call_at`.
#[no_mangle]
pub unsafe extern "C" fn pc3_child(name: *const c_char, place: *const c_char, pid: c_int) -> c_int {
    if pid > 0 {
        pc3_call_at(place);
        // SAFETY: by the caller.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
        enter(pid, call(&name));
    }
    pid
}

type Spawn = unsafe extern "C" fn(
    *mut pid_t,
    *const c_char,
    *const c_void,
    *const c_void,
    *const *mut c_char,
    *const *mut c_char,
) -> c_int;

/// # Safety
/// As `posix_spawn`.
unsafe fn spawned(name: &str, pid: *mut pid_t, spawn: impl Fn(*mut pid_t) -> c_int) -> c_int {
    let mut new = 0;
    let failed = spawn(&raw mut new);
    let made = call(name);
    if failed == 0 {
        enter(new, made);
        if !pid.is_null() {
            // SAFETY: by the caller.
            unsafe { *pid = new };
        }
    }
    failed
}

macro_rules! spawns {
    ($ours:ident, $theirs:ident, $name:literal) => {
        /// # Safety
        /// As the library's function.
        #[no_mangle]
        pub unsafe extern "C" fn $ours(
            pid: *mut pid_t,
            path: *const c_char,
            actions: *const c_void,
            attributes: *const c_void,
            arguments: *const *mut c_char,
            environment: *const *mut c_char,
        ) -> c_int {
            let theirs: Spawn = original::$theirs;
            // SAFETY: by the caller.
            unsafe {
                spawned($name, pid, |new| {
                    theirs(new, path, actions, attributes, arguments, environment)
                })
            }
        }
    };
}

spawns!(pc3_posix_spawn, posix_spawn, "posix_spawn");
spawns!(pc3_posix_spawnp, posix_spawnp, "posix_spawnp");
