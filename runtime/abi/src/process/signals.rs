//! What the program asks and says of signals: those by which the runtime is asked for checkpoints look to it as if
//! nobody had touched them, and are the runtime's again when it gives them up.

use std::ffi::c_int;
use std::ptr::null;

use pc3_os::original;
use pc3_os::signals::{new_action, SA_NODEFER, SA_RESETHAND, SA_RESTART, SIG_DFL, SIG_ERR};
use pc3_os::types::sigaction;

use pc3_checkpoint::process::interrupts;
use pc3_checkpoint::process::signal_tables;
use pc3_control::listening;
use pc3_process::variables;

/// As `set` does, which gives a signal a handler and returns the one before.
unsafe fn install(
    number: c_int,
    handler: usize,
    flags: c_int,
    set: unsafe extern "C" fn(c_int, usize) -> usize,
) -> usize {
    let new = new_action(handler, flags);
    if let Some(old) = signal_tables::action(number, Some(&new)) {
        return old.sa_sigaction;
    }
    let before = interrupts::of(number);
    // SAFETY: by the caller.
    let old = unsafe { set(number, interrupts::stand_in(number, handler)) };
    if old == SIG_ERR {
        return old;
    }
    if handler == SIG_DFL {
        listening::listen_again(number);
    }
    if old == listening::listener() {
        return SIG_DFL;
    }
    interrupts::meant(old, before)
}

/// # Safety
/// As `signal`.
#[no_mangle]
pub unsafe extern "C" fn pc3_signal(number: c_int, handler: usize) -> usize {
    // SAFETY: by the caller.
    unsafe { install(number, handler, SA_RESTART, original::signal) }
}

/// What `signal` means to programs that ask for standard C alone: the handler is called once.
///
/// # Safety
/// As `sysv_signal`.
#[no_mangle]
pub unsafe extern "C" fn pc3_sysv_signal(number: c_int, handler: usize) -> usize {
    let once = SA_RESETHAND | SA_NODEFER;
    // SAFETY: by the caller.
    unsafe { install(number, handler, once, original::sysv_signal) }
}

/// # Safety
/// As `sigset`.
#[no_mangle]
pub unsafe extern "C" fn pc3_sigset(number: c_int, handler: usize) -> usize {
    // SAFETY: by the caller.
    unsafe { install(number, handler, 0, original::sigset) }
}

/// # Safety
/// As `sigaction`.
#[no_mangle]
pub unsafe extern "C" fn pc3_sigaction(
    number: c_int,
    new: *const sigaction,
    old: *mut sigaction,
) -> c_int {
    // SAFETY: by the caller.
    unsafe {
        if let Some(before) = signal_tables::action(number, new.as_ref()) {
            if !old.is_null() {
                *old = before;
            }
            return 0;
        }
        let before = interrupts::of(number);
        let gives_up = !new.is_null() && (*new).sa_sigaction == SIG_DFL;
        let stand_in = new.as_ref().map(|new| {
            let mut new = *new;
            new.sa_sigaction = interrupts::stand_in(number, new.sa_sigaction);
            new
        });
        let new = stand_in.as_ref().map_or(null(), std::ptr::from_ref);
        let done = original::sigaction(number, new, old);
        if done != 0 {
            return done;
        }
        if !old.is_null() {
            (*old).sa_sigaction = interrupts::meant((*old).sa_sigaction, before);
            // The C library's own, set anew with each handler: nothing to keep.
            (*old).sa_restorer = None;
        }
        if gives_up {
            listening::listen_again(number);
        }
        if !old.is_null() && (*old).sa_sigaction == listening::listener() {
            (*old).sa_sigaction = SIG_DFL;
            (*old).sa_flags = 0;
        }
        0
    }
}

/// `siginterrupt`: handlers that `signal` sets later are meant, too.
#[no_mangle]
pub extern "C" fn pc3_siginterrupt(signal: c_int, interrupts: c_int) -> c_int {
    variables::interrupt(signal, interrupts)
}
