//! How members wait for one another, with no more traffic between cores than there are workers.
//!
//! The members of one worker are a *party*.  They arrive without an atomic operation; all but the last park.  That one,
//! the party's captain, meets the captains of the others: an atomic addition to arrive, one line to read until the
//! release is in it.  Each captain then lets its own party go, all at once.
//!
//! What a small call amounts to ([`Brief`]) and its contribution are left with the party as its member arrives.  The last
//! captain compares parties, combines the contributions in the order of members (which depends on nothing else), and
//! puts the result into the line that the captains read; each member takes it from there.

use super::call::{Brief, Call, Crew, Kind, Plan};
use crate::group::Group;
use pc3_runtime::chaos;
use std::cell::{Cell, UnsafeCell};
use std::sync::atomic::{fence, AtomicBool, AtomicU32, Ordering::*};

/// Used by one worker only, but by whoever arrives last between the last arrival and the release.
#[repr(align(128))]
struct Party {
    /// Ascending.
    members: Box<[u32]>,
    arrived: Cell<u32>,
    /// Who came last, and whether it sleeps.
    captain: AtomicU32,
    asleep: AtomicBool,
    /// All calls so far are told by `brief`.
    even: Cell<bool>,
    brief: Cell<Brief>,
    contributions: UnsafeCell<Vec<u128>>,
}

/// A member's party and its place there.
#[derive(Clone, Copy)]
struct Place {
    party: u32,
    index: u32,
}

/// What captains wait for.
#[repr(align(128))]
struct Release {
    /// Counts them.
    phase: AtomicU32,
    result: UnsafeCell<[u128; Brief::MOST / 16]>,
}

pub(super) struct Parties {
    /// What the last arriver has found out: written before a release, read after it.
    pub plan: Cell<Plan>,
    list: Box<[Party]>,
    places: Box<[Place]>,
    /// Parties that are complete.
    arrived: AtomicU32,
    release: Release,
}

// SAFETY: see `Party`; `arrived` and `release.phase` hand over between captains.
unsafe impl Sync for Parties {}
// SAFETY: as above.
unsafe impl Send for Parties {}

impl Parties {
    /// Of the members in this process.
    pub fn new<W: Crew>(crew: &W, group: &Group) -> Parties {
        let mut workers: Vec<u32> = Vec::new();
        let mut lists: Vec<Vec<u32>> = Vec::new();
        let mut place = |(i, world): (usize, &u32)| {
            let Some(worker) = crew.worker_of(*world) else {
                // Never asked for.
                return Place {
                    party: u32::MAX,
                    index: 0,
                };
            };
            let party = workers.iter().position(|w| *w == worker);
            let party = party.unwrap_or_else(|| {
                workers.push(worker);
                lists.push(Vec::new());
                lists.len() - 1
            });
            lists[party].push(i as u32);
            Place {
                party: party as u32,
                index: lists[party].len() as u32 - 1,
            }
        };
        let places = group.ranks().iter().enumerate().map(&mut place).collect();
        let party = |members: Vec<u32>| Party {
            members: members.into(),
            arrived: Cell::new(0),
            captain: AtomicU32::new(0),
            asleep: AtomicBool::new(false),
            even: Cell::new(false),
            brief: Cell::new(Brief::NONE),
            contributions: UnsafeCell::default(),
        };
        Parties {
            plan: Cell::new(Plan::Done),
            list: lists.into_iter().map(party).collect(),
            places,
            arrived: AtomicU32::new(0),
            release: Release {
                phase: AtomicU32::new(0),
                result: UnsafeCell::default(),
            },
        }
    }

    fn party(&self, me: usize) -> &Party {
        &self.list[self.places[me].party as usize]
    }

    /// Member `me` leaves what its call amounts to; before [`Parties::sync`].
    #[inline]
    pub fn tell<C: Call>(&self, me: usize, call: &C) {
        let party = self.party(me);
        let Some(brief) = call.brief() else {
            return party.even.set(false);
        };
        if party.arrived.get() == 0 {
            party.brief.set(brief);
            party.even.set(true);
            let words = (brief.bytes * party.members.len()).div_ceil(16);
            // SAFETY: the worker's own until the last member has arrived.
            let room = unsafe { &mut *party.contributions.get() };
            if room.len() < words {
                room.resize(words, 0);
            }
        } else if !party.even.get() || party.brief.get() != brief {
            return party.even.set(false);
        }
        if brief.bytes > 0 {
            // SAFETY: as above; room was made for all members.
            unsafe { call.give(self.contribution(me, brief.bytes)) }
        }
    }

    fn contribution(&self, member: usize, bytes: usize) -> *mut u8 {
        let place = self.places[member];
        let room = self.list[place.party as usize].contributions.get();
        // SAFETY: made for so many members; see `Party` for who may.
        unsafe { (*room).as_mut_ptr().cast::<u8>().add(place.index as usize * bytes) }
    }

    /// All have arrived: are their calls told, and alike?
    #[inline]
    pub fn agree(&self) -> bool {
        let brief = self.list[0].brief.get();
        self.list
            .iter()
            .all(|p| p.even.get() && p.brief.get() == brief)
    }

    /// All calls are like this one: combines what they contribute.
    #[inline]
    pub fn combine<C: Call>(&self, call: &C) {
        let bytes = self.list[0].brief.get().bytes;
        if bytes > 0 {
            let part = |i| self.contribution(i, bytes).cast_const();
            let to = self.release.result.get().cast();
            // SAFETY: all members wait; who has not taken the last result has not arrived.
            unsafe { call.combine(part, self.places.len(), to) }
        }
        self.plan.set(Plan::Told);
    }

    /// Member `me` has been released, and takes the result.
    #[inline]
    pub fn take<C: Call>(&self, me: usize, call: &C) {
        // SAFETY: as above.
        unsafe { call.take(me, self.release.result.get().cast()) }
    }

    /// Waits for all members here; the last one does `last` before they go on.
    #[inline]
    pub fn sync<W: Crew>(
        &self,
        crew: &W,
        group: &Group,
        me: usize,
        kind: Kind,
        last: impl FnOnce(&Parties),
    ) {
        let party = self.party(me);
        let n = party.arrived.get() + 1;
        if (n as usize) < party.members.len() {
            party.arrived.set(n);
            return crew.park();
        }
        party.arrived.set(0);
        if self.list.len() == 1 {
            last(self);
            chaos();
        } else {
            self.meet(crew, group, (me, party), kind, last);
        }
        let others = party.members.iter().filter(|i| **i as usize != me);
        crew.release(others.map(|i| group.ranks()[*i as usize]));
    }

    /// The captain of a party meets the others.
    fn meet<W: Crew>(
        &self,
        crew: &W,
        group: &Group,
        (me, party): (usize, &Party),
        kind: Kind,
        last: impl FnOnce(&Parties),
    ) {
        party.captain.store(me as u32, Relaxed);
        let phase = &self.release.phase;
        let before = phase.load(Relaxed);
        let is_over = || phase.load(Acquire) != before;
        if (self.arrived.fetch_add(1, AcqRel) as usize) + 1 < self.list.len() {
            crew.linger(is_over);
            while !is_over() {
                party.asleep.store(true, Relaxed);
                // Whoever releases sees this, or the release is seen here.
                fence(SeqCst);
                if !is_over() {
                    chaos();
                    crew.block(kind.name());
                }
                party.asleep.store(false, Relaxed);
            }
            return;
        }
        last(self);
        chaos();
        self.arrived.store(0, Relaxed);
        phase.store(before.wrapping_add(1), Release);
        fence(SeqCst);
        for other in self.list.iter().filter(|p| !std::ptr::eq(*p, party)) {
            if other.asleep.load(Relaxed) {
                crew.wake(group.ranks()[other.captain.load(Relaxed) as usize]);
            }
        }
    }
}
