//! The calling rank's timers, where it has others beside it.

use std::ffi::{c_int, c_uint};

use pc3_os::clocks::interval;
use pc3_os::original;
use pc3_os::types::{itimerval, timeval};

use pc3_checkpoint::process::signal_tables::{apart, left, start};

#[no_mangle]
pub extern "C" fn pc3_alarm(seconds: c_uint) -> c_uint {
    let Some(rank) = apart() else {
        // SAFETY: a plain call.
        return unsafe { original::alarm(seconds) };
    };
    let (before, _) = left(rank, 0);
    let _ = start(rank, 0, (u64::from(seconds) * 1_000_000, 0));
    // As the C library rounds.
    match before {
        0 => 0,
        n => ((n + 500_000) / 1_000_000).max(1) as c_uint,
    }
}

/// # Safety
/// As `getitimer`.
#[no_mangle]
pub unsafe extern "C" fn pc3_getitimer(which: c_int, into: *mut itimerval) -> c_int {
    // SAFETY: by the caller.
    unsafe {
        match apart().filter(|_| (0..3).contains(&which)) {
            Some(rank) => {
                *into = interval(left(rank, which as usize));
                0
            }
            None => original::getitimer(which, into),
        }
    }
}

/// # Safety
/// As `setitimer`.
#[no_mangle]
#[allow(clippy::unnecessary_cast)] // the fields' types depend on the ABI
pub unsafe extern "C" fn pc3_setitimer(
    which: c_int,
    new: *const itimerval,
    old: *mut itimerval,
) -> c_int {
    // SAFETY: by the caller.
    unsafe {
        let fits = |t: &timeval| (0..1_000_000).contains(&(t.tv_usec as i64)) && t.tv_sec >= 0;
        let valid = (0..3).contains(&which)
            && new
                .as_ref()
                .is_some_and(|n| fits(&n.it_value) && fits(&n.it_interval));
        let Some(rank) = apart().filter(|_| valid) else {
            return original::setitimer(which, new, old);
        };
        let which = which as usize;
        if !old.is_null() {
            *old = interval(left(rank, which));
        }
        let micros = |t: &timeval| t.tv_sec as u64 * 1_000_000 + t.tv_usec as u64;
        let times = (micros(&(*new).it_value), micros(&(*new).it_interval));
        match start(rank, which, times) {
            Ok(()) => 0,
            Err(_) => -1,
        }
    }
}
