//! How members wait for one another, with no more traffic between cores than there are workers.
//!
//! The members of one worker are a *party*.  They arrive without an atomic operation; all but the last park.  That one,
//! the party's captain, puts up a *sign*, one cache line, and looks for those of the other parties: when all are up all
//! members have come, and each captain lets its own party go, at once.  Signs are for two calls in turn: nobody can be
//! two calls ahead of a captain that still reads.
//!
//! What a small call amounts to ([`Brief`]) and its contribution are left with the party as its member arrives.  If all
//! signs say the same each captain combines all contributions by itself, in the order of members, which depends on nothing
//! else; members take the result from their party.  Where each party is a subtree of that order its captain combines those of
//! its members before it puts up the sign; where that is a whole one, of 2^k members, contributions lie so that those to be combined first
//! are half the room apart: each level of the tree is one call of the operation.  Otherwise the first party's captain does what there is to do for all,
//! and the others wait for it; or it says that each is to do its party's share, and they meet once more.

use super::call::{Call, Crew};
use super::kind::{Algorithm, Brief, Kind};
use pc3_runtime::chaos;
use pc3_vmpi_objects::group::Group;
use std::cell::{Cell, UnsafeCell};
use std::sync::atomic::{fence, AtomicBool, AtomicU32, Ordering::*};

type Few = [u128; Brief::MOST / 16];

/// What has a line of the cache to itself.
#[derive(Default)]
#[repr(align(64))]
struct CacheLine<T>(T);

/// Written by its party before `call` is, read by all captains when they have seen that.
#[repr(align(64))]
struct Sign {
    /// The call that it is for, counted from 1.
    call: AtomicU32,
    captain: Cell<u32>,
    /// All the party's calls are told by `brief`.
    even: Cell<bool>,
    brief: Cell<Brief>,
    /// Contributions of the party's members.
    room: Cell<*mut u128>,
}

/// Its worker's own, but for the signs and what they lead to.
#[repr(align(128))]
struct Party {
    /// Ascending.
    members: Box<[u32]>,
    /// Of the members, for the scheduler.
    places: Box<[u32]>,
    /// Where each member's contribution lies.
    slots: Box<[u32]>,
    /// A whole subtree of the order of reductions, its contributions in the order of reversed bits.
    whole: bool,
    /// Calls before the present one.
    calls: Cell<u32>,
    arrived: Cell<u32>,
    /// The last call was told, and has a result.
    told: Cell<bool>,
    result: UnsafeCell<Few>,
    rooms: [UnsafeCell<Vec<u128>>; 2],
    /// What the contributions come to, for the others.
    sums: [CacheLine<UnsafeCell<Few>>; 2],
    signs: [Sign; 2],
    /// Its captain sleeps.
    asleep: CacheLine<AtomicBool>,
}

/// A member's party and its place there.
#[derive(Clone, Copy)]
struct PartyIndex {
    party: u32,
    index: u32,
}

/// The same, of a member here.
#[derive(Clone, Copy)]
pub struct Member<'a> {
    party: &'a Party,
    index: u32,
}

pub(crate) struct Parties {
    list: Box<[Party]>,
    places: Box<[PartyIndex]>,
    /// Each party is a subtree of the order of reductions.
    subtrees: bool,
    /// What the first party's captain has found out about untold calls, and the number of the last of them.
    algorithm: CacheLine<Cell<Algorithm>>,
    done: AtomicU32,
}

// SAFETY: see `Party` and `Sign`; `algorithm` is written before `done` and read when that has been seen.
unsafe impl Sync for Parties {}
// SAFETY: as above.
unsafe impl Send for Parties {}

/// Are these, ascending, a subtree of the order of so many?
fn is_subtree(members: &[u32], all: usize) -> bool {
    let (first, n) = (members[0] as usize, members.len());
    let covers = n.next_power_of_two();
    let run = members.iter().zip(first..).all(|(m, i)| *m as usize == i);
    run && (n == covers || first + n == all) && first % covers == 0
}

impl Party {
    /// One of the parties of so many members.
    fn new((members, places): (Vec<u32>, Vec<u32>), all: usize) -> Party {
        let sign = || Sign {
            call: AtomicU32::new(0),
            captain: Cell::new(0),
            even: Cell::new(false),
            brief: Cell::new(Brief::NONE),
            room: Cell::new(std::ptr::null_mut()),
        };
        let (n, whole) = (members.len(), is_subtree(&members, all));
        let whole = whole && n.is_power_of_two();
        let reversed = |i: u32| i.reverse_bits().checked_shr(32 - n.ilog2()).unwrap_or(0);
        Party {
            members: members.into(),
            places: places.into(),
            slots: (0..n as u32)
                .map(|i| if whole { reversed(i) } else { i })
                .collect(),
            whole,
            calls: Cell::new(0),
            arrived: Cell::new(0),
            told: Cell::new(false),
            result: UnsafeCell::default(),
            rooms: Default::default(),
            sums: Default::default(),
            signs: [sign(), sign()],
            asleep: CacheLine(AtomicBool::new(false)),
        }
    }

    /// Of how many members from its first one on its sum is.
    fn covers(&self) -> usize {
        self.members.len().next_power_of_two()
    }

    #[inline]
    fn sum(&self, calls: u32) -> *mut u8 {
        self.sums[(calls % 2) as usize].0.get().cast()
    }

    /// Of its member number `index`, each of so many bytes.
    #[inline]
    fn contribution(&self, sign: &Sign, index: u32, bytes: usize) -> *mut u8 {
        let slot = self.slots[index as usize] as usize;
        // SAFETY: room was made for all members of the party.
        unsafe { sign.room.get().cast::<u8>().add(slot * bytes) }
    }

    /// All that its members have given, which is a subtree of the order.
    ///
    /// # Safety
    /// They have, nobody else reads it, and there is room for the result.
    unsafe fn combine<C: Call>(&self, call: &C, sign: &Sign, bytes: usize, to: *mut u8) {
        let n = self.members.len();
        // SAFETY: the caller's promise.
        unsafe {
            if self.whole {
                return call.combine_halves(sign.room.get().cast(), n, to);
            }
            let part = |i: usize| (self.contribution(sign, i as u32, bytes).cast_const(), 1);
            call.combine(part, n, to);
        }
    }

    /// For the call after so many.
    #[inline]
    fn sign(&self, calls: u32) -> &Sign {
        &self.signs[(calls % 2) as usize]
    }

    #[inline]
    fn has_come(&self, calls: u32) -> bool {
        self.sign(calls).call.load(Acquire) == calls.wrapping_add(1)
    }
}

impl Parties {
    /// Of the members in this process.
    pub fn new<W: Crew>(crew: &W, group: &Group) -> Parties {
        let mut workers: Vec<u32> = Vec::new();
        let mut lists: Vec<(Vec<u32>, Vec<u32>)> = Vec::new();
        let mut place = |(i, world): (usize, &u32)| {
            let Some((worker, at)) = crew.place_of(*world) else {
                // Never asked for.
                return PartyIndex {
                    party: u32::MAX,
                    index: 0,
                };
            };
            let party = workers.iter().position(|w| *w == worker);
            let party = party.unwrap_or_else(|| {
                workers.push(worker);
                lists.push(Default::default());
                lists.len() - 1
            });
            let (members, places) = &mut lists[party];
            members.push(i as u32);
            places.push(at);
            PartyIndex {
                party: party as u32,
                index: members.len() as u32 - 1,
            }
        };
        let places: Box<[PartyIndex]> = group.ranks().iter().enumerate().map(&mut place).collect();
        let list: Box<[Party]> = lists
            .into_iter()
            .map(|l| Party::new(l, places.len()))
            .collect();
        let here = |p: &PartyIndex| p.party != u32::MAX;
        let subtree = |p: &Party| is_subtree(&p.members, places.len());
        Parties {
            subtrees: list.len() > 1 && places.iter().all(here) && list.iter().all(subtree),
            list,
            places,
            algorithm: CacheLine(Cell::new(Algorithm::Done)),
            done: AtomicU32::new(0),
        }
    }

    #[inline]
    fn party(&self, me: usize) -> &Party {
        &self.list[self.places[me].party as usize]
    }

    #[inline]
    pub fn member(&self, me: usize) -> Member<'_> {
        let place = self.places[me];
        Member {
            party: &self.list[place.party as usize],
            index: place.index,
        }
    }

    /// What is to become of the last call, for member `me`.
    #[inline]
    pub(crate) fn algorithm(&self, me: usize) -> Algorithm {
        match self.party(me).told.get() {
            true => Algorithm::Inline,
            false => self.algorithm.0.get(),
        }
    }

    /// By whoever does what there is to do.
    #[inline]
    pub(crate) fn set_algorithm(&self, algorithm: Algorithm) {
        self.algorithm.0.set(algorithm);
    }

    /// A member leaves what its call amounts to; before [`Parties::sync`].
    #[inline]
    pub fn tell<C: Call>(&self, Member { party, index }: Member<'_>, call: &C) {
        let sign = party.sign(party.calls.get());
        let Some(brief) = call.brief() else {
            return sign.even.set(false);
        };
        if party.arrived.get() == 0 {
            sign.brief.set(brief);
            sign.even.set(true);
            if brief.bytes > 0 {
                let words = (brief.bytes * party.members.len()).div_ceil(16);
                let room = party.rooms[(party.calls.get() % 2) as usize].get();
                // SAFETY: the worker's own until the sign is up.
                let room = unsafe { &mut *room };
                if room.len() < words {
                    room.resize(words, 0);
                }
                sign.room.set(room.as_mut_ptr());
            }
        } else if !sign.even.get() || sign.brief.get() != brief {
            return sign.even.set(false);
        }
        if brief.bytes > 0 {
            // SAFETY: as above; room was made for all members.
            unsafe { call.give(party.contribution(sign, index, brief.bytes)) }
        }
    }

    /// All have come: are their calls told, and alike?
    #[inline]
    fn agree(&self, calls: u32) -> bool {
        let brief = self.list[0].sign(calls).brief.get();
        let alike = |s: &Sign| s.even.get() && s.brief.get() == brief;
        self.list.iter().all(|p| alike(p.sign(calls)))
    }

    /// A member has been released: if its call was told it takes the result, and that is all.
    #[inline]
    pub(crate) fn has_taken<C: Call>(&self, Member { party, index }: Member<'_>, call: &C) -> bool {
        if !party.told.get() {
            return false;
        }
        let me = party.members[index as usize] as usize;
        // SAFETY: who has not taken it has not arrived again, and so there is no other yet.
        unsafe { call.take(me, party.result.get().cast()) };
        true
    }

    /// Waits for all members here.  If their calls are not told alike (`call`: that of member `me`, for those that may be)
    /// one of them does `last` before any goes on, and then, if that is the algorithm, one of each party the `shares` of its
    /// members.
    #[inline]
    pub fn sync<C: Call, W: Crew>(
        &self,
        crew: &W,
        group: &Group,
        (Member { party, index }, kind): (Member<'_>, Kind),
        call: Option<&C>,
        last: impl FnOnce(),
        shares: impl FnOnce(&[u32]),
    ) {
        let n = party.arrived.get() + 1;
        if (n as usize) < party.members.len() {
            party.arrived.set(n);
            return crew.park();
        }
        let calls = party.calls.get();
        party.arrived.set(0);
        party.calls.set(calls.wrapping_add(1));
        let me = party.members[index as usize] as usize;
        if self.list.len() > 1 {
            if let Some(call) = call.filter(|_| C::SUBTREES && self.subtrees) {
                self.combine_own(call, party, calls);
            }
            self.meet(crew, group, (me, kind), calls);
        }
        match call.filter(|_| self.agree(calls)) {
            Some(call) => {
                party.told.set(true);
                self.combine(call, party, calls);
            }
            None => {
                party.told.set(false);
                self.untold(crew, group, (me, kind), calls, last);
                if self.algorithm.0.get() == Algorithm::Shares {
                    shares(&party.members);
                    party.calls.set(calls.wrapping_add(2));
                    if self.list.len() > 1 {
                        self.meet(crew, group, (me, kind), calls.wrapping_add(1));
                    }
                }
            }
        }
        chaos();
        let (before, from) = party.places.split_at(index as usize);
        crew.release(before.iter().chain(&from[1..]).copied());
    }

    /// The captain of a party that is a subtree.
    fn combine_own<C: Call>(&self, call: &C, party: &Party, calls: u32) {
        let sign = party.sign(calls);
        let bytes = sign.brief.get().bytes;
        if sign.even.get() && bytes > 0 {
            // SAFETY: all members of the party have given theirs, and nobody reads the last sum but one any more.
            unsafe { party.combine(call, sign, bytes, party.sum(calls)) }
        }
    }

    fn combine<C: Call>(&self, call: &C, party: &Party, calls: u32) {
        let bytes = self.list[0].sign(calls).brief.get().bytes;
        if bytes == 0 {
            return;
        }
        let (n, to) = (self.places.len(), party.result.get().cast());
        // SAFETY: nobody overwrites what belongs to this call while we have not come to the next.
        unsafe {
            if let ([party], true) = (&*self.list, C::SUBTREES) {
                return party.combine(call, party.sign(calls), bytes, to);
            }
            if C::SUBTREES && self.subtrees {
                let part = |i: usize| {
                    let p = self.member(i).party;
                    (p.sum(calls).cast_const(), p.covers())
                };
                return call.combine(part, n, to);
            }
            let part = |i: usize| {
                let Member { party, index } = self.member(i);
                let part = party.contribution(party.sign(calls), index, bytes);
                (part.cast_const(), 1)
            };
            call.combine(part, n, to);
        }
    }

    /// The captain of a party waits for the others.
    fn meet<W: Crew>(&self, crew: &W, group: &Group, (me, kind): (usize, Kind), calls: u32) {
        let party = self.party(me);
        let sign = party.sign(calls);
        sign.captain.set(me as u32);
        sign.call.store(calls.wrapping_add(1), Release);
        chaos();
        let all = || self.list.iter().all(|p| p.has_come(calls));
        self.wait(crew, party, kind, all);
        self.wake_sleepers(crew, group, party, calls);
    }

    /// What is to be done once for all.
    #[cold]
    fn untold<W: Crew>(
        &self,
        crew: &W,
        group: &Group,
        (me, kind): (usize, Kind),
        calls: u32,
        last: impl FnOnce(),
    ) {
        let party = self.party(me);
        let number = calls.wrapping_add(1);
        if !std::ptr::eq(party, &self.list[0]) {
            return self.wait(crew, party, kind, || self.done.load(Acquire) == number);
        }
        last();
        chaos();
        self.done.store(number, Release);
        self.wake_sleepers(crew, group, party, calls);
    }

    fn wait<W: Crew>(&self, crew: &W, party: &Party, kind: Kind, over: impl Fn() -> bool) {
        crew.linger(&over);
        while !over() {
            party.asleep.0.store(true, Relaxed);
            // Whoever has just come or is done sees this, or that is seen here.
            fence(SeqCst);
            if !over() {
                chaos();
                crew.block(kind.name());
            }
            party.asleep.0.store(false, Relaxed);
        }
    }

    /// Of those whose signs are up.
    fn wake_sleepers<W: Crew>(&self, crew: &W, group: &Group, party: &Party, calls: u32) {
        if self.list.len() == 1 {
            return;
        }
        fence(SeqCst);
        for other in self.list.iter().filter(|p| !std::ptr::eq(*p, party)) {
            if other.asleep.0.load(Relaxed) {
                crew.wake(group.ranks()[other.sign(calls).captain.get() as usize]);
            }
        }
    }
}
