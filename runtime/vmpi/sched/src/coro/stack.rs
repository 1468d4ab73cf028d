//! Stacks of ranks: reserved address space that takes memory as it is used, a guard below.
//!
//! Where the system has no guard left, some words at the low end are looked at whenever the rank is switched away from.

use std::num::NonZeroUsize;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::Mutex;

use corosensei::stack::{Stack, StackPointer, MIN_STACK_SIZE};
use pc3_heap::guard;
use pc3_os::memory::{self, Advice, Backing};
use pc3_runtime::report::{die, EXIT_FATAL};

use crate::overflow::{register, Canary, Guard, GUARD, WORD};

pub(crate) struct RankStack {
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
        let low = memory::map(bytes, Backing::AsTouched).unwrap_or_else(|e| {
            static ONE: Mutex<()> = Mutex::new(());
            // Workers come here together: one speaks.
            let _one = ONE.lock();
            let kib = size >> 10;
            die(EXIT_FATAL, &format!("no address space for a stack of {kib} KiB: {e}; set PC3_STACK to a smaller size"));
        });
        // A page for each stack's top, not a huge one.
        memory::advise(low, bytes, Advice::NotHuge);
        let guard = match guard::install(low, GUARD) {
            guard::Guard::Faults => register(low as usize, null_mut()),
            guard::Guard::Absent => {
                let canary = low.wrapping_add(GUARD).cast::<Canary>();
                // SAFETY: the lowest page of the mapping's usable part.
                unsafe { canary.write([WORD; 512]) };
                register(low as usize, canary)
            }
        };
        RankStack {
            low,
            bytes,
            shift: next_shift(),
            guard,
        }
    }

    /// What the rank must not have written to; null if its stack has a guard.
    pub(crate) fn canary(&self) -> *mut Canary {
        self.guard.canary.load(Relaxed)
    }
}

impl Drop for RankStack {
    fn drop(&mut self) {
        self.guard.give_back();
        // SAFETY: the mapping is ours and nothing runs on it.
        unsafe { memory::unmap(self.low, self.bytes) };
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
