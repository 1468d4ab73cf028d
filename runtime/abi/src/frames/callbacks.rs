//! Callbacks around checkpoints, and what of the program is to be passed by: critical sections (`<pc3.h>`), functions.

use std::ffi::{c_int, c_void};

use pc3_typemetric::descriptor::{PC3_EVENT_RECOMPUTE, PC3_EVENT_RESTART};

use pc3_state::rank::Rank;
use pc3_state::stack::callbacks::{Callback, Function, RESTART};

/// Calls the program's own functions for `event`, in the order of its units, then the rank's callbacks in the order of their
/// registration.  At a restart, what computes unsaved variables comes before all.
///
/// # Safety
/// `rank` is the calling thread's rank; no reference to it is in use.
pub unsafe fn run(rank: *mut Rank, event: c_int) {
    // SAFETY: by the caller.
    unsafe { (*rank).aside += 1 };
    // SAFETY: by the caller; the rank keeps its job alive.
    let around = unsafe {
        (*std::ptr::from_ref(&**(*rank).job()))
            .program
            .around
            .clone()
    };
    let phases: &[u32] = if event == RESTART {
        &[PC3_EVENT_RECOMPUTE, PC3_EVENT_RESTART]
    } else {
        &[event as u32]
    };
    for phase in phases {
        for &(_, function) in around.iter().filter(|(events, _)| events & phase != 0) {
            // SAFETY: pc3cc has seen that it is a function without parameters.
            unsafe { std::mem::transmute::<usize, unsafe extern "C" fn()>(function)() };
        }
    }
    // Callbacks may register further ones, so the list is read anew each time.
    let mut i = 0;
    loop {
        // SAFETY: by the caller.
        let list = unsafe { &(*rank).callbacks };
        let next = list.get(i).copied();
        let Some(callback) = next else { break };
        if callback.events & event != 0 {
            // SAFETY: the program vouches for its functions.
            unsafe { (callback.function)(event, callback.context) };
        }
        i += 1;
    }
    // SAFETY: by the caller.
    unsafe { (*rank).aside -= 1 };
}

/// `pc3_on`.
///
/// # Safety
/// Called by user code.
#[no_mangle]
pub unsafe extern "C" fn pc3_on(events: c_int, function: Option<Function>, context: *mut c_void) {
    // SAFETY: an entry point.
    if let (Some(rank), Some(function)) = (unsafe { Rank::current() }, function) {
        rank.callbacks.push(Callback {
            events,
            function,
            context,
        });
    }
}

/// `pc3_critical_begin`.
#[no_mangle]
pub extern "C" fn pc3_critical_begin() {
    // SAFETY: an entry point.
    if let Some(rank) = unsafe { Rank::current() } {
        rank.critical += 1;
    }
}

/// `pc3_critical_end`.
#[no_mangle]
pub extern "C" fn pc3_critical_end() {
    // SAFETY: an entry point.
    if let Some(rank) = unsafe { Rank::current() } {
        rank.critical = rank.critical.saturating_sub(1);
    }
}

/// A function begins below which locations are passed by; returns what [`pc3_above`] puts back.
///
/// # Safety
/// Called by generated code with an address in the function's frame.
#[no_mangle]
pub unsafe extern "C" fn pc3_below(here: *const c_void) -> usize {
    // SAFETY: an entry point.
    unsafe { Rank::current() }.map_or(0, |rank| rank.begin_below(here.addr()))
}

/// It ends.
///
/// # Safety
/// Called by generated code with where it keeps what [`pc3_below`] returned.
#[no_mangle]
pub unsafe extern "C" fn pc3_above(before: *const usize) {
    // SAFETY: an entry point.
    if let Some(rank) = unsafe { Rank::current() } {
        // SAFETY: by the caller.
        rank.below = unsafe { *before };
    }
}
