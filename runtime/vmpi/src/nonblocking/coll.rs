//! Collectives while a checkpoint is under way: on which side of the line each entry is, and what becomes of results.
//!
//! A blocking collective is counted from the first of its group that a rank enters in an epoch; members that were in it
//! before are found by how often each has come to the meeting.  A non-blocking one is a group of its own.

use std::sync::MutexGuard;

use pc3_protocol::{Entries, Group, Phase, Stamp};

use super::{done, Stage, State};
use crate::coll::meeting::{Call, Registry, OWN};
use crate::coll::remote::{hash, Topic};
use crate::link::board;
use crate::state::{RankState, World};
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::group::Group as Ranks;
use pc3_vmpi_objects::wire::{Reader, Writer};

/// A collective that some here have entered since the epoch began.
pub(super) struct Round {
    entries: Entries,
    /// Of other processes' members.
    pub elsewhere: Entries,
    /// Members that were counted as they entered; the others had entered before.
    counted: u32,
    /// Members here.
    pub size: u32,
    /// Of the counted, those who have left.
    pub left: u32,
    /// In which epoch members of a non-blocking one have entered, by world rank.
    pub by: Vec<(u32, u32)>,
}

impl Round {
    pub fn new(size: u32) -> Round {
        Round {
            entries: Entries::default(),
            elsewhere: Entries::default(),
            counted: 0,
            size,
            left: 0,
            by: Vec::new(),
        }
    }

    pub fn add(&mut self, stamp: Stamp) {
        self.entries.add(stamp);
        self.counted += 1;
    }

    /// All entries.
    pub fn all(&self, before: u32) -> Entries {
        let mut all = self.here(before);
        all.join(&self.elsewhere);
        all
    }

    /// Those here, of which those that were not counted are from before the line.
    fn here(&self, before: u32) -> Entries {
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
    pub(super) group: Group,
    pub(super) n: u64,
    pub(super) epoch: u32,
    pub(super) generation: u64,
}

pub(crate) enum Entered {
    /// Its result is known.
    Again(Result<()>),
    /// To be done like any other.
    Now(Option<Ticket>),
}

/// The name of a group of collectives: the same in every run.
pub(super) fn name(id: u32, tag: u32, ranks: &Ranks, place: u64) -> Group {
    // What was made with its communicator is found by another name when that comes from a checkpoint.
    let tag = if tag == Registry::WHOLE { OWN } else { tag };
    let parts = [u64::from(id), u64::from(tag), hash(ranks), place];
    parts.iter().fold(0x9e37_79b9_7f4a_7c15, |h, p| {
        (h ^ p).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29)
    })
}

/// The newest epoch in which nobody had passed the line of the present one.
pub(super) fn before(s: &State) -> u32 {
    if let Some(apart) = &s.remote_epochs {
        return apart.heard.saturating_sub(1);
    }
    let least = s.members.iter().map(|m| m.epoch()).min();
    match s.members.iter().any(|m| m.phase() == Phase::Asked) {
        true => least.unwrap_or(0),
        false => least.unwrap_or(0).saturating_sub(1),
    }
}

/// Members in this process.
pub(super) fn here(world: &World, ranks: &Ranks) -> u32 {
    match world.remote() {
        None => ranks.size() as u32,
        Some(_) => {
            let here = |r: &&u32| world.local(**r).is_some();
            ranks.ranks().iter().filter(here).count() as u32
        }
    }
}

/// A group is counted from now on: its members here have come as often as `entered` says, the least of which is `round` (in
/// one process, 0).
fn know(
    s: &mut State,
    world: &World,
    group: Group,
    ranks: &Ranks,
    entered: &dyn Fn(usize) -> u32,
    round: u64,
) {
    if s.stage != Stage::Running || !s.known.insert(group) {
        return;
    }
    let local = || {
        let all = ranks.ranks().iter().enumerate();
        all.filter_map(|(i, rank)| Some((entered(i), world.slot_of(*rank)?)))
    };
    let least = local().map(|m| m.0).min().unwrap_or(0);
    let size = ranks.size() as u32;
    for (times, slot) in local() {
        let n = round + u64::from(times.wrapping_sub(least));
        s.members[slot as usize].has_entered(group, n, size);
        // Who is behind its line has not entered since.
        if let Some(taken) = &mut s.taken[slot as usize] {
            taken.line.clocks.entry(group).or_insert(n);
            taken.line.sizes.entry(group).or_insert(size);
        }
    }
}

/// Member `seat` of a meeting enters, of which there were `rounds` between processes.  `entered`: how often each member has come
/// there; `come`: counts this time, unless the result is known.
pub(crate) fn enter<C: Call>(
    me: &RankState,
    (id, tag, rounds): (u32, u32, u64),
    ranks: &Ranks,
    seat: usize,
    (entered, come): (&dyn Fn(usize) -> u32, &dyn Fn()),
    call: &C,
) -> Entered {
    let world = me.world();
    let mut s = world.nonblocking.step(me);
    s.begin(world);
    if !matches!(s.stage, Stage::Running | Stage::Replaying) {
        come();
        done(world, s);
        return Entered::Now(None);
    }
    let group = name(id, tag, ranks, 0);
    let (size, here) = (ranks.size() as u32, here(world, ranks));
    know(&mut s, world, group, ranks, entered, rounds);
    let (n, stamp) = s.member(me.slot).enter(group, size);
    if let Some(bytes) = s.member(me.slot).replayed_result(group, n) {
        s.member(me.slot)
            .formed(group, n, stamp.epoch, &Entries::default(), Vec::new());
        done(world, s);
        let mut r = Reader(&bytes);
        let put = call.put_result(seat, ranks.size(), &mut r, world);
        return Entered::Again(put.or_else(|e| fail(Class::ERR_INTERN, e.to_string())));
    }
    let round = s.rounds.entry((group, n));
    round.or_insert_with(|| Round::new(here)).add(stamp);
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
    let mut s = world.nonblocking.enter(me);
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
pub(super) fn keep(
    me: &RankState,
    s: &mut MutexGuard<'_, State>,
    entries: &Entries,
    epoch: u32,
    write: impl FnOnce(&mut Writer) -> bool,
) -> Option<Vec<u8>> {
    let member = &s.members[me.slot as usize];
    if !member.would_keep(epoch, entries) {
        return Some(Vec::new());
    }
    let mut w = Writer::default();
    write(&mut w).then_some(w.0)
}

pub(super) fn formed(
    me: &RankState,
    world: &World,
    s: &mut MutexGuard<'_, State>,
    ticket: &Ticket,
    entries: &Entries,
    kept: Option<Vec<u8>>,
) {
    let whole = kept.is_some();
    let (group, n) = (ticket.group, ticket.n);
    s.member(me.slot)
        .formed(group, n, ticket.epoch, entries, kept.unwrap_or_default());
    if !whole {
        s.give_up(
            world,
            "a collective whose result cannot be kept was entered before and behind the checkpoint"
                .to_owned(),
        );
    }
}

/// How members here have entered what other processes are told of now, if that counts.
pub(super) fn told(s: &State, world: &World, key: (Group, u64)) -> Option<Entries> {
    if !s.counts_apart() || s.stage == Stage::Replaying {
        return None;
    }
    let before = match s.stage {
        Stage::Running => before(s),
        _ => world.nonblocking.now(),
    };
    let round = s.rounds.get(&key);
    Some(
        round.map_or(Entries::of((before, before, Some(before))), |r| {
            r.here(before)
        }),
    )
}

/// What members here bring to a blocking collective goes to another process.
pub(crate) fn bring(me: &RankState, to: u32, topic: Topic, ranks: &Ranks, bytes: &[u8]) {
    let world = me.world();
    let s = world.nonblocking.enter(me);
    let key = (name(topic.id, topic.tag, ranks, 0), topic.round);
    let entries = told(&s, world, key);
    board::send(me, to, (topic, entries.as_ref()), bytes);
    done(world, s);
}

/// What the others bring is there: how they have entered.
pub(crate) fn brought(
    me: &RankState,
    topic: Topic,
    ranks: &Ranks,
    entered: &dyn Fn(usize) -> u32,
    elsewhere: &Entries,
) {
    let world = me.world();
    let mut s = world.nonblocking.enter(me);
    let group = name(topic.id, topic.tag, ranks, 0);
    know(&mut s, world, group, ranks, entered, topic.round);
    if let Some(round) = s.rounds.get_mut(&(group, topic.round)) {
        round.elsewhere.join(elsewhere);
    }
    done(world, s);
}
