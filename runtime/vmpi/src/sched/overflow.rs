//! Overflow of a rank's stack is told by name, whether the stack is ours or a thread's.

use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::*};
use std::sync::{Mutex, Once, OnceLock};

use pc3_runtime::report::{die, EXIT_FATAL};

/// Bytes below a stack whose use is an overflow.
pub(super) const GUARD: usize = 64 << 10;

/// Reports a rank's stack overflow by name before the program dies of it.  Per thread: handlers
/// cannot run on the stack that overflowed.
pub(super) fn watch_overflow() {
    static INSTALL: Once = Once::new();
    const ALT: usize = 64 << 10;
    // SAFETY: an alternative stack that lives as long as the thread; a handler that calls only
    // async-signal-safe functions.
    unsafe {
        let mut old: libc::stack_t = std::mem::zeroed();
        libc::sigaltstack(std::ptr::null(), &raw mut old);
        if old.ss_flags & libc::SS_DISABLE != 0 {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let p = libc::mmap(
                null_mut(),
                ALT,
                libc::PROT_READ | libc::PROT_WRITE,
                flags,
                -1,
                0,
            );
            if p == libc::MAP_FAILED {
                return;
            }
            let alt = libc::stack_t {
                ss_sp: p,
                ss_flags: 0,
                ss_size: ALT,
            };
            libc::sigaltstack(&raw const alt, null_mut());
        }
        INSTALL.call_once(|| {
            let mut was: libc::sigaction = std::mem::zeroed();
            let mut act: libc::sigaction = std::mem::zeroed();
            act.sa_sigaction = on_fault as *const () as usize;
            act.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            // First: a fault may come at once.
            libc::sigaction(libc::SIGSEGV, null(), &raw mut was);
            let _ = WAS.set(was);
            libc::sigaction(libc::SIGSEGV, &raw const act, null_mut());
        });
    }
}

/// The same for a rank that is a thread.
pub(super) fn watch_thread() {
    watch_overflow();
    // SAFETY: the structure is filled by the first call; the stack is that of this thread.
    unsafe {
        let mut of: libc::pthread_attr_t = std::mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &raw mut of) != 0 {
            return;
        }
        let (mut low, mut bytes) = (null_mut(), 0);
        if libc::pthread_attr_getstack(&raw const of, &raw mut low, &raw mut bytes) == 0 {
            register((low as usize).saturating_sub(GUARD), null_mut());
        }
        libc::pthread_attr_destroy(&raw mut of);
    }
}

/// What lies below a stack, for the handler: a list that only grows, its entries reused.
pub(super) struct Guard {
    low: AtomicUsize,
    /// The low end of a stack without a guard; null with one.
    pub canary: AtomicPtr<Canary>,
    next: *const Guard,
}
// SAFETY: `next` is not changed once others can see the entry.
unsafe impl Sync for Guard {}

static GUARDS: AtomicPtr<Guard> = AtomicPtr::new(null_mut());
static UNUSED: Mutex<Vec<&'static Guard>> = Mutex::new(Vec::new());

/// The words at the low end of a stack, as many as most frames have: what overflows writes a return address or more there.
pub(super) type Canary = [usize; 512];

/// What they hold as long as it has not.
pub(super) const WORD: usize = 0xb1d_5eed_f00d_ca9e_u64 as usize;

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
        super::lock(&UNUSED).push(self);
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
pub(super) fn register(low: usize, canary: *mut Canary) -> &'static Guard {
    if let Some(g) = super::lock(&UNUSED).pop() {
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
pub(super) unsafe fn look(canary: *const Canary) {
    // SAFETY: the caller's promise.
    if !canary.is_null() && unsafe { &*canary }.iter().any(|w| *w != WORD) {
        die(EXIT_FATAL, OVERFLOW);
    }
}

/// Who dealt with faults before: a library, such as a native MPI's. What the program installs comes later, and has precedence.
static WAS: OnceLock<libc::sigaction> = OnceLock::new();

const OVERFLOW: &str = "a rank's stack overflowed; set PC3_STACK to a larger size (e.g. 64M)";

extern "C" fn on_fault(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel's own record; `write` and `sigaction` are async-signal-safe.
    unsafe {
        // Sent by somebody, or by the program itself: there is no address, and no access that would be repeated.
        let sent = (*info).si_code <= 0;
        let at = || (*info).si_addr() as usize;
        let ours = !sent && guards().any(|g| g.is_hit(at()));
        if ours {
            for part in ["pc3: ", OVERFLOW, "\n"] {
                libc::write(2, part.as_ptr().cast(), part.len());
            }
        }
        // The access is repeated on return and ends the program, or is dealt with, as it would have been without us.
        let mut act: libc::sigaction = std::mem::zeroed();
        act.sa_sigaction = libc::SIG_DFL;
        let next = WAS.get().filter(|_| !ours).unwrap_or(&act);
        libc::sigaction(libc::SIGSEGV, next, null_mut());
        if sent {
            libc::raise(libc::SIGSEGV);
        }
    }
}
