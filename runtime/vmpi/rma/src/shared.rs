//! What the members of a window have in common.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering::*};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::group::GroupRef;

use crate::epochs::Access;
use crate::locks::{Locks, Wish};
use crate::name::Name;
use crate::registry::Windows;
use crate::remote::ask::reply;
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
    /// The process that it is in, if that is another one.
    elsewhere: OnceLock<u32>,
}

impl Member {
    #[inline]
    pub fn elsewhere(&self) -> Option<u32> {
        self.elsewhere.get().copied()
    }

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
    identity: OnceLock<(Name, GroupRef)>,
}

impl Shared {
    pub fn new(members: usize) -> Shared {
        Shared {
            members: (0..members).map(|_| Member::default()).collect(),
            locks: Mutex::new(Locks::new(members)),
            memory: OnceLock::new(),
            identity: OnceLock::new(),
        }
    }

    /// Says who its members are, and by which name those in other processes know it; before it is used.
    pub fn identify(self: &Arc<Shared>, world: &World, name: Name, group: &GroupRef) {
        let _ = self.identity.set((name, group.clone()));
        if !world.spans(group) {
            return;
        }
        for (member, rank) in self.members.iter().zip(group.ranks()) {
            if world.local(*rank).is_none() {
                let _ = member.elsewhere.set(world.process_of(*rank));
            }
        }
        world.part::<Windows>().add(name, self);
    }

    pub(crate) fn name(&self) -> Name {
        self.identity.get().map_or((0, 0), |i| i.0)
    }

    /// The other processes that have members, ascending.
    pub(crate) fn processes(&self) -> BTreeSet<u32> {
        self.members.iter().filter_map(Member::elsewhere).collect()
    }

    /// What who waits for news of a member waits on.
    pub(crate) fn news(&self, member: usize) -> usize {
        std::ptr::from_ref(&self.members[member]) as usize
    }

    /// There are news of a member here.  `from`: the worker on which the caller executes, if any.
    pub(crate) fn wake(&self, world: &World, member: usize, from: Option<u32>) {
        let group = self.identity.get().map(|i| &i.1);
        if let Some(rank) = group.and_then(|g| g.world_rank(member)) {
            world.rank(rank).notify(self.news(member), from);
        }
    }

    /// Locks that members here have given back are those of others now.
    pub(crate) fn grant(&self, world: &World, name: Name, granted: Vec<Wish>, from: Option<u32>) {
        for wish in granted {
            match wish.from {
                None => self.wake(world, wish.origin, from),
                Some(to) => reply(world, name, to, false, Some(Ok(Vec::new()))),
            }
        }
    }

    /// What a member held before a restart, of members here.
    pub fn hold_again(&self, origin: usize, access: &Access) {
        let wish = |target, exclusive| Wish {
            origin,
            target,
            exclusive,
            from: None,
        };
        let mut locks = self.locks();
        match access {
            Access::All => locks.hold(&wish(None, false)),
            Access::Locked(held) => held
                .iter()
                .filter(|h| self.members[h.target].elsewhere().is_none())
                .for_each(|h| locks.hold(&wish(Some(h.target), h.exclusive))),
            Access::Nothing | Access::Fenced { .. } | Access::Started(_) => {}
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
