//! Where what other processes tell of small collectives lies until the rank that waits for it takes it: a place or two for each process, without a
//! lock.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, Ordering::*};

use pc3_vmpi_coll::remote::elsewhere::Topic;
use pc3_vmpi_coll::remote::few::InlineCall;

/// For one process; more that wait at a time lie on the board.
const EACH: usize = 4;

#[derive(Default)]
struct Slot {
    full: AtomicBool,
    what: UnsafeCell<Option<(Topic, InlineCall)>>,
}

pub struct Slots(Box<[Slot]>);

// SAFETY: what is in a slot is written while it is empty, by whoever has the transport, and read while it is full, by the
// one rank that waits for the topic or by whoever has the board's lock for it.
unsafe impl Sync for Slots {}
// SAFETY: as above.
unsafe impl Send for Slots {}

impl Slots {
    pub fn new(processes: u32) -> Slots {
        let slots = (0..processes as usize * EACH).map(|_| Slot::default());
        Slots(slots.collect())
    }

    #[inline]
    fn slot(&self, process: u32, topic: &Topic) -> &Slot {
        let n = (topic.round as usize ^ topic.id as usize) % EACH;
        &self.0[process as usize * EACH + n]
    }

    /// Puts in what has come; false: there is no room.  By whoever has the transport.
    #[inline]
    pub fn put(
        &self,
        process: u32,
        topic: Topic,
        told: impl FnOnce() -> Option<InlineCall>,
    ) -> bool {
        let slot = self.slot(process, &topic);
        if slot.full.load(Acquire) {
            return false;
        }
        let Some(told) = told() else { return false };
        // SAFETY: empty.
        unsafe { *slot.what.get() = Some((topic, told)) };
        slot.full.store(true, Release);
        true
    }

    /// For who waits for the topic.
    #[inline]
    pub fn has(&self, process: u32, topic: &Topic) -> bool {
        let slot = self.slot(process, topic);
        // SAFETY: full, and only read until it is emptied.
        slot.full.load(Acquire)
            && unsafe { (*slot.what.get()).as_ref().is_some_and(|w| w.0 == *topic) }
    }

    /// How many of these processes' are there.
    #[inline]
    pub fn count(&self, processes: &[u32], topic: &Topic) -> usize {
        processes.iter().filter(|p| self.has(**p, topic)).count()
    }

    /// The same, which takes it.
    #[inline]
    pub fn take(&self, process: u32, topic: &Topic) -> Option<InlineCall> {
        if !self.has(process, topic) {
            return None;
        }
        let slot = self.slot(process, topic);
        // SAFETY: full, and it is the caller's.
        let told = unsafe { (*slot.what.get()).as_ref().map(|w| w.1) };
        slot.full.store(false, Release);
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pc3_vmpi_coll::remote::few::{CallSignature, Few};

    fn topic(round: u64) -> Topic {
        Topic {
            id: 0,
            tag: 0,
            group: 0,
            round,
            phase: 0,
        }
    }

    fn of_signature(n: u64) -> Option<InlineCall> {
        Some(InlineCall {
            record: CallSignature { what: n, bytes: 0 },
            now: 0,
            few: Few::of(&n.to_le_bytes())?,
        })
    }

    #[test]
    fn each_topic_gets_its_own() {
        let slots = Slots::new(2);
        for round in 0..EACH as u64 {
            assert!(slots.put(1, topic(round), || of_signature(round)));
        }
        assert!(
            !slots.put(1, topic(EACH as u64), || of_signature(9)),
            "no room"
        );
        assert!(slots.put(0, topic(EACH as u64), || of_signature(7)));
        for round in (0..EACH as u64).rev() {
            assert!(slots.has(1, &topic(round)) && !slots.has(1, &topic(round + EACH as u64)));
            let found = slots.take(1, &topic(round)).expect("it was put in");
            assert_eq!(found.record.what, round);
            assert_eq!(found.few.bytes(), round.to_le_bytes());
            assert!(slots.take(1, &topic(round)).is_none());
        }
        assert!(slots.put(1, topic(EACH as u64), || of_signature(8)));
    }
}
