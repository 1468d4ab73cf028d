//! Collectives while a checkpoint is under way: on which side of the line each entry is, and what becomes of results.
//!
//! A blocking collective is counted from the first of its group that a rank enters in an epoch; members that were in it
//! before are found by how often each has come to the meeting.  A non-blocking one is a group of its own.

use crate::machines::machines;
use std::sync::MutexGuard;

use pc3_protocol::{Entries, Group, Phase};

use crate::machines::done;
use crate::state::round::Round;
use crate::state::{Stage, State};
use pc3_vmpi_coll::above::{Entered, Outcome, Seats, Ticket};
use pc3_vmpi_coll::meeting::{Registry, OWN};
use pc3_vmpi_coll::remote::elsewhere::Topic;
use pc3_vmpi_coll::remote::places::hash;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_core::world::World;
use pc3_vmpi_link::collectives::frames::send;
use pc3_vmpi_link::link;
use pc3_vmpi_objects::error::{fail, Class};
use pc3_vmpi_objects::group::Group as Ranks;
use pc3_vmpi_objects::wire::{Reader, Writer};

/// The name of a group of collectives: the same in every run.
pub(crate) fn name(id: u32, tag: u32, ranks: &Ranks, place: u64) -> Group {
    // What was made with its communicator is found by another name when that comes from a checkpoint.
    let tag = if tag == Registry::WHOLE { OWN } else { tag };
    let parts = [u64::from(id), u64::from(tag), hash(ranks), place];
    parts.iter().fold(0x9e37_79b9_7f4a_7c15, |h, p| {
        (h ^ p).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29)
    })
}

/// The newest epoch in which nobody had passed the line of the present one.
pub(crate) fn before(s: &State) -> u32 {
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
pub(crate) fn here(world: &World, ranks: &Ranks) -> u32 {
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
pub fn enter(
    me: &RankState,
    (id, tag, rounds): (u32, u32, u64),
    ranks: &Ranks,
    seat: usize,
    (entered, come): Seats<'_>,
    call: &dyn Outcome,
) -> Entered {
    let world = me.world();
    let mut s = machines(world).step(me);
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
pub fn leave(
    me: &RankState,
    ticket: &Ticket,
    (seat, members): (usize, usize),
    call: &dyn Outcome,
    ok: bool,
) {
    let world = me.world();
    let mut s = machines(world).enter(me);
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
pub(crate) fn keep(
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

pub(crate) fn formed(
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
pub(crate) fn entries_to_send(s: &State, world: &World, key: (Group, u64)) -> Option<Entries> {
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

/// What members here bring to a blocking collective goes to another process, with how they and `others` have entered.
pub fn bring(
    me: &RankState,
    (to, topic): (u32, Topic),
    ranks: &Ranks,
    others: &Entries,
    bytes: &[u8],
) {
    let world = me.world();
    let s = machines(world).enter(me);
    let key = (name(topic.id, topic.tag, ranks, 0), topic.round);
    let mut entries = entries_to_send(&s, world, key);
    if let Some(entries) = &mut entries {
        entries.join(others);
    }
    send(link(world), to, (topic, entries.as_ref()), bytes);
    done(world, s);
}

/// What the others bring is there: how they have entered.
pub fn brought(
    me: &RankState,
    topic: Topic,
    ranks: &Ranks,
    entered: &dyn Fn(usize) -> u32,
    elsewhere: &Entries,
) {
    let world = me.world();
    let mut s = machines(world).enter(me);
    let group = name(topic.id, topic.tag, ranks, 0);
    know(&mut s, world, group, ranks, entered, topic.round);
    if let Some(round) = s.rounds.get_mut(&(group, topic.round)) {
        round.elsewhere.join(elsewhere);
    }
    done(world, s);
}
