//! What runs below a signal handler.
//!
//! The frame that a signal interrupts hands nothing over, so no checkpoint is taken at a location that a handler comes to: the
//! next one outside of it takes it.  The handler's own frames lie well above the interrupted ones' on the shadow stack: a
//! compiler may have moved the store of their top behind other work.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pc3_os::signals::{self, Mask, SIG_DFL, SIG_ERR, SIG_IGN};
use pc3_os::types::siginfo_t;
use pc3_typemetric::codes;

use crate::rank::Rank;
use crate::report::{say, warning};
use crate::tls;

pub(crate) const SIGNALS: usize = 65;

/// Signals whose handlers may not run while the stack is taken down and built again; what was blocked before.
static HELD: Mutex<Option<Mask>> = Mutex::new(None);

fn held_set() -> MutexGuard<'static, Option<Mask>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Handlers wait, on this thread: they could jump to frames that are not there.
pub(crate) fn hold() {
    let mut held = held_set();
    if held.is_some() {
        return;
    }
    let handled = (1..SIGNALS).filter(|n| is_function(WANTED[*n].load(SeqCst)));
    let bits = handled.fold(0, |bits, n| bits | 1 << (n - 1));
    if bits != 0 {
        *held = Some(signals::block(&Mask::of(bits)));
    }
}

/// They run again, and now those that have waited.
pub(crate) fn let_go() {
    let before = held_set().take();
    if let Some(before) = before {
        signals::block_only(&before);
    }
}

/// While they wait: what the program has blocked itself.
pub(crate) fn held() -> Option<u64> {
    held_set().as_ref().map(Mask::bits)
}

/// What the program wants called, where the system has [`entered`] in its place.
static WANTED: [AtomicUsize; SIGNALS] = [const { AtomicUsize::new(0) }; SIGNALS];

type Handler = unsafe extern "C-unwind" fn(c_int, *mut siginfo_t, *mut c_void);

fn ours() -> usize {
    entered as Handler as usize
}

fn is_function(handler: usize) -> bool {
    ![SIG_DFL, SIG_IGN, SIG_ERR].contains(&handler)
}

/// What the system is to call for a handler of the program's.
pub(crate) fn stand_in(signal: c_int, handler: usize) -> usize {
    let known = usize::try_from(signal).ok().and_then(|n| WANTED.get(n));
    match known.filter(|_| is_function(handler)) {
        Some(wanted) => {
            wanted.store(handler, SeqCst);
            ours()
        }
        None => handler,
    }
}

/// The program's handler of which the system has the stand-in; `before` a new one was given.
pub(crate) fn meant(handler: usize, before: usize) -> usize {
    match handler == ours() {
        true => before,
        false => handler,
    }
}

/// The program's handler of a signal, if it has one.
pub(crate) fn of(signal: c_int) -> usize {
    let known = usize::try_from(signal).ok().and_then(|n| WANTED.get(n));
    known.map_or(0, |w| w.load(SeqCst))
}

/// What the system calls.  It forwards all that there may be, as the system does whether it was asked for or not.
unsafe extern "C-unwind" fn entered(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let handler = of(signal);
    if !is_function(handler) {
        return;
    }
    // SAFETY: a function that the program has given for this signal; integers and pointers it does not expect do not disturb it.
    let handler: Handler = unsafe { std::mem::transmute(handler) };
    // SAFETY: as above.
    unsafe { below(tls::me().cast(), || handler(signal, info, context)) };
}

/// A handler that runs.
#[derive(Clone, Copy, Debug)]
struct Activation {
    /// The stack where it began.
    base: usize,
    /// The shadow stack's top in what it interrupted.
    sp: usize,
}

const DEEP: usize = 16;

/// A rank's, outermost first.  A signal handler may not allocate; below the deepest that are told apart all count as that one.
#[derive(Debug)]
pub(crate) struct Handlers {
    running: [Activation; DEEP],
    depth: usize,
    /// The program has jumped, perhaps out of one, to where the runtime does not know.
    jumped: bool,
}

impl Default for Handlers {
    fn default() -> Handlers {
        Handlers {
            running: [Activation { base: 0, sp: 0 }; DEEP],
            depth: 0,
            jumped: false,
        }
    }
}

/// Addresses of the stack that the program has for signals.
fn alternate() -> std::ops::Range<usize> {
    let stack = signals::Stack::now().place();
    stack.map_or(0..0, |(base, bytes)| base as usize..base as usize + bytes)
}

impl Handlers {
    /// Does one run that was not left by a jump?  `here`: an address of the frame that asks, or is jumped to.
    fn any(&mut self, here: usize, alternate: &std::ops::Range<usize>) -> bool {
        while self.depth > 0 {
            let base = self.running[self.depth.min(DEEP) - 1].base;
            let runs = match (alternate.contains(&base), alternate.contains(&here)) {
                (true, false) => false,
                (false, true) => true,
                _ => here < base,
            };
            if runs {
                return true;
            }
            self.depth -= 1;
        }
        self.jumped = false;
        false
    }

    /// The program jumps to a frame with this address.
    pub fn jump_to(&mut self, frame: usize) {
        if self.depth > 0 {
            self.any(frame, &alternate());
        }
    }

    /// It jumps to where a function that reaches no location has called setjmp; returns the shadow stack's top to go on with.
    pub fn jump_somewhere(&mut self) -> Option<usize> {
        if self.depth == 0 {
            return None;
        }
        self.jumped = true;
        Some(self.running[0].sp)
    }

    /// Does what asks run below a handler?
    pub fn is_below(&mut self) -> bool {
        let here = &raw const self as usize;
        self.depth > 0 && self.any(here, &alternate())
    }

    /// May no checkpoint be taken here, below a handler?
    pub fn postpone(&mut self) -> bool {
        let runs = self.is_below();
        if runs && std::mem::take(&mut self.jumped) {
            say(&warning(codes::NOT_TAKEN, "no checkpoint here: a signal handler may still run (it was left, if it was, by a jump to a function that reaches no location)"));
        }
        runs
    }
}

/// Calls a handler of the rank's, on whatever stack.
///
/// # Safety
/// `rank` is null or outlives the call; in a signal.
pub(crate) unsafe fn below(rank: *mut Rank, handler: impl FnOnce()) {
    if rank.is_null() {
        handler();
        return;
    }
    // SAFETY: by the caller; the rank's code is interrupted, and finds all as it was.
    unsafe {
        let abi = (*rank).abi;
        let handlers = &raw mut (*rank).handlers;
        let depth = (*handlers).depth;
        let unwinding = tls::unwinding();
        let sp = (abi.sp as usize).max((*rank).shadow.top);
        let free = (abi.sp_end as usize).saturating_sub(sp);
        let base = &raw const abi as usize;
        if depth < DEEP {
            (*handlers).running[depth] = Activation {
                base,
                sp: abi.sp as usize,
            };
        }
        (*handlers).depth = depth + 1;
        (*rank).abi.sp = ((sp + free / 2) & !15) as *mut _;
        (*rank).abi.site = null_mut();
        (*rank).abi.args = null_mut();
        tls::set_unwinding(false);
        handler();
        tls::set_unwinding(unwinding);
        let passages = (*rank).abi.passages;
        (*rank).abi = abi;
        (*rank).abi.passages = passages;
        (*handlers).depth = depth;
        if depth == 0 {
            (*handlers).jumped = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running(bases: &[usize]) -> Handlers {
        let mut handlers = Handlers::default();
        for (i, base) in bases.iter().enumerate() {
            handlers.running[i] = Activation { base: *base, sp: i };
        }
        handlers.depth = bases.len();
        handlers
    }

    #[test]
    fn jumps_leave_handlers() {
        let none = 0..0;
        let mut two = running(&[900, 700]);
        assert!(two.any(600, &none));
        assert_eq!(two.depth, 2);
        assert!(two.any(800, &none));
        assert_eq!(two.depth, 1);
        assert!(!two.any(1000, &none));
        assert_eq!(two.jump_somewhere(), None);
    }

    #[test]
    fn a_stack_of_their_own() {
        let other = 100..200;
        // A handler there, interrupted by one that has no choice but to run there, too.
        assert!(running(&[190, 150]).any(120, &other));
        // Left by a jump to the program's stack.
        assert!(!running(&[190, 150]).any(800, &other));
        // One on the program's stack, and code on the other above it.
        assert!(running(&[700]).any(120, &other));
        // Left within the other stack.
        let mut two = running(&[190, 150]);
        assert!(two.any(160, &other));
        assert_eq!(two.depth, 1);
    }

    #[test]
    fn jumps_to_unknown_places_go_on_with_what_was_interrupted() {
        let mut two = running(&[900, 700]);
        assert_eq!(two.jump_somewhere(), Some(0));
        assert!(two.jumped);
        assert!(!two.any(1000, &(0..0)));
        assert!(!two.jumped);
    }
}
