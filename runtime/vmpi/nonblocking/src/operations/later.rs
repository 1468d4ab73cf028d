//! Non-blocking collectives while a checkpoint is under way: each is a group of its own.

use crate::machines::machines;
use pc3_vmpi_coll::common::common;
use std::sync::atomic::Ordering::*;
use std::sync::MutexGuard;

use pc3_protocol::{Entries, Group, Stamp};

use crate::machines::done;
use crate::operations::coll::{before, entries_to_send, formed, here, keep, name};
use crate::state::round::Round;
use crate::state::{Stage, State};
use pc3_vmpi_coll::above::Ticket;
use pc3_vmpi_coll::meeting::posted::{Posted, Work};
use pc3_vmpi_coll::meeting::rounds::Full;
use pc3_vmpi_coll::meeting::waiting::Over;
use pc3_vmpi_coll::meeting::{rounds, Call, Registry};
use pc3_vmpi_core::mail::request::Status;
use pc3_vmpi_core::p2p::Request;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::error::{fail, Class};
use pc3_vmpi_objects::wire::{Reader, Writer};

/// A non-blocking collective is initiated; true if it is over, because its result is known.
///
/// # Safety
/// The request is this rank's, its buffers are the library's.
#[cold]
pub unsafe fn join(me: &RankState, r: &Request) {
    let world = me.world();
    let mut s = machines(world).step(me);
    s.begin(world);
    let Some(p) = Posted::of(r) else {
        return done(world, s);
    };
    let counted = matches!(s.stage, Stage::Running | Stage::Replaying);
    if counted {
        let (group, n, size) = place(p);
        let stamp = s.member(me.slot).enter_as(group, n, size);
        if let Some(bytes) = s.member(me.slot).replayed_result(group, n) {
            let nobody = Entries::default();
            let member = s.member(me.slot);
            member.formed(group, n, stamp.epoch, &nobody, Vec::new());
            // SAFETY: the caller's promise; in no round.
            unsafe { complete_again(world, r, p, &bytes) };
            return done(world, s);
        }
        note(&mut s, me, p, stamp);
    }
    let from = Some(me.worker());
    // SAFETY: the caller's promise.
    match unsafe { rounds::enter_quietly(world, r) } {
        Some(Full::Over(over)) => finish(world, &mut s, over, &Entries::default(), from),
        Some(Full::Away(list)) => {
            let (group, n, _) = place(p);
            let entries = entries_to_send(&s, world, (group, n));
            // SAFETY: as above.
            let whole = unsafe { rounds::send_parts(world, me, list, entries.as_ref()) };
            if let Some((pending, parts)) = whole {
                let over = rounds::finish_quietly(world, pending, &parts);
                finish(world, &mut s, over, &parts.entries, from);
            }
        }
        None => {}
    }
    done(world, s);
}

/// A non-blocking collective is over for the members here.
pub fn finished(world: &World, over: Over, elsewhere: &Entries, from: Option<u32>) {
    let mut s = machines(world).lock();
    finish(world, &mut s, over, elsewhere, from);
    done(world, s);
}

fn finish(
    world: &World,
    s: &mut MutexGuard<'_, State>,
    over: Over,
    elsewhere: &Entries,
    from: Option<u32>,
) {
    let counted = matches!(s.stage, Stage::Running | Stage::Replaying);
    for (rank, r) in over.requests().filter(|_| counted) {
        // SAFETY: complete, and not yet told: their owners wait for the lock or see it later.
        let p = unsafe { Posted::of(&*r) };
        if let (Some(owner), Some(p)) = (world.local(rank), p) {
            formed_later(owner, world, s, p, elsewhere);
        }
    }
    over.tell(world, from);
}

fn note(s: &mut State, me: &RankState, p: &Posted, stamp: Stamp) {
    let (group, n, _) = place(p);
    let here = here(me.world(), &p.all);
    let round = s.rounds.entry((group, n));
    let round = round.or_insert_with(|| Round::new(here));
    round.add(stamp);
    round.by.push((me.rank, stamp.epoch));
}

/// A rank is about to pass its line: collectives of several processes that it has initiated on the usual way and that are
/// pending count from now on.
pub(crate) fn at_line(me: &RankState, s: &mut State) {
    if s.remote_epochs.is_none() {
        return;
    }
    let mut pending = Vec::new();
    let mut look = |r: &Request| {
        if let Some(p) = Posted::of(r).filter(|_| r.active.get() && !r.is_done()) {
            let (group, n, size) = place(p);
            let round = s.rounds.get(&(group, n));
            let known = round.is_some_and(|r| r.by.iter().any(|b| b.0 == me.rank));
            if !known {
                let stamp = s.member(me.slot).enter_as(group, n, size);
                pending.push((group, n, here(me.world(), &p.all), stamp));
            }
        }
    };
    me.requests.borrow().iter().for_each(|(_, r)| look(r.get()));
    me.detached().iter().for_each(|r| look(r.get()));
    for (group, n, here, stamp) in pending {
        let round = s.rounds.entry((group, n));
        let round = round.or_insert_with(|| Round::new(here));
        round.add(stamp);
        round.by.push((me.rank, stamp.epoch));
    }
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
fn formed_later(
    owner: &RankState,
    world: &World,
    s: &mut MutexGuard<'_, State>,
    p: &Posted,
    elsewhere: &Entries,
) {
    let (group, n, size) = place(p);
    let first = before(s);
    let here = here(world, &p.all);
    let round = s.rounds.entry((group, n));
    let round = round.or_insert_with(|| Round::new(here));
    round.elsewhere.join(elsewhere);
    let entries = round.all(first);
    let own = round.by.iter().find(|b| b.0 == owner.rank).map(|b| b.1);
    round.left += 1;
    if round.left == round.size {
        s.rounds.remove(&(group, n));
    }
    if own.is_none() && s.remote_epochs.is_some() {
        // Initiated on the usual way: others may ask how far all have come.
        s.member(owner.slot).has_entered(group, n, size);
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
    let meetings = common(world).meetings();
    let put = match &p.work {
        Work::Gate => Ok(()),
        Work::Dup { made, .. } => reader.u32().map(|id| {
            made.set(Some((id, meetings.find(id, Registry::WHOLE, &p.all))));
        }),
        Work::Move { .. } => p.as_move().map_or(Ok(()), |c| {
            c.put_result(p.seat, p.all.size(), &mut reader, world)
        }),
        Work::Reduce(_) => p.as_reduction().map_or(Ok(()), |c| {
            c.put_result(p.seat, p.all.size(), &mut reader, world)
        }),
    };
    // SAFETY: the caller's promise.
    unsafe {
        if let Err(e) = put {
            *p.error.get() = fail::<()>(Class::ERR_INTERN, e.to_string()).err();
        }
        r.set_status(Status::EMPTY);
    }
    r.done.store(true, Release);
}

/// A pending collective of a checkpoint: entered again, or its result is known.  True if it is over.
///
/// # Safety
/// Its rank does not run yet.
pub(crate) unsafe fn replay(world: &World, s: &mut State, me: &RankState, r: &Request) -> bool {
    let Some(p) = Posted::of(r) else { return false };
    let (group, n, _) = place(p);
    match s.members[me.slot as usize].replayed_result(group, n) {
        Some(bytes) => {
            // SAFETY: the caller's promise; the caller takes it out of its round.
            unsafe { complete_again(world, r, p, &bytes) };
            true
        }
        None => {
            let stamp = s.members[me.slot as usize].reenter(group, n);
            note(s, me, p, stamp);
            false
        }
    }
}
