//! What the program asks and says of signals: those by which the runtime is asked for checkpoints look to it as if
//! nobody had touched them, and are the runtime's again when it gives them up.

use std::ffi::c_int;

use crate::control;
use crate::dispositions;

extern "C" {
    fn signal(number: c_int, handler: usize) -> usize;
}

/// # Safety
/// As `signal`.
#[no_mangle]
pub unsafe extern "C" fn pc3_signal(number: c_int, handler: usize) -> usize {
    // SAFETY: a plain structure.
    let mut new: libc::sigaction = unsafe { std::mem::zeroed() };
    new.sa_sigaction = handler;
    new.sa_flags = libc::SA_RESTART;
    if let Some(old) = dispositions::action(number, Some(&new)) {
        return old.sa_sigaction;
    }
    // SAFETY: by the caller.
    let old = unsafe { signal(number, handler) };
    if old == libc::SIG_ERR {
        return old;
    }
    if handler == libc::SIG_DFL {
        control::listen_again(number);
    }
    if old == control::listener() {
        return libc::SIG_DFL;
    }
    old
}

/// # Safety
/// As `sigaction`.
#[no_mangle]
pub unsafe extern "C" fn pc3_sigaction(
    number: c_int,
    new: *const libc::sigaction,
    old: *mut libc::sigaction,
) -> c_int {
    // SAFETY: by the caller.
    unsafe {
        if let Some(before) = dispositions::action(number, new.as_ref()) {
            if !old.is_null() {
                *old = before;
            }
            return 0;
        }
        let gives_up = !new.is_null() && (*new).sa_sigaction == libc::SIG_DFL;
        let done = libc::sigaction(number, new, old);
        if done != 0 {
            return done;
        }
        if gives_up {
            control::listen_again(number);
        }
        if !old.is_null() && (*old).sa_sigaction == control::listener() {
            (*old).sa_sigaction = libc::SIG_DFL;
            (*old).sa_flags = 0;
        }
        0
    }
}
