//! Cache lines that pass between processors, and the order in which memory is seen.

use std::sync::atomic::{fence, Ordering::*};
use std::sync::OnceLock;

/// The line will be written to; does not wait for it.
#[inline]
pub(crate) fn ask_for<T>(line: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint, which reads and writes nothing.
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) line, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}

/// Those whose memory is put in order for a thread that is about to sleep, so that who could wake it need not see to it.
pub(crate) struct Barriers {
    registered: OnceLock<bool>,
    register: libc::c_int,
    order: libc::c_int,
}

impl Barriers {
    const fn new(register: libc::c_int, order: libc::c_int) -> Barriers {
        Barriers {
            registered: OnceLock::new(),
            register,
            order,
        }
    }

    /// Does the system do that for this process's threads?
    #[inline]
    pub fn exist(&self) -> bool {
        *self.registered.get_or_init(|| command(self.register))
    }

    /// A thread that has said that it sleeps looks for what it would sleep through after this.
    pub fn about_to_sleep(&self) {
        fence(SeqCst);
        if self.exist() && !command(self.order) {
            pc3_runtime::report::die(
                pc3_runtime::report::EXIT_FATAL,
                "the system has forgotten how to order memory (membarrier)",
            );
        }
    }
}

/// Threads of this process.
pub(crate) static OURS: Barriers = Barriers::new(
    libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED,
    libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED,
);

/// Threads of all processes that have asked whether there are such barriers.
pub(crate) static ALL: Barriers = Barriers::new(
    libc::MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED,
    libc::MEMBARRIER_CMD_GLOBAL_EXPEDITED,
);

fn command(command: libc::c_int) -> bool {
    // SAFETY: no memory is passed.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
}
