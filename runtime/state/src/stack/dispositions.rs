//! Signal handlers and timers of one rank, where several share a process.

use std::ptr::null;
use std::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize};

use pc3_os::clocks::Timer;
use pc3_typemetric::descriptor::pc3_rank;

/// Signals are numbered below it.
pub const SIGNALS: usize = 65;

#[derive(Debug, Default)]
pub struct Entry {
    pub handler: AtomicUsize,
    pub flags: AtomicI32,
    pub mask: AtomicU64,
}

/// A rank's, which signals may look at any time; never given back.
#[derive(Debug)]
pub struct Table {
    pub rank: *mut pc3_rank,
    pub delta: isize,
    pub entries: [Entry; SIGNALS],
    pub next: *const Table,
}

/// What a rank has chosen.
#[derive(Debug)]
pub struct Dispositions {
    pub table: *const Table,
    pub timers: [Option<Timer>; 3],
}

impl Default for Dispositions {
    fn default() -> Dispositions {
        Dispositions {
            table: null(),
            timers: [None; 3],
        }
    }
}
