//! Memory that must not be touched: below a stack, behind an area that grows.
//!
//! Where the system has marks for that (Linux 6.13: `MADV_GUARD_INSTALL`) a guard costs no mapping, so there may be as
//! many as there is memory for. Elsewhere each splits a mapping in three, of which a process may have some ten
//! thousands; the last ones are left for other uses, and what would need one stays without.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::OnceLock;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Guard {
    /// Touching it is a fault.
    Faults,
    /// Nothing happens: whoever grows has to look himself.
    Absent,
}

/// Not in every libc's headers.
const MADV_GUARD_INSTALL: i32 = 102;

/// Guards a range of whole pages, which is the caller's.
pub fn install(at: *mut u8, len: usize) -> Guard {
    // SAFETY: nobody uses the range.
    let done = unsafe {
        if marks() {
            libc::madvise(at.cast(), len, MADV_GUARD_INSTALL) == 0
        } else {
            room() && libc::mprotect(at.cast(), len, libc::PROT_NONE) == 0
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
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a mapping of our own, which only the system writes to.
    unsafe {
        let p = libc::mmap(
            null_mut(),
            len,
            libc::PROT_READ | libc::PROT_WRITE,
            flags,
            -1,
            0,
        );
        if p == libc::MAP_FAILED {
            return None;
        }
        let marked = libc::madvise(p, len, MADV_GUARD_INSTALL) == 0;
        let stopped = libc::uname(p.cast()) != 0;
        libc::munmap(p, len);
        Some(marked && stopped)
    }
}

/// May one more guard take mappings?
fn room() -> bool {
    static TAKEN: AtomicUsize = AtomicUsize::new(0);
    static LIMIT: OnceLock<usize> = OnceLock::new();
    let limit = *LIMIT.get_or_init(|| {
        let text = std::fs::read_to_string("/proc/sys/vm/max_map_count").unwrap_or_default();
        let all = text.trim().parse().unwrap_or(65_530);
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
        // SAFETY: ours; `uname` writes less than a page.
        unsafe {
            assert_eq!(install(p.add(len), len), Guard::Faults);
            assert_ne!(libc::uname(p.add(len).cast()), 0);
            assert_eq!(libc::uname(p.cast()), 0);
            assert_eq!(libc::uname(p.add(2 * len).cast()), 0);
        }
    }
}
