//! A rank's state, and the ways between: it is suspended and made ready.

use std::sync::atomic::{AtomicU8, Ordering::*};

use crate::order;
use crate::scheduler::{Host, Sched, Slot};
use pc3_runtime::chaos;

pub(super) const RUNNING: u8 = 0;
pub(super) const BLOCKED: u8 = 1;
pub(super) const NOTIFIED: u8 = 2;
pub(super) const ENDED: u8 = 3;
/// Blocked until a rank of the same worker lets it go: nobody else may wake it.
pub(super) const PARKED: u8 = 4;

impl Sched {
    /// Suspends `me` until [`wake`](Self::wake); returns at once if that was called since the
    /// last return.  May return without cause: callers test their condition in a loop.
    #[inline(always)]
    pub fn block<H: Host>(&self, host: &H, me: u32) {
        let slot = &self.slots[me as usize];
        if self.single {
            if slot.state.load(Relaxed) == NOTIFIED {
                slot.state.store(RUNNING, Relaxed);
                return;
            }
            slot.state.store(BLOCKED, Relaxed);
        } else if slot
            .state
            .compare_exchange(RUNNING, BLOCKED, AcqRel, Acquire)
            .is_err()
        {
            slot.state.swap(RUNNING, AcqRel);
            return;
        }
        chaos();
        self.away(host, slot, me);
    }

    /// Makes a blocked rank ready.  `from`: the worker on which the caller executes, if any.
    #[inline(always)]
    pub fn wake(&self, from: Option<u32>, rank: u32) {
        let slot = &self.slots[rank as usize];
        if self.single && from.is_some() {
            match slot.state.load(Relaxed) {
                BLOCKED => {
                    slot.state.store(NOTIFIED, Relaxed);
                    // SAFETY: baton.
                    unsafe { (*slot.worker().run.get()).push_back(rank) };
                }
                RUNNING => slot.state.store(NOTIFIED, Relaxed),
                _ => {}
            }
            return;
        }
        self.wake_one(slot, from, rank);
    }

    fn wake_one(&self, slot: &Slot, from: Option<u32>, rank: u32) {
        if self.notify(slot) {
            chaos();
            let w = slot.worker();
            if from == Some(slot.worker) {
                // SAFETY: the caller executes on that worker: baton.
                unsafe { (*w.run.get()).push_back(rank) };
            } else {
                w.inbox.push(&self.slots, rank, rank);
            }
        }
    }

    /// Marks the rank as woken; true if it was blocked, so that somebody has to queue it.
    #[inline]
    fn notify(&self, slot: &Slot) -> bool {
        let mut now = slot.state.load(Relaxed);
        loop {
            if matches!(now, ENDED | PARKED) {
                return false;
            }
            match slot
                .state
                .compare_exchange_weak(now, NOTIFIED, AcqRel, Relaxed)
            {
                Ok(_) => return now == BLOCKED,
                Err(other) => now = other,
            }
        }
    }

    /// Suspends `me` until a rank of its worker [releases](Self::release) it.  Costs no atomic operation; nothing else
    /// ends it, and a wake-up that was on its way is forgotten: whoever parks waits for nothing else.
    #[inline]
    pub fn park<H: Host>(&self, host: &H, me: u32) {
        let slot = &self.slots[me as usize];
        slot.state.store(PARKED, Release);
        chaos();
        self.switch(host, slot, me);
    }

    /// Makes parked ranks ready, which are of the worker of `me`, who calls.
    #[inline]
    pub fn release(&self, me: u32, ranks: impl Iterator<Item = u32>) {
        let slots: &[Slot] = &self.slots;
        // SAFETY: the caller executes on that worker: baton.
        let run = unsafe { &mut *slots[me as usize].worker().run.get() };
        for rank in ranks {
            let slot = &slots[rank as usize];
            debug_assert_eq!(slot.state.load(Relaxed), PARKED);
            slot.state.store(RUNNING, Release);
            run.push_back(rank);
        }
        // Whoever still saw them suspended has stored before what they see from here on.
        self.full_fence();
        if let Some(state) = &self.shuffle {
            order::shuffle(run, state);
        }
    }

    /// Is the rank suspended with nobody having woken it?
    pub fn is_blocked(&self, rank: u32) -> bool {
        matches!(
            self.slots[rank as usize].state.load(Acquire),
            BLOCKED | PARKED
        )
    }

    pub fn has_ended(&self, rank: u32) -> bool {
        self.slots[rank as usize].state.load(Acquire) == ENDED
    }

    /// `me` cannot go on now: run others until it is its turn again.
    #[inline(always)]
    pub(super) fn away<H: Host>(&self, host: &H, slot: &Slot, me: u32) {
        self.switch(host, slot, me);
        slot.state.swap_if(self.single);
    }
}

trait Rerun {
    fn swap_if(&self, single: bool);
}
impl Rerun for AtomicU8 {
    /// Back in the running state; sees everything the waker did before it woke.
    #[inline]
    fn swap_if(&self, single: bool) {
        if single {
            self.store(RUNNING, Relaxed);
        } else {
            self.swap(RUNNING, AcqRel);
        }
    }
}
