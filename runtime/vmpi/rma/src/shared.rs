//! What the members of a window have in common.

use std::sync::atomic::{AtomicUsize, Ordering::*};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use crate::locks::Locks;
use crate::signals::Signals;

/// A member's part of the window, as others name places in it.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// An address; 0 of a dynamic window.
    pub base: usize,
    /// In bytes.
    pub size: usize,
    /// Bytes of one displacement.
    pub unit: usize,
}

/// Memory that a member of a dynamic window has attached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Region {
    pub at: usize,
    pub size: usize,
}

/// What others use of one member.
#[derive(Default)]
pub struct Member {
    part: OnceLock<Part>,
    /// Bytes that it asks for, before parts of a shared window have places.
    wanted: AtomicUsize,
    pub regions: RwLock<Vec<Region>>,
    /// Held while something is accumulated there.
    atomic: Mutex<()>,
    signals: Mutex<Signals>,
}

impl Member {
    /// Says where its part is; once, before others use it.
    pub fn set_part(&self, part: Part) {
        let _ = self.part.set(part);
    }

    #[inline]
    pub fn part(&self) -> Option<Part> {
        self.part.get().copied()
    }

    pub fn set_wanted(&self, bytes: usize) {
        self.wanted.store(bytes, Release);
    }

    pub fn wanted(&self) -> usize {
        self.wanted.load(Acquire)
    }

    /// Nobody else accumulates there meanwhile.
    #[inline]
    pub(crate) fn alone(&self) -> MutexGuard<'_, ()> {
        self.atomic.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    pub fn signals(&self) -> MutexGuard<'_, Signals> {
        self.signals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does it have this memory attached, in one region or in several side by side?
    pub(crate) fn has_attached(&self, from: usize, to: usize) -> bool {
        let regions = self.regions.read().unwrap_or_else(PoisonError::into_inner);
        let mut at = from;
        while at < to {
            let inside = |r: &&Region| r.at <= at && at < r.at + r.size;
            match regions.iter().find(inside) {
                Some(r) => at = r.at + r.size,
                None => return false,
            }
        }
        true
    }
}

pub struct Shared {
    members: Box<[Member]>,
    locks: Mutex<Locks>,
    /// Of a window whose parts lie side by side: where they begin; null if there is no memory for them.
    pub memory: OnceLock<usize>,
}

impl Shared {
    pub fn new(members: usize) -> Shared {
        Shared {
            members: (0..members).map(|_| Member::default()).collect(),
            locks: Mutex::new(Locks::new(members)),
            memory: OnceLock::new(),
        }
    }

    #[inline]
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    #[inline]
    pub(crate) fn locks(&self) -> MutexGuard<'_, Locks> {
        self.locks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_side_by_side_are_one() {
        let m = Member::default();
        let regions = [(100, 10), (110, 10), (130, 10)].map(|(at, size)| Region { at, size });
        m.regions.write().unwrap().extend(regions);
        assert!(m.has_attached(100, 120) && m.has_attached(105, 115) && m.has_attached(130, 140));
        assert!(!m.has_attached(95, 105) && !m.has_attached(115, 135) && !m.has_attached(135, 141));
    }
}
