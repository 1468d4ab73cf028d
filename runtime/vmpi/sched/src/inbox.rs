//! Where other workers put the ranks they wake, and where a worker sleeps.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};
use std::sync::{Condvar, Mutex, PoisonError};

use crate::lock::lock;
use crate::scheduler::Slot;

pub(crate) const NOBODY: u32 = u32::MAX;

/// Ranks that other workers have woken: a stack linked through their slots (a rank is in it at most once,
/// because only the step from blocked to notified puts it there), taken as a whole.
#[repr(align(128))]
pub(crate) struct Inbox {
    head: AtomicU32,
    /// The worker sleeps until the bell rings.
    asleep: AtomicBool,
    door: Mutex<()>,
    bell: Condvar,
}

impl Inbox {
    pub fn new() -> Inbox {
        Inbox {
            head: AtomicU32::new(NOBODY),
            asleep: AtomicBool::new(false),
            door: Mutex::new(()),
            bell: Condvar::new(),
        }
    }

    #[inline]
    pub fn has(&self) -> bool {
        self.head.load(Acquire) != NOBODY
    }

    #[inline]
    pub fn is_asleep(&self) -> bool {
        self.asleep.load(Relaxed)
    }

    /// Puts the ranks from `first` on, linked up to `last`, in front.
    pub fn push(&self, slots: &[Slot], first: u32, last: u32) {
        let mut head = self.head.load(Relaxed);
        loop {
            slots[last as usize].link.store(head, Relaxed);
            match self
                .head
                .compare_exchange_weak(head, first, SeqCst, Relaxed)
            {
                Ok(_) => break,
                Err(other) => head = other,
            }
        }
        self.rouse();
    }

    /// Ringing costs a system call.  Sequentially consistent like the sleeper's swap and load:
    /// one of the two sees the other.
    #[inline]
    pub fn rouse(&self) {
        if self.asleep.load(SeqCst) && self.asleep.swap(false, SeqCst) {
            self.ring();
        }
    }

    #[inline]
    pub fn ring(&self) {
        let _door = lock(&self.door);
        self.bell.notify_all();
    }

    /// Moves everybody to the end of `run`, first come first.
    pub fn drain(&self, slots: &[Slot], run: &mut VecDeque<u32>) {
        let mut rank = self.head.swap(NOBODY, AcqRel);
        let start = run.len();
        while rank != NOBODY {
            run.push_back(rank);
            rank = slots[rank as usize].link.load(Relaxed);
        }
        if run.len() > start + 1 {
            run.make_contiguous()[start..].reverse();
        }
    }

    /// Sleeps until somebody is in it, or there is something `more`, which is asked after it was said that the worker sleeps.
    pub fn sleep(&self, more: impl Fn() -> bool) {
        let mut door = lock(&self.door);
        loop {
            // No plain store: under QEMU's ARM emulation a load overtakes a store-release, whatever the architecture says.
            self.asleep.swap(true, SeqCst);
            if self.head.load(SeqCst) != NOBODY || more() {
                break;
            }
            door = self.bell.wait(door).unwrap_or_else(PoisonError::into_inner);
        }
        self.asleep.store(false, SeqCst);
    }
}
