//! Where the members of a communicator meet for non-blocking collectives.
//!
//! Members call them in one order, so the n-th call of one belongs with the n-th of the others, and
//! if it is persistent its starts with theirs.  Each leaves its request; whoever comes last does all of the work and completes the requests.
//! None is complete before all members have started it, which the standard allows, so a checkpoint
//! never finds one half done: it keeps the calls that wait for others, and nothing else.
//!
//! With members in other processes the last to come here sends those what they need of the calls here, along the tree or to each,
//! and whoever finds all parts there does the work for the members of this process: a function of
//! the program's is called in each of them, by a member that waits, or as one before a checkpoint.

use super::all::All;
use super::posted::{Posted, Work};
use super::waiting::{Climb, Over, Pending, RemoteParts};
use super::{at_once, part_of, same_kind, seats_of, with_parts, Call, Meeting};
use crate::common::common;
use crate::remote::elsewhere::Topic;
use crate::remote::few::{Addressed, CallSignature};
use crate::remote::members::Members;
use crate::remote::places::{hash, places};
use crate::remote::routed;
use crate::work::barrier::Gate;
use pc3_protocol::Entries;
use pc3_vmpi_core::p2p::Request;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::error::{fail, Class, Result};
use pc3_vmpi_objects::op::Op;
use pc3_vmpi_objects::wire::{Reader, Writer};
use std::marker::PhantomData;
use std::sync::PoisonError;

/// What follows when the last member here has called.
pub enum Full {
    /// Their requests are to be told.
    Over(Over),
    /// Other processes' members are to hear of it.
    Away(Vec<*const Request>),
}

/// The program's own function is called, for which a rank is needed.
pub fn needs_rank(pending: &Pending) -> bool {
    // SAFETY: pending, and all alike or never called.
    let first = unsafe { Posted::of(&*pending.0[0]) };
    first.is_some_and(|p| matches!(&p.work, Work::Reduce(r) if matches!(r.op, Op::User(_))))
}

/// Puts a request into its round; the last one to come completes them all.
///
/// # Safety
/// The request's buffers stay as MPI asks until it is complete.
pub unsafe fn join(me: &RankState, r: &Request) {
    // SAFETY: the caller's promise.
    unsafe {
        if me.world().nonblocking.is_slow() {
            common(me.world()).epochs.join(me, r);
        } else {
            enter(me.world(), me, r, Some(me.worker()));
        }
    }
}

/// A request of a checkpoint that waits for members elsewhere, once those can be told.
///
/// # Safety
/// As of [`join`].
pub unsafe fn join_again(world: &World, r: &Request) {
    if let Some(owner) = world.local(r.owner) {
        // SAFETY: the caller's promise.
        unsafe { enter(world, owner, r, None) }
    }
}

unsafe fn enter(world: &World, owner: &RankState, r: &Request, from: Option<u32>) {
    // SAFETY: the caller's promise.
    unsafe {
        match enter_quietly(world, r) {
            Some(Full::Over(over)) => over.tell(world, from),
            Some(Full::Away(list)) => {
                if let Some((pending, parts)) = send_parts(world, owner, list, None) {
                    finish(world, pending, parts, from);
                }
            }
            None => {}
        }
    }
}

/// The same, without telling anybody.
///
/// # Safety
/// As of [`join`].
pub unsafe fn enter_quietly(world: &World, r: &Request) -> Option<Full> {
    let p = Posted::of(r)?;
    let remote = world.spans(&p.all);
    let here = |w: &&u32| world.local(**w).is_some();
    let members = match remote {
        true => p.all.ranks().iter().filter(here).count(),
        false => p.meeting.size(),
    };
    let full = {
        let rounds = &p.meeting.rounds.0;
        let mut map = rounds.lock().unwrap_or_else(PoisonError::into_inner);
        let round = p.round();
        let list = map.entry(round).or_default();
        list.push(r as *const Request);
        (list.len() == members)
            .then(|| map.remove(&round))
            .flatten()
    };
    let mut list = full?;
    // SAFETY: requests in a round are pending, and the work of this one is ours alone.
    unsafe {
        list.sort_unstable_by_key(|r| Posted::of(&**r).map(|p| p.seat));
        if remote {
            return Some(Full::Away(list));
        }
        let outcomes = work(world, &posted(&list), p.seat);
        Some(Full::Over(over(list, outcomes)))
    }
}

/// Takes a request of a checkpoint out again, which has become complete by itself.
pub fn leave(r: &Request) {
    if let Some(p) = Posted::of(r) {
        let rounds = &p.meeting.rounds.0;
        let mut map = rounds.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(list) = map.get_mut(&p.round()) {
            list.retain(|q| !std::ptr::eq(*q, r));
        }
    }
}

/// Puts back a request of a checkpoint, in which no round is complete.
pub fn wait(r: &Request) {
    if let Some(p) = Posted::of(r) {
        let mut map = p
            .meeting
            .rounds
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        map.entry(p.round()).or_default().push(r);
    }
}

unsafe fn posted<'a>(list: &[*const Request]) -> Vec<&'a Posted> {
    // SAFETY: the caller's: requests that are pending.
    list.iter()
        .filter_map(|r| unsafe { Posted::of(&**r) })
        .collect()
}

/// # Safety
/// All are pending.
unsafe fn over(list: Vec<*const Request>, outcomes: Vec<Result<()>>) -> Over {
    let mut status = Vec::with_capacity(list.len());
    for (&r, outcome) in list.iter().zip(outcomes) {
        let error = outcome.err();
        status.push(error.as_ref().map_or(Class::SUCCESS, |e| e.class));
        // SAFETY: the caller's promise: nobody looks yet.
        unsafe {
            if let Some(p) = Posted::of(&*r) {
                *p.error.get() = error;
            }
        }
    }
    Over { list, status }
}

/// What becomes of each member's call.
fn work(world: &World, all: &[&Posted], runner: usize) -> Vec<Result<()>> {
    if let Err(e) = same_kind(|i| all[i].kind, all.len(), runner) {
        return all.iter().map(|_| Err(e.clone())).collect();
    }
    match all[runner].work {
        Work::Gate => {
            let calls: Vec<Gate> = all.iter().map(|p| Gate(p.kind)).collect();
            at_once(&calls, runner)
        }
        Work::Move { .. } => {
            let calls: Vec<_> = all.iter().filter_map(|p| p.as_move()).collect();
            at_once(&calls, runner)
        }
        Work::Reduce(_) => {
            let calls: Vec<_> = all.iter().filter_map(|p| p.as_reduction()).collect();
            at_once(&calls, runner)
        }
        Work::Dup { .. } => made(world.late_id(), all),
    }
}

/// The new communicator of MPI_Comm_idup.
fn made(id: u32, all: &[&Posted]) -> Vec<Result<()>> {
    let meeting = Meeting::new(all[0].all.size(), id);
    for p in all {
        if let Work::Dup { made, .. } = &p.work {
            made.set(Some((id, meeting.clone())));
        }
    }
    all.iter().map(|_| Ok(())).collect()
}

/// All members here have called: the other processes get what they need of that, with how these entered if that counts.  What
/// is to be done if theirs is there already.
///
/// # Safety
/// The requests are pending, and in no round.
pub unsafe fn send_parts(
    world: &World,
    owner: &RankState,
    list: Vec<*const Request>,
    entries: Option<&Entries>,
) -> Option<(Pending, RemoteParts)> {
    // SAFETY: pending.
    let mine = unsafe { posted(&list) };
    let out = common(world).elsewhere(owner);
    let topic = topic(mine[0]);
    let meeting = &mine[0].meeting;
    let remote = meeting.members(world, &mine[0].all);
    if let Some((record, own)) = routed_part(world, &mine, remote) {
        let members = remote.clone();
        let entries = entries.cloned();
        let pending = Pending(list);
        let climb = Climb {
            pending,
            members,
            record,
            own,
            entries,
        };
        return out.climb(topic, climb);
    }
    let pending = Pending(list);
    let processes = for_each_process(world, &pending, |process, part| {
        out.send(process, (topic, entries), &part);
    });
    out.enter(topic, pending, processes)
}

fn topic(p: &Posted) -> Topic {
    Topic {
        id: p.id,
        tag: Topic::APART,
        group: hash(&p.all),
        round: p.place,
        phase: p.times.get() as u32,
    }
}

/// What each other process needs of these calls; how many these are.
pub fn for_each_process(world: &World, pending: &Pending, send: impl Fn(u32, Vec<u8>)) -> usize {
    // SAFETY: pending.
    let mine = unsafe { posted(&pending.0) };
    let places = places(world, &mine[0].all);
    for (process, to) in places.iter().filter(|p| *p.0 != world.index()) {
        send(*process, part(world, &mine, to));
    }
    places.len() - 1
}

/// The same for the tree, if it may go along that.
fn routed_part(
    world: &World,
    mine: &[&Posted],
    remote: &Members,
) -> Option<(CallSignature, Vec<u8>)> {
    remote.tree.as_ref()?;
    let root = |p: &Posted| match &p.work {
        Work::Move { root, .. } => *root,
        Work::Reduce(r) => r.root,
        Work::Gate | Work::Dup { .. } => 0,
    };
    let first = root(mine[0]);
    let belong = alike(mine) && mine.iter().all(|p| root(p) == first);
    let addressed = addressed(mine).filter(|_| belong)?;
    let record = CallSignature::routed(mine[0].kind, first)?;
    let process = |member: usize| world.process_of(mine[0].all.ranks()[member]);
    let part = |to: &[usize]| part(world, mine, to);
    let own = routed::write((remote, world.index()), (addressed, process), part);
    Some((record, own))
}

fn addressed(mine: &[&Posted]) -> Option<Addressed> {
    fn of<C: Call>(mine: &[(usize, C)], n: usize) -> Option<Addressed> {
        let all = All::<C> {
            seats: &seats_of(n, mine),
            of: PhantomData,
        };
        let here: Vec<usize> = mine.iter().map(|m| m.0).collect();
        C::addressed(&all, &here)
    }
    let n = mine[0].all.size();
    match &mine[0].work {
        Work::Gate | Work::Dup { .. } => Some(Addressed::Nobody),
        Work::Move { .. } => of(&calls(mine, |p| p.as_move()), n),
        Work::Reduce(_) => of(&calls(mine, |p| p.as_reduction()), n),
    }
}

fn alike(mine: &[&Posted]) -> bool {
    mine.iter().all(|p| p.kind == mine[0].kind)
}

fn calls<'a, C: Call>(
    mine: &[&'a Posted],
    call: impl Fn(&'a Posted) -> Option<C>,
) -> Vec<(usize, C)> {
    let one = |p: &&'a Posted| Some((p.seat, call(p)?));
    mine.iter().filter_map(one).collect()
}

fn part(world: &World, mine: &[&Posted], to: &[usize]) -> Vec<u8> {
    let n = mine[0].all.size();
    // As `remote::parts::write_part` begins: whoever reads it may have called something else.
    let kinds = |w: &mut Writer| {
        w.u8(0);
        mine.iter().for_each(|p| w.u32(p.kind as u32));
    };
    let mut w = Writer::default();
    if !alike(mine) {
        kinds(&mut w);
        return w.0;
    }
    match &mine[0].work {
        Work::Gate => part_of(n, &calls(mine, |p| Some(Gate(p.kind))), to),
        Work::Move { .. } => part_of(n, &calls(mine, |p| p.as_move()), to),
        Work::Reduce(_) => part_of(n, &calls(mine, |p| p.as_reduction()), to),
        Work::Dup { made, .. } => {
            kinds(&mut w);
            // The process of the first member says what it is called.
            let first = mine[0].seat == 0;
            let id = match made.take() {
                Some((id, meeting)) => {
                    made.set(Some((id, meeting)));
                    id
                }
                None if first => {
                    let id = world.late_id();
                    made.set(Some((id, Meeting::new(n, id))));
                    id
                }
                None => 0,
            };
            w.u32(id);
            w.0
        }
    }
}

/// All calls are here: does the work for the members of this process.
pub fn finish(world: &World, pending: Pending, parts: RemoteParts, from: Option<u32>) {
    let over = finish_quietly(world, pending, &parts);
    if world.nonblocking.is_slow() {
        common(world)
            .epochs
            .finished(world, over, &parts.entries, from);
    } else {
        over.tell(world, from);
    }
}

/// The same, without telling anybody.
pub fn finish_quietly(world: &World, pending: Pending, parts: &RemoteParts) -> Over {
    let list = pending.0;
    // SAFETY: pending, and ours alone.
    unsafe {
        let mine = posted(&list);
        let me = RankState::try_current().map(|me| me.rank);
        let at = list.iter().position(|r| Some((**r).owner) == me);
        let runner = mine[at.unwrap_or(0)].seat;
        let outcomes = outcomes(world, &mine, &parts.list, runner);
        over(list, outcomes)
    }
}

type Bytes = (u32, Box<[u8]>);

fn outcomes(world: &World, mine: &[&Posted], parts: &[Bytes], runner: usize) -> Vec<Result<()>> {
    let group = &mine[0].all;
    let n = group.size();
    let places = places(world, group);
    if let Err(e) = same_kind(|i| mine[i].kind, mine.len(), 0) {
        return mine.iter().map(|_| Err(e.clone())).collect();
    }
    match &mine[0].work {
        Work::Gate => with_parts(
            n,
            &calls(mine, |p| Some(Gate(p.kind))),
            &places,
            parts,
            runner,
        ),
        Work::Move { .. } => with_parts(n, &calls(mine, |p| p.as_move()), &places, parts, runner),
        Work::Reduce(_) => with_parts(
            n,
            &calls(mine, |p| p.as_reduction()),
            &places,
            parts,
            runner,
        ),
        Work::Dup { made: own, .. } => {
            let own = own.take().map(|m| m.0);
            let first = world.process_of(group.ranks()[0]);
            let mut id = own;
            for (process, bytes) in parts {
                let mut r = Reader(bytes);
                let _ = r.u8();
                for _ in places.get(process).into_iter().flatten() {
                    if r.u32().ok() != Some(mine[0].kind as u32) {
                        let e = fail(
                            Class::ERR_OTHER,
                            "members of one communicator are in different collectives",
                        );
                        return mine.iter().map(|_| e.clone()).collect();
                    }
                }
                if *process == first {
                    id = r.u32().ok();
                }
            }
            let Some(id) = id else {
                let e = fail(Class::ERR_INTERN, "MPI_Comm_idup: no name");
                return mine.iter().map(|_| e.clone()).collect();
            };
            world.known_late_id(id);
            made(id, mine)
        }
    }
}
