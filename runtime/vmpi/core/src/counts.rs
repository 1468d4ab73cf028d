//! What each rank here has sent, if that is asked for (`PC3_STATS`).

use std::cell::UnsafeCell;
use std::collections::HashMap;

/// Messages and bytes, by receiver.
pub type Sent = HashMap<u32, (u64, u64)>;

pub struct Counts(Box<[UnsafeCell<Sent>]>);

// SAFETY: an entry is used by its own rank, or by the engine while no rank runs.
unsafe impl Sync for Counts {}
// SAFETY: as above.
unsafe impl Send for Counts {}

impl Counts {
    pub(crate) fn new(ranks: usize) -> Counts {
        Counts((0..ranks).map(|_| UnsafeCell::default()).collect())
    }

    /// By the rank in this slot.
    pub fn sent(&self, slot: u32, to: u32, bytes: usize) {
        // SAFETY: the rank's own entry.
        let sums = unsafe { &mut *self.0[slot as usize].get() };
        let sum = sums.entry(to).or_default();
        *sum = (sum.0 + 1, sum.1 + bytes as u64);
    }

    /// Of the rank in this slot.
    ///
    /// # Safety
    /// No rank runs.
    pub unsafe fn of(&self, slot: u32) -> &Sent {
        // SAFETY: by the caller.
        unsafe { &*self.0[slot as usize].get() }
    }
}
