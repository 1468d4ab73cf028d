//! Memory of the C library that a process can make again: the program keeps numbers for it, which mean nothing in
//! another process.

use std::collections::HashMap;
use std::ffi::{c_char, c_void, CStr};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use pc3_control::report::{die, EXIT_FATAL};

#[derive(Debug, Default)]
struct Handles {
    places: HashMap<u64, usize>,
    next: u64,
}

fn kept() -> MutexGuard<'static, Handles> {
    static KEPT: OnceLock<Mutex<Handles>> = OnceLock::new();
    let first = || {
        // No process has another's numbers: the time differs, or the process id.
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |t| t.as_nanos() as u64);
        Mutex::new(Handles {
            next: (now ^ u64::from(std::process::id()) << 40) | 1,
            ..Handles::default()
        })
    };
    let kept = KEPT.get_or_init(first);
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A number for it.
#[no_mangle]
pub extern "C" fn pc3_kept_outside(place: *mut c_void) -> u64 {
    let mut kept = kept();
    let number = kept.next;
    kept.next = number.wrapping_add(2);
    kept.places.insert(number, place as usize);
    number
}

/// Null if it is another process's.
#[no_mangle]
pub extern "C" fn pc3_outside(number: u64) -> *mut c_void {
    kept().places.get(&number).map_or(0, |p| *p) as *mut c_void
}

/// It cannot be made again here.
///
/// # Safety
/// `what` is a terminated string.
#[no_mangle]
pub unsafe extern "C" fn pc3_not_here(what: *const c_char) -> ! {
    // SAFETY: by the caller.
    let what = unsafe { CStr::from_ptr(what) }.to_string_lossy();
    die(
        EXIT_FATAL,
        &format!("the program was restarted with {what}, which cannot be made again here"),
    )
}

#[no_mangle]
pub extern "C" fn pc3_forget_outside(number: u64) {
    kept().places.remove(&number);
}
