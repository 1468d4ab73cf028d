//! Behind a restart the program goes back down into the functions that it was in.  Where its stack is smaller than it was, a deep
//! recursion ends in a fault: that is told, and not left to the system.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, PoisonError};

use pc3_typemetric::codes;

use crate::report::{error, EXIT_REFUSED};

/// What there was before.
struct Before {
    action: libc::sigaction,
    stack: libc::stack_t,
    own: Vec<u8>,
}

// SAFETY: plain values, which the thread gives back that has set them.
unsafe impl Send for Before {}

static BEFORE: Mutex<Option<Before>> = Mutex::new(None);

const MESSAGE: &str = "the program's stack is too small to go back to where it was: give it more (ulimit -s unlimited; under \
    qemu QEMU_STACK_SIZE=512M)";

/// The stack where it begins.
static TOP: AtomicUsize = AtomicUsize::new(0);
/// So far below that a fault is one of the stack.
const DEEPEST: usize = 1 << 30;

extern "C" fn on_fault(_: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    // SAFETY: what the system gives a handler.
    let depth = unsafe { TOP.load(SeqCst).wrapping_sub((*info).si_addr() as usize) };
    if depth > DEEPEST {
        // It comes again.
        // SAFETY: may be called in a handler.
        unsafe { libc::signal(libc::SIGSEGV, libc::SIG_DFL) };
        return;
    }
    let line = format!("pc3: {}\n", error(codes::NO_MEMORY, MESSAGE));
    // SAFETY: nothing of the program runs any more; what is called may be called in a handler.
    unsafe {
        libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), line.len());
        libc::_exit(EXIT_REFUSED)
    }
}

/// From here on, on a stack of its own.
pub(crate) fn watch() {
    let mut own = vec![0; 64 << 10];
    TOP.store(&raw const own as usize, SeqCst);
    // SAFETY: initialised structures, and memory that is kept until the stack is given back.
    unsafe {
        let new = libc::stack_t {
            ss_sp: own.as_mut_ptr().cast::<c_void>(),
            ss_flags: 0,
            ss_size: own.len(),
        };
        let mut stack: libc::stack_t = std::mem::zeroed();
        let mut action: libc::sigaction = std::mem::zeroed();
        if libc::sigaltstack(&raw const new, &raw mut stack) != 0 {
            return;
        }
        let mut fault: libc::sigaction = std::mem::zeroed();
        fault.sa_sigaction = on_fault as *const () as usize;
        fault.sa_flags = libc::SA_ONSTACK | libc::SA_SIGINFO;
        libc::sigaction(libc::SIGSEGV, &raw const fault, &raw mut action);
        let before = Before { action, stack, own };
        *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = Some(before);
    }
}

/// All functions are back.
pub(crate) fn ends() {
    let mut before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(before) = before.take() {
        // SAFETY: what these calls have given.
        unsafe {
            libc::sigaction(libc::SIGSEGV, &raw const before.action, null_mut());
            libc::sigaltstack(&raw const before.stack, null_mut());
        }
        drop(before.own);
    }
}
