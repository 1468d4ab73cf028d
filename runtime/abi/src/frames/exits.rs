//! Functions for the program's end: registered with each rank, and run when that rank ends.

use std::ffi::{c_int, c_void};

use pc3_os::original::on_exit;
use pc3_state::rank::Rank;
use pc3_state::stack::exits::{AtExit, Plain, WithStatus};

/// The last registered first; they may register others.
///
/// # Safety
/// `rank` is the calling thread's; no reference to it is in use.
pub unsafe fn run(rank: *mut Rank, status: c_int) {
    // SAFETY: by the caller.
    unsafe { (*rank).ending = true };
    loop {
        // SAFETY: by the caller; the program vouches for its functions.
        unsafe {
            let next = (*rank).exits.pop();
            match next {
                None => break,
                Some(AtExit::Plain(function)) => function(),
                Some(AtExit::WithStatus(function, argument)) => function(status, argument),
            }
        }
    }
    // SAFETY: as above.
    unsafe { destructors(rank) };
}

/// # Safety
/// As [`run`].
unsafe fn destructors(rank: *mut Rank) {
    // SAFETY: by the caller; the program vouches for its functions, which may call `exit`.
    unsafe {
        let job = (*rank).job().clone();
        let list = || job.program.hooks.iter().filter(|h| h.destructor != 0);
        while let Some(hook) = list().nth((*rank).destroyed) {
            (*rank).destroyed += 1;
            if let Some(function) = hook.function {
                function();
            }
        }
    }
}

unsafe extern "C" fn at_end(status: c_int, rank: *mut c_void) {
    // SAFETY: the rank lives as long as the process.
    unsafe { run(rank.cast(), status) };
}

/// Has the C library run a sequential program's when the process ends.
///
/// # Safety
/// The rank lives as long as the process.
pub unsafe fn register(rank: *mut Rank) {
    // SAFETY: registers a function.
    unsafe { on_exit(at_end, rank.cast()) };
}

fn keep(what: AtExit) -> bool {
    // SAFETY: an entry point.
    match unsafe { Rank::current() } {
        Some(rank) => {
            rank.exits.push(what);
            true
        }
        None => false,
    }
}

/// # Safety
/// As `atexit`.
#[no_mangle]
pub unsafe extern "C" fn pc3_atexit(function: Plain) -> c_int {
    if keep(AtExit::Plain(function)) {
        return 0;
    }
    extern "C" fn call(_: c_int, function: *mut c_void) {
        // SAFETY: what was given to atexit.
        let function: Plain = unsafe { std::mem::transmute(function) };
        // SAFETY: the program vouches for it.
        unsafe { function() };
    }
    // Before main, or on a thread of the program's own.
    // SAFETY: registers a function.
    unsafe { on_exit(call, function as *mut c_void) }
}

/// # Safety
/// As `on_exit`.
#[no_mangle]
pub unsafe extern "C" fn pc3_on_exit(function: WithStatus, argument: *mut c_void) -> c_int {
    if keep(AtExit::WithStatus(function, argument)) {
        return 0;
    }
    // SAFETY: by the caller.
    unsafe { on_exit(function, argument) }
}
