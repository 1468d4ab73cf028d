//! Memory that must not be touched: below a stack, behind an area that grows.
//!
//! Where the system has marks for that (Linux 6.13: `MADV_GUARD_INSTALL`) a guard costs no mapping, so there may be as
//! many as there is memory for. Elsewhere each splits a mapping in three, of which a process may have some ten
//! thousands; the last ones are left for other uses, and what would need one stays without.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::OnceLock;

use pc3_os::memory;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Guard {
    /// Touching it is a fault.
    Faults,
    /// Nothing happens: whoever grows has to look himself.
    Absent,
}

/// Guards a range of whole pages, which is the caller's.
pub fn install(at: *mut u8, len: usize) -> Guard {
    // SAFETY: nobody uses the range.
    let done = unsafe {
        if marks() {
            memory::mark_guard(at, len)
        } else {
            room() && memory::forbid(at, len)
        }
    };
    if done {
        Guard::Faults
    } else {
        Guard::Absent
    }
}

/// `PC3_GUARDS`, for tests: `mappings` as on older systems, `none` as where there can be no more.
fn asked(what: &str) -> bool {
    std::env::var_os("PC3_GUARDS").is_some_and(|v| v == what)
}

/// Does the system have marks?  Some say yes to every advice, so it is tried.
fn marks() -> bool {
    static MARKS: OnceLock<bool> = OnceLock::new();
    *MARKS.get_or_init(|| !asked("mappings") && !asked("none") && try_marks() == Some(true))
}

fn try_marks() -> Option<bool> {
    let len = crate::sys::UNIT;
    let p = memory::map(len, memory::Backing::Promised).ok()?;
    // SAFETY: a mapping of our own, which only the system writes to.
    unsafe {
        let marked = memory::mark_guard(p, len);
        let stopped = !memory::can_be_written(p);
        memory::unmap(p, len);
        Some(marked && stopped)
    }
}

/// May one more guard take mappings?
fn room() -> bool {
    static TAKEN: AtomicUsize = AtomicUsize::new(0);
    static LIMIT: OnceLock<usize> = OnceLock::new();
    let limit = *LIMIT.get_or_init(|| {
        let all = memory::most_mappings();
        if asked("none") {
            0
        } else {
            all / 4
        }
    });
    TAKEN.load(Relaxed) < limit && TAKEN.fetch_add(1, Relaxed) < limit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_may_not_write_into_a_guard() {
        let len = crate::sys::UNIT;
        let p = crate::sys::map_aside(3 * len);
        assert!(!p.is_null());
        // SAFETY: ours.
        unsafe {
            assert_eq!(install(p.add(len), len), Guard::Faults);
            assert!(!memory::can_be_written(p.add(len)));
            assert!(memory::can_be_written(p));
            assert!(memory::can_be_written(p.add(2 * len)));
        }
    }
}
