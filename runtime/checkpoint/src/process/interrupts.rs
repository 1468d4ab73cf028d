//! Handlers of signals: the system calls a stand-in, which has them run [below](pc3_state::stack::handlers) what they interrupt.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pc3_os::signals::{self, Mask, SIG_DFL, SIG_ERR, SIG_IGN};
use pc3_os::types::siginfo_t;

use pc3_state::rank::Rank;
use pc3_state::stack::dispositions::SIGNALS;
use pc3_state::stack::tls;

/// Signals whose handlers may not run while the stack is taken down and built again; what was blocked before.
static HELD: Mutex<Option<Mask>> = Mutex::new(None);

fn held_set() -> MutexGuard<'static, Option<Mask>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Handlers wait, on this thread: they could jump to frames that are not there.
pub fn hold() {
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
pub fn let_go() {
    let before = held_set().take();
    if let Some(before) = before {
        signals::block_only(&before);
    }
}

/// While they wait: what the program has blocked itself.
pub(crate) fn program_mask() -> Option<u64> {
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
pub fn stand_in(signal: c_int, handler: usize) -> usize {
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
pub fn meant(handler: usize, before: usize) -> usize {
    match handler == ours() {
        true => before,
        false => handler,
    }
}

/// The program's handler of a signal, if it has one.
pub fn of(signal: c_int) -> usize {
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

/// Calls a handler of the rank's, on whatever stack.
///
/// # Safety
/// `rank` is null or outlives the call; in a signal.
pub unsafe fn below(rank: *mut Rank, handler: impl FnOnce()) {
    if rank.is_null() {
        handler();
        return;
    }
    // SAFETY: by the caller; the rank's code is interrupted, and finds all as it was.
    unsafe {
        let abi = (*rank).abi;
        let handlers = &raw mut (*rank).handlers;
        let unwinding = tls::unwinding();
        let sp = (abi.sp as usize).max((*rank).shadow.top);
        let free = (abi.sp_end as usize).saturating_sub(sp);
        let base = &raw const abi as usize;
        let depth = (*handlers).begin(base, abi.sp as usize);
        (*rank).abi.sp = ((sp + free / 2) & !15) as *mut _;
        (*rank).abi.site = null_mut();
        (*rank).abi.args = null_mut();
        tls::set_unwinding(false);
        handler();
        tls::set_unwinding(unwinding);
        let passages = (*rank).abi.passages;
        (*rank).abi = abi;
        (*rank).abi.passages = passages;
        (*handlers).end(depth);
    }
}
