//! Calls that start processes: see [`pc3_process::children`].

use std::ffi::{c_char, c_int, c_void, CStr};

use pc3_os::original;
use pc3_os::types::pid_t;

use pc3_process::children::enter;
use pc3_process::files::{call, call_place};

/// A function returned the number of a process that it has started.
///
/// # Safety
/// `name` is a terminated string, `place` as for `pc3_call_at`.
#[no_mangle]
pub unsafe extern "C" fn pc3_child(name: *const c_char, place: *const c_char, pid: c_int) -> c_int {
    if pid > 0 {
        call_place::at(place);
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
