//! Overflow of a rank's stack is told by name, whether the stack is ours or a thread's.

use std::ffi::{c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::*};
use std::sync::{Mutex, Once, OnceLock};

use crate::lock::lock;
use pc3_os::memory::{self, Backing};
use pc3_os::signals::{self, new_action, Handler, Stack, SA_ONSTACK, SA_SIGINFO, SIGSEGV, SIG_DFL};
use pc3_os::types::{sigaction, siginfo_t};
use pc3_os::{files, threads};
use pc3_runtime::report::{die, EXIT_FATAL};

/// Bytes below a stack whose use is an overflow.
pub(crate) const GUARD: usize = 64 << 10;

/// Reports a rank's stack overflow by name before the program dies of it.  Per thread: handlers
/// cannot run on the stack that overflowed.
pub(crate) fn watch_overflow() {
    static INSTALL: Once = Once::new();
    const ALT: usize = 64 << 10;
    if Stack::now().place().is_none() {
        let Ok(p) = memory::map(ALT, Backing::Promised) else {
            return;
        };
        // SAFETY: it lives as long as the thread.
        let _ = unsafe { Stack::new(p, ALT).enter() };
    }
    INSTALL.call_once(|| {
        // First: a fault may come at once.
        let was = signals::action(SIGSEGV);
        let _ = WAS.set(was.unwrap_or_else(|_| new_action(SIG_DFL, 0)));
        let act = new_action(on_fault as Handler as usize, SA_SIGINFO | SA_ONSTACK);
        // SAFETY: a handler that calls only async-signal-safe functions.
        let _ = unsafe { signals::set_action(SIGSEGV, &act) };
    });
}

/// The same for a rank that is a thread.
pub(crate) fn watch_thread() {
    watch_overflow();
    if let Some((low, _)) = threads::stack() {
        register(low.saturating_sub(GUARD), null_mut());
    }
}

/// What lies below a stack, for the handler: a list that only grows, its entries reused.
pub(crate) struct Guard {
    low: AtomicUsize,
    /// The low end of a stack without a guard; null with one.
    pub(crate) canary: AtomicPtr<Canary>,
    next: *const Guard,
}
// SAFETY: `next` is not changed once others can see the entry.
unsafe impl Sync for Guard {}

static GUARDS: AtomicPtr<Guard> = AtomicPtr::new(null_mut());
static UNUSED: Mutex<Vec<&'static Guard>> = Mutex::new(Vec::new());

/// The words at the low end of a stack, as many as most frames have: what overflows writes a return address or more there.
pub(crate) type Canary = [usize; 512];

/// What they hold as long as it has not.
pub(crate) const WORD: usize = 0xb1d_5eed_f00d_ca9e_u64 as usize;

fn guards() -> impl Iterator<Item = &'static Guard> {
    // SAFETY: entries are leaked, so they live for ever.
    let mut at = unsafe { GUARDS.load(Acquire).as_ref() };
    std::iter::from_fn(move || {
        let g = at?;
        // SAFETY: as above.
        at = unsafe { g.next.as_ref() };
        Some(g)
    })
}

impl Guard {
    /// The stack is about to go.
    #[cfg_attr(not(pc3_coroutines), allow(dead_code))]
    pub fn give_back(&'static self) {
        self.canary.store(null_mut(), Release);
        self.low.store(0, Release);
        lock(&UNUSED).push(self);
    }

    fn is_hit(&self, at: usize) -> bool {
        let low = self.low.load(Acquire);
        let canary = self.canary.load(Acquire);
        // SAFETY: of a stack that is there.
        (low..low + GUARD).contains(&at)
            || (!canary.is_null() && unsafe { &*canary }.iter().any(|w| *w != WORD))
    }
}

/// `canary`: null if the stack has a guard at `low`.
pub(crate) fn register(low: usize, canary: *mut Canary) -> &'static Guard {
    if let Some(g) = lock(&UNUSED).pop() {
        g.low.store(low, Release);
        g.canary.store(canary, Release);
        return g;
    }
    let g = Box::leak(Box::new(Guard {
        low: AtomicUsize::new(low),
        canary: AtomicPtr::new(canary),
        next: null(),
    }));
    let mut head = GUARDS.load(Acquire);
    loop {
        g.next = head;
        match GUARDS.compare_exchange_weak(head, g, AcqRel, Acquire) {
            Ok(_) => return g,
            Err(now) => head = now,
        }
    }
}

/// Ends the program if a stack without a guard was used up.
///
/// # Safety
/// `canary` is null, or that of a stack that is there.
#[cfg_attr(not(pc3_coroutines), allow(dead_code))]
pub(crate) unsafe fn look(canary: *const Canary) {
    // SAFETY: the caller's promise.
    if !canary.is_null() && unsafe { &*canary }.iter().any(|w| *w != WORD) {
        die(EXIT_FATAL, OVERFLOW);
    }
}

/// Who dealt with faults before: a library, such as a native MPI's. What the program installs comes later, and has precedence.
static WAS: OnceLock<sigaction> = OnceLock::new();

const OVERFLOW: &str = "a rank's stack overflowed; set PC3_STACK to a larger size (e.g. 64M)";

extern "C" fn on_fault(_: c_int, info: *mut siginfo_t, _: *mut c_void) {
    // SAFETY: the kernel's own record; `write` and `sigaction` are async-signal-safe.
    unsafe {
        // Sent by somebody, or by the program itself: there is no address, and no access that would be repeated.
        let sent = (*info).si_code <= 0;
        let at = || (*info).si_addr() as usize;
        let ours = !sent && guards().any(|g| g.is_hit(at()));
        if ours {
            for part in ["pc3: ", OVERFLOW, "\n"] {
                files::write(2, part.as_bytes());
            }
        }
        // The access is repeated on return and ends the program, or is dealt with, as it would have been without us.
        let act = new_action(SIG_DFL, 0);
        let next = WAS.get().filter(|_| !ours).unwrap_or(&act);
        let _ = signals::set_action(SIGSEGV, next);
        if sent {
            signals::raise(SIGSEGV);
        }
    }
}
