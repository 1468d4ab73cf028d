//! Behind a restart the program goes back down into the functions that it was in.  Where its stack is smaller than it was, a deep
//! recursion ends in a fault: that is told, and not left to the system.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, PoisonError};

use pc3_os::signals::{self, new_action, Handler, Stack, SA_ONSTACK, SA_SIGINFO, SIGSEGV, SIG_DFL};
use pc3_os::types::{sigaction, siginfo_t};
use pc3_os::{files, processes};
use pc3_typemetric::codes;

use pc3_control::report::{error, EXIT_REFUSED};

/// What there was before.
struct Before {
    action: sigaction,
    stack: Stack,
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

extern "C" fn on_fault(_: c_int, info: *mut siginfo_t, _: *mut c_void) {
    // SAFETY: what the system gives a handler.
    let depth = unsafe { TOP.load(SeqCst).wrapping_sub((*info).si_addr() as usize) };
    if depth > DEEPEST {
        // It comes again.
        signals::by_default(SIGSEGV);
        return;
    }
    let line = format!("pc3: {}\n", error(codes::NO_MEMORY, MESSAGE));
    // Nothing of the program runs any more; both may be called in a handler.
    files::write(files::STDERR_FILENO, line.as_bytes());
    processes::end_now(EXIT_REFUSED)
}

/// From here on, on a stack of its own.
pub fn watch() {
    let mut own = vec![0; 64 << 10];
    TOP.store(&raw const own as usize, SeqCst);
    let new = Stack::new(own.as_mut_ptr(), own.len());
    let fault = new_action(on_fault as Handler as usize, SA_ONSTACK | SA_SIGINFO);
    // SAFETY: memory that is kept until the stack is given back; the handler ends the process, or lets the fault do that.
    unsafe {
        let Ok(stack) = new.enter() else { return };
        let before = signals::set_action(SIGSEGV, &fault);
        let action = before.unwrap_or_else(|_| new_action(SIG_DFL, 0));
        let before = Before { action, stack, own };
        *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = Some(before);
    }
}

/// All functions are back.
pub fn ends() {
    let mut before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(before) = before.take() {
        // SAFETY: what these calls have given.
        unsafe {
            let _ = signals::set_action(SIGSEGV, &before.action);
            let _ = before.stack.enter();
        }
        drop(before.own);
    }
}
