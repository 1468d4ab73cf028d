//! When a checkpoint is wanted: passages, time, signals, requests.
//!
//! Everything meets in `pc3_flag`, the one word generated code polls: its bits say who asks.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering::SeqCst};
use std::time::Duration;

/// `PC3_EVERY`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Every {
    Never,
    Time(Duration),
    Passages(u64),
}

/// Every location is looked at (passages are counted).
pub const FLAG_PASSAGES: c_int = 1;
/// A checkpoint was asked for: signal, timer, request.
pub const FLAG_REQUEST: c_int = 2;
/// The engine coordinates one.
pub const FLAG_ENGINE: c_int = 4;

/// What generated code polls.
#[no_mangle]
#[allow(non_upper_case_globals)]
pub static pc3_flag: AtomicI32 = AtomicI32::new(0);

static REQUESTED: AtomicBool = AtomicBool::new(false);
static STOP: AtomicBool = AtomicBool::new(false);

pub fn set_flag(bit: c_int) {
    pc3_flag.fetch_or(bit, SeqCst);
}

pub fn clear_flag(bit: c_int) {
    pc3_flag.fetch_and(!bit, SeqCst);
}

/// Asks for a checkpoint; safe in a signal handler.
pub(crate) fn request(stop: bool) {
    if stop {
        STOP.store(true, SeqCst);
    }
    REQUESTED.store(true, SeqCst);
    set_flag(FLAG_REQUEST);
}

#[derive(Debug)]
pub struct Control {
    every: Every,
    stop_after: Option<u64>,
    next_passage: AtomicU64,
    taken: AtomicU64,
}

impl Control {
    pub(crate) fn new(every: Every, stop_after: Option<u64>) -> Control {
        let next = if let Every::Passages(n) = every {
            n
        } else {
            u64::MAX
        };
        if next != u64::MAX {
            set_flag(FLAG_PASSAGES);
        }
        Control {
            every,
            stop_after,
            next_passage: AtomicU64::new(next),
            taken: AtomicU64::new(0),
        }
    }

    pub fn every(&self) -> Every {
        self.every
    }

    /// Is a checkpoint wanted at the location that is rank 0's `passage`-th (from 1) of the job?
    pub fn wanted(&self, passage: u64) -> bool {
        REQUESTED.load(SeqCst) || passage >= self.next_passage.load(SeqCst)
    }

    /// The checkpoint wanted at `passage` cannot be taken: the next one is due an interval later.
    pub fn give_up(&self, passage: u64) {
        self.done(passage, false);
    }

    /// After a checkpoint at `passage` (committed or failed): the next one is due an interval
    /// later.  True if the job is to stop now.
    pub(crate) fn done(&self, passage: u64, committed: bool) -> bool {
        REQUESTED.store(false, SeqCst);
        clear_flag(FLAG_REQUEST);
        if let Every::Passages(n) = self.every {
            self.next_passage.store(passage.saturating_add(n), SeqCst);
        }
        if !committed {
            return false;
        }
        let taken = self.taken.fetch_add(1, SeqCst) + 1;
        STOP.load(SeqCst) || self.stop_after.is_some_and(|k| taken >= k)
    }
}
