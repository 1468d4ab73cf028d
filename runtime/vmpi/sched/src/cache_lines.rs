//! Cache lines that pass between processors, and the order in which memory is seen.

use std::sync::atomic::{fence, Ordering::*};
use std::sync::OnceLock;

use pc3_os::threads::{self, Barrier};

/// The line will be written to; does not wait for it.
#[inline]
pub fn ask_for<T>(line: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint, which reads and writes nothing.
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) line, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}

/// Those whose memory is put in order for a thread that is about to sleep, so that who could wake it need not see to it.
pub struct Barriers {
    registered: OnceLock<bool>,
    of: Barrier,
}

impl Barriers {
    const fn new(of: Barrier) -> Barriers {
        Barriers {
            registered: OnceLock::new(),
            of,
        }
    }

    /// Does the system do that for this process's threads?
    #[inline]
    pub fn exist(&self) -> bool {
        *self.registered.get_or_init(|| threads::register(self.of))
    }

    /// A thread that has said that it sleeps looks for what it would sleep through after this.
    pub fn about_to_sleep(&self) {
        fence(SeqCst);
        if self.exist() && !threads::order(self.of) {
            pc3_runtime::report::die(
                pc3_runtime::report::EXIT_FATAL,
                "the system has forgotten how to order memory (membarrier)",
            );
        }
    }
}

/// Threads of this process.
pub static OURS: Barriers = Barriers::new(Barrier::Process);

/// Threads of all processes that have asked whether there are such barriers.
pub static ALL: Barriers = Barriers::new(Barrier::All);
