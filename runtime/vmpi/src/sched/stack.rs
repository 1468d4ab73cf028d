//! Stacks of ranks: reserved address space that takes memory as it is used, a guard below.

use std::num::NonZeroUsize;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::*};
use std::sync::Once;

use corosensei::stack::{Stack, StackPointer, MIN_STACK_SIZE};

/// Bytes below a stack whose use is an overflow.
const GUARD: usize = 64 << 10;

pub(super) struct RankStack {
    low: *mut u8,
    bytes: usize,
    /// Bytes at the top left unused, so that the same frames of different ranks fall into different
    /// sets of the first-level cache: without it a switch between many ranks misses for every line.
    shift: usize,
    guard: &'static Guard,
}

/// Every cache line of a page in turn, neighbours far apart.
fn next_shift() -> usize {
    static N: AtomicUsize = AtomicUsize::new(0);
    N.fetch_add(1, Relaxed) * 11 % 64 * 64
}

// SAFETY: it owns its mapping.
unsafe impl Send for RankStack {}

impl RankStack {
    /// Ends the program with a message if there is no room: no rank can run without a stack.
    pub fn new(size: usize) -> RankStack {
        // Pages have at most 64 KiB; one more of that for the shift.
        let bytes = size.max(MIN_STACK_SIZE).next_multiple_of(GUARD) + 2 * GUARD;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping; then its lowest part is made inaccessible.
        let low = unsafe {
            let p = libc::mmap(
                null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                flags,
                -1,
                0,
            );
            if p == libc::MAP_FAILED || libc::mprotect(p, GUARD, libc::PROT_NONE) != 0 {
                eprintln!(
                    "pc3: no address space for a stack of {} KiB: {}; set PC3_STACK to a smaller size",
                    size >> 10,
                    std::io::Error::last_os_error()
                );
                std::process::exit(1);
            }
            p.cast::<u8>()
        };
        RankStack {
            low,
            bytes,
            shift: next_shift(),
            guard: register(low as usize),
        }
    }
}

impl Drop for RankStack {
    fn drop(&mut self) {
        self.guard.low.store(0, Release);
        // SAFETY: the mapping is ours and nothing runs on it.
        unsafe { libc::munmap(self.low.cast(), self.bytes) };
    }
}

// SAFETY: the range [limit, base) is mapped and ours; below lies the guard.
unsafe impl Stack for RankStack {
    fn base(&self) -> StackPointer {
        let top = self.low as usize + self.bytes - self.shift;
        NonZeroUsize::new(top).unwrap_or(NonZeroUsize::MAX)
    }
    fn limit(&self) -> StackPointer {
        NonZeroUsize::new(self.low as usize + GUARD).unwrap_or(NonZeroUsize::MAX)
    }
}

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
            libc::sigaction(libc::SIGSEGV, std::ptr::null(), &raw mut was);
            // A handler that the program installed has precedence.
            if was.sa_sigaction == libc::SIG_DFL {
                let mut act: libc::sigaction = std::mem::zeroed();
                act.sa_sigaction = on_fault as *const () as usize;
                act.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                libc::sigaction(libc::SIGSEGV, &raw const act, null_mut());
            }
        });
    }
}

/// The guards of all stacks, for the handler: a list that only grows, its entries reused.
struct Guard {
    low: AtomicUsize,
    next: *const Guard,
}
static GUARDS: AtomicPtr<Guard> = AtomicPtr::new(null_mut());

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

fn register(low: usize) -> &'static Guard {
    if let Some(g) = guards().find(|g| g.low.compare_exchange(0, low, AcqRel, Relaxed).is_ok()) {
        return g;
    }
    let g = Box::leak(Box::new(Guard {
        low: AtomicUsize::new(low),
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

extern "C" fn on_fault(_: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel's own record; `write` and `sigaction` are async-signal-safe.
    unsafe {
        let at = (*info).si_addr() as usize;
        if guards()
            .any(|g| (g.low.load(Acquire)..).contains(&at) && at < g.low.load(Acquire) + GUARD)
        {
            let text =
                b"pc3: a rank's stack overflowed; set PC3_STACK to a larger size (e.g. 64M)\n";
            libc::write(2, text.as_ptr().cast(), text.len());
        }
        // The access is repeated on return and ends the program as it would have without us.
        let mut act: libc::sigaction = std::mem::zeroed();
        act.sa_sigaction = libc::SIG_DFL;
        libc::sigaction(libc::SIGSEGV, &raw const act, null_mut());
    }
}
