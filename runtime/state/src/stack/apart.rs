//! Threads that the program makes: their locations do nothing, and their locals whose addresses escape lie on a stack of
//! the thread's own, as no checkpoint holds them.

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::ptr::null_mut;

use pc3_os::memory::{self, Backing};
use pc3_typemetric::descriptor::pc3_rank;

use crate::stack::shadow::HEADER;
use crate::stack::tls;
use pc3_control::report::{die, EXIT_FATAL};

/// As large as threads' own stacks are; only what is used takes memory.
const BYTES: usize = 8 << 20;

/// What generated code takes for the rank.
struct Apart {
    abi: pc3_rank,
    delta: isize,
}

impl Drop for Apart {
    fn drop(&mut self) {
        tls::set(null_mut(), self.delta);
        AT.set(null_mut());
        let base = self.abi.sp_end.cast::<u8>().wrapping_sub(BYTES);
        // SAFETY: mapped below; the thread ends.
        unsafe { memory::unmap(base, BYTES) };
    }
}

thread_local! {
    static DELTA: Cell<Option<isize>> = const { Cell::new(None) };
    static OWN: RefCell<Option<Box<Apart>>> = const { RefCell::new(None) };
    static AT: Cell<*mut pc3_rank> = const { Cell::new(null_mut()) };
}

/// The calling thread is one of the program's, which begins; `delta`: to its rank's globals.
pub fn begins(delta: isize) {
    DELTA.set(Some(delta));
}

/// Room for `bytes` on the thread's own stack, which begins with that; None: it is no thread of the program's.
pub fn stack(bytes: usize) -> Option<*mut c_void> {
    let delta = DELTA.get()?;
    let full = !AT.get().is_null() || bytes > BYTES;
    let mapped = || memory::map(BYTES, Backing::AsTouched).ok();
    let Some(base) = (!full).then(mapped).flatten() else {
        die(
            EXIT_FATAL,
            &format!("the stack of locals whose address escapes, of a thread that the program made, is full ({BYTES} bytes)"),
        );
    };
    let mut own = Box::new(Apart {
        abi: pc3_rank {
            apart: 1,
            ..pc3_rank::new(base.cast(), base.wrapping_add(BYTES).cast())
        },
        delta,
    });
    let at = &raw mut own.abi;
    OWN.with_borrow_mut(|slot| *slot = Some(own));
    AT.set(at);
    tls::set(at, delta);
    Some(base.cast())
}

/// A block of run-time size there, behind `from`.
pub fn block(from: usize, bytes: usize) -> Option<*mut c_void> {
    const ALIGN: usize = 16;
    let from = match AT.get().is_null() {
        true => stack(0)?.addr(),
        false => from,
    };
    let at = AT.get();
    let base = from.next_multiple_of(ALIGN) + HEADER;
    let top = base.saturating_add(bytes).saturating_add(1);
    let top = top.checked_next_multiple_of(ALIGN).unwrap_or(usize::MAX);
    // SAFETY: the thread's own, of which nobody else holds a reference.
    let end = unsafe { (*at).sp_end.addr() };
    if top > end {
        return stack(bytes);
    }
    let base = base as *mut usize;
    // SAFETY: within the thread's own stack.
    unsafe {
        base.sub(1).write(from);
        (*at).sp = top as *mut _;
    }
    Some(base.cast())
}
