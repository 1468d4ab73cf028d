//! Collectives while a checkpoint is under way: on which side of the line each entry is, and what becomes of results.
//!
//! A blocking collective is counted from the first of its group that a rank enters in an epoch; members that were in it
//! before are found by how often each has come to the meeting.  A non-blocking one is a group of its own.

use std::sync::atomic::Ordering::*;
use std::sync::MutexGuard;

use pc3_protocol::{Entries, Group, Phase, Stamp};

use super::{done, Stage, State};
use crate::coll::far::hash;
use crate::coll::meeting::{Call, Registry, OWN};
use crate::coll::posted::{Posted, Work};
use crate::coll::rounds;
use crate::error::{fail, Class, Result};
use crate::group::Group as Ranks;
use crate::p2p::request::Status;
use crate::p2p::Request;
use crate::state::{RankState, World};
use crate::wire::{Reader, Writer};

/// A collective that some have entered since the epoch began.
pub(super) struct Round {
    entries: Entries,
    /// Members that were counted as they entered; the others had entered before.
    counted: u32,
    size: u32,
    /// Of the counted, those who have left.
    left: u32,
    /// In which epoch members of a non-blocking one have entered, by world rank.
    by: Vec<(u32, u32)>,
}

impl Round {
    fn new(size: u32) -> Round {
        Round {
            entries: Entries::default(),
            counted: 0,
            size,
            left: 0,
            by: Vec::new(),
        }
    }

    fn add(&mut self, stamp: Stamp) {
        self.entries.add(stamp);
        self.counted += 1;
    }

    /// All entries, those that were not counted being from before the line.
    fn all(&self, before: u32) -> Entries {
        let mut all = self.entries;
        if self.counted < self.size {
            all.add(Stamp {
                epoch: before,
                ..Stamp::default()
            });
        }
        all
    }
}

/// A member that has entered, and has to say what came of it.
pub(crate) struct Ticket {
    group: Group,
    n: u64,
    epoch: u32,
    generation: u64,
}

pub(crate) enum Entered {
    /// Its result is known.
    Again(Result<()>),
    /// To be done like any other.
    Now(Option<Ticket>),
}

/// The name of a group of collectives: the same in every run.
fn name(id: u32, tag: u32, ranks: &Ranks, place: u64) -> Group {
    // What was made with its communicator is found by another name when that comes from a checkpoint.
    let tag = if tag == Registry::WHOLE { OWN } else { tag };
    let parts = [u64::from(id), u64::from(tag), hash(ranks), place];
    parts.iter().fold(0x9e37_79b9_7f4a_7c15, |h, p| {
        (h ^ p).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29)
    })
}

/// The newest epoch in which nobody had passed the line of the present one.
fn before(s: &State) -> u32 {
    let least = s.members.iter().map(|m| m.epoch()).min();
    match s.members.iter().any(|m| m.phase() == Phase::Asked) {
        true => least.unwrap_or(0),
        false => least.unwrap_or(0).saturating_sub(1),
    }
}

/// Member `seat` of a meeting enters.  `entered`: how often each member has come there; `come`: counts this time, unless the
/// result is known.
pub(crate) fn enter<C: Call>(
    me: &RankState,
    (id, tag): (u32, u32),
    ranks: &Ranks,
    seat: usize,
    (entered, come): (&dyn Fn(usize) -> u32, &dyn Fn()),
    call: &C,
) -> Entered {
    let world = me.world();
    let mut s = world.crossing.enter(me);
    s.begin(world);
    if !matches!(s.stage, Stage::Running | Stage::Replaying) {
        come();
        done(world, s);
        return Entered::Now(None);
    }
    let group = name(id, tag, ranks, 0);
    let size = ranks.size() as u32;
    if s.stage == Stage::Running && s.known.insert(group) {
        let least = (0..ranks.size()).map(entered).min().unwrap_or(0);
        for (i, rank) in ranks.ranks().iter().enumerate() {
            let n = entered(i).wrapping_sub(least);
            s.members[*rank as usize].has_entered(group, n.into(), size);
        }
    }
    let (n, stamp) = s.member(me.rank).enter(group, size);
    if let Some(bytes) = s.member(me.rank).replayed_result(group, n) {
        s.member(me.rank)
            .formed(group, n, stamp.epoch, &Entries::default(), Vec::new());
        done(world, s);
        let mut r = Reader(&bytes);
        let put = call.put_result(seat, ranks.size(), &mut r, world.meetings());
        return Entered::Again(put.or_else(|e| fail(Class::ERR_INTERN, e.to_string())));
    }
    let round = s.rounds.entry((group, n));
    round.or_insert_with(|| Round::new(size)).add(stamp);
    let generation = s.generation;
    come();
    done(world, s);
    Entered::Now(Some(Ticket {
        group,
        n,
        epoch: stamp.epoch,
        generation,
    }))
}

/// It leaves again, with a result.
pub(crate) fn leave<C: Call>(
    me: &RankState,
    ticket: &Ticket,
    (seat, members): (usize, usize),
    call: &C,
    ok: bool,
) {
    let world = me.world();
    let mut s = world.crossing.enter(me);
    if s.generation != ticket.generation {
        // The epoch that it entered in is over.
        return done(world, s);
    }
    let key = (ticket.group, ticket.n);
    let first = before(&s);
    let Some(round) = s.rounds.get_mut(&key) else {
        return done(world, s);
    };
    round.left += 1;
    let entries = round.all(first);
    if round.left == round.counted && round.counted == round.size {
        s.rounds.remove(&key);
    }
    let kept = keep(me, &mut s, &entries, ticket.epoch, |w| {
        ok && call.result(seat, members, w)
    });
    formed(me, world, &mut s, ticket, &entries, kept);
    done(world, s);
}

/// The result, if it may have to be kept: nothing is packed without need.  `None`: it cannot be.
fn keep(
    me: &RankState,
    s: &mut MutexGuard<'_, State>,
    entries: &Entries,
    epoch: u32,
    write: impl FnOnce(&mut Writer) -> bool,
) -> Option<Vec<u8>> {
    let member = &s.members[me.rank as usize];
    if !member.would_keep(epoch, entries) {
        return Some(Vec::new());
    }
    let mut w = Writer::default();
    write(&mut w).then_some(w.0)
}

fn formed(
    me: &RankState,
    world: &World,
    s: &mut MutexGuard<'_, State>,
    ticket: &Ticket,
    entries: &Entries,
    kept: Option<Vec<u8>>,
) {
    let whole = kept.is_some();
    let (group, n) = (ticket.group, ticket.n);
    s.member(me.rank)
        .formed(group, n, ticket.epoch, entries, kept.unwrap_or_default());
    if !whole {
        s.give_up(
            world,
            "a collective whose result cannot be kept was entered before and behind the checkpoint"
                .to_owned(),
        );
    }
}

/// A non-blocking collective is initiated; true if it is over, because its result is known.
///
/// # Safety
/// The request is this rank's, its buffers are the library's.
#[cold]
pub(crate) unsafe fn join(me: &RankState, r: &Request) {
    let world = me.world();
    let mut s = world.crossing.enter(me);
    s.begin(world);
    let Some(p) = r.posted() else {
        return done(world, s);
    };
    let counted = matches!(s.stage, Stage::Running | Stage::Replaying);
    if counted {
        let (group, n, size) = place(p);
        let stamp = s.member(me.rank).enter_as(group, n, size);
        if let Some(bytes) = s.member(me.rank).replayed_result(group, n) {
            let nobody = Entries::default();
            let member = s.member(me.rank);
            member.formed(group, n, stamp.epoch, &nobody, Vec::new());
            // SAFETY: the caller's promise; in no round.
            unsafe { complete_again(world, r, p, &bytes) };
            return done(world, s);
        }
        note(&mut s, me.rank, p, stamp);
    }
    // SAFETY: the caller's promise.
    let over = unsafe { rounds::enter_quietly(world, me, r, Some(me.worker())) };
    if let Some(over) = over {
        for (rank, r) in over.requests().filter(|_| counted) {
            // SAFETY: complete, and not yet told: their owners wait for the lock or see it later.
            let p = unsafe { (*r).posted() };
            if let (Some(owner), Some(p)) = (world.local(rank), p) {
                formed_later(owner, world, &mut s, p);
            }
        }
        over.tell(world, Some(me.worker()));
    }
    done(world, s);
}

fn note(s: &mut State, rank: u32, p: &Posted, stamp: Stamp) {
    let (group, n, size) = place(p);
    let round = s.rounds.entry((group, n));
    let round = round.or_insert_with(|| Round::new(size));
    round.add(stamp);
    round.by.push((rank, stamp.epoch));
}

fn place(p: &Posted) -> (Group, u64, u32) {
    let (place, times) = p.round();
    (
        name(p.id, u32::MAX - 3, &p.all, place + 1),
        times,
        p.all.size() as u32,
    )
}

/// What has come of a non-blocking collective, for one member.
fn formed_later(owner: &RankState, world: &World, s: &mut MutexGuard<'_, State>, p: &Posted) {
    let (group, n, size) = place(p);
    let first = before(s);
    let round = s.rounds.entry((group, n));
    let round = round.or_insert_with(|| Round::new(size));
    let entries = round.all(first);
    let own = round.by.iter().find(|b| b.0 == owner.rank).map(|b| b.1);
    round.left += 1;
    if round.left == round.size {
        s.rounds.remove(&(group, n));
    }
    let epoch = own.unwrap_or(first);
    let generation = s.generation;
    let ticket = Ticket {
        group,
        n,
        epoch,
        generation,
    };
    let kept = keep(owner, s, &entries, epoch, |w| write_posted(p, w));
    formed(owner, world, s, &ticket, &entries, kept);
}

fn write_posted(p: &Posted, w: &mut Writer) -> bool {
    // SAFETY: read by their owner only, when it is complete.
    if unsafe { (*p.error.get()).is_some() } {
        return false;
    }
    match &p.work {
        Work::Gate => true,
        Work::Move { .. } => p
            .as_move()
            .is_some_and(|c| c.result(p.seat, p.all.size(), w)),
        Work::Reduce(_) => p
            .as_reduction()
            .is_some_and(|c| c.result(p.seat, p.all.size(), w)),
        Work::Dup { made, .. } => {
            let name = made.take();
            let whole = name.as_ref().map(|(id, _)| w.u32(*id)).is_some();
            made.set(name);
            whole
        }
    }
}

/// # Safety
/// The request is pending, in no round, and its buffers are the library's.
unsafe fn complete_again(world: &World, r: &Request, p: &Posted, bytes: &[u8]) {
    let mut reader = Reader(bytes);
    let meetings = world.meetings();
    let put = match &p.work {
        Work::Gate => Ok(()),
        Work::Dup { made, .. } => reader.u32().map(|id| {
            made.set(Some((id, meetings.find(id, Registry::WHOLE, &p.all))));
        }),
        Work::Move { .. } => p.as_move().map_or(Ok(()), |c| {
            c.put_result(p.seat, p.all.size(), &mut reader, meetings)
        }),
        Work::Reduce(_) => p.as_reduction().map_or(Ok(()), |c| {
            c.put_result(p.seat, p.all.size(), &mut reader, meetings)
        }),
    };
    // SAFETY: the caller's promise.
    unsafe {
        if let Err(e) = put {
            *p.error.get() = fail::<()>(Class::ERR_INTERN, e.to_string()).err();
        }
        *r.status.get() = Status::EMPTY;
    }
    r.done.store(true, Release);
}

/// A pending collective of a checkpoint: entered again, or its result is known.  True if it is over.
///
/// # Safety
/// Its rank does not run yet.
pub(super) unsafe fn again(world: &World, s: &mut State, rank: u32, r: &Request) -> bool {
    let Some(p) = r.posted() else { return false };
    let (group, n, _) = place(p);
    match s.members[rank as usize].replayed_result(group, n) {
        Some(bytes) => {
            // SAFETY: the caller's promise; the caller takes it out of its round.
            unsafe { complete_again(world, r, p, &bytes) };
            true
        }
        None => {
            let stamp = s.members[rank as usize].again(group, n);
            note(s, rank, p, stamp);
            false
        }
    }
}
