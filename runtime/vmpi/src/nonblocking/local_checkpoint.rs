//! Local checkpoints: when a rank takes its own, how all become one, and how ranks go on from them.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;
use std::sync::atomic::Ordering::*;
use std::sync::PoisonError;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use pc3_protocol::{Member, Phase, Rules};
use pc3_runtime::chaos;
use pc3_runtime::checkpoint::{self, After, LocalCheckpoints, Written};
use pc3_runtime::control::without_signals;
use pc3_runtime::rank::Rank;
use pc3_runtime::save::Part;
use pc3_runtime::skipped_checkpoint::Skipped;
use pc3_runtime::transfer::{LoadCtx, LoadError, SaveCtx};

use super::{done, later, p2p, record, remote, remote_epochs, room, Plan, Stage, State, Taken};
use crate::coll::rounds;
use crate::coord::furthest_of_all;
use crate::deadlock;
use crate::p2p::request::{Mode, Request, What};
use crate::state::{self, RankState, World};
use crate::stats;
use pc3_vmpi_objects::wire::{Read, Reader, Writer};

/// So many epochs in a row that were disturbed by what ranks do with files are tried again.
const PATIENCE: u32 = 16;

/// A rank is at a location: is it to unwind and take its local checkpoint?
pub(crate) fn due(world: &World, rank: &mut Rank) -> bool {
    let me = world.rank(rank.id() as u32);
    let passed = rank.count_passages();
    let job = rank.job();
    let wanted = job.control.wanted(passed);
    if !world.nonblocking.is_slow() && !wanted {
        return false;
    }
    let mut s = world.nonblocking.enter(me);
    // Another rank may have begun it meanwhile.
    if s.stage == Stage::Idle && job.control.wanted(passed) {
        s.want(world);
        s.seen[me.slot as usize] = true;
    }
    s.begin(world);
    if me.has_chores() {
        // All parts of these calls have come, some on the usual way: behind the line nobody would be told of them.
        drop(s);
        me.do_chores();
        s = world.nonblocking.enter(me);
    }
    let unreceived = waits_for_receiver(me);
    if unreceived && s.member(me.slot).phase() == Phase::Asked {
        s.plan.unreceived.insert(me.rank);
    }
    let waits = unreceived || remote::waits_for_content(me);
    let takes = !waits && s.member(me.slot).at_location();
    let others = !takes && s.waits_for_lines();
    if takes {
        s.plan.unreceived.remove(&me.rank);
    }
    done(world, s);
    if others {
        // Ranks that have much to receive would pass location after location before others of their worker come to one.
        me.yield_now();
    }
    takes
}

/// Has it a synchronous message that nobody has received?  What becomes of that is not its own affair.
fn waits_for_receiver(me: &RankState) -> bool {
    let pending = |r: &Request| {
        r.what == What::Send(Mode::Synchronous) && r.active.get() && !r.null && !r.is_done()
    };
    me.requests.borrow().iter().any(|(_, r)| pending(r.get()))
        || me.detached().iter().any(|r| pending(r.get()))
}

/// A rank's stack is empty: takes its local checkpoint.
pub(crate) fn unwound(world: &World, rank: &mut Rank) {
    let start = Instant::now();
    let me = world.rank(rank.id() as u32);
    let mut s = world.nonblocking.enter(me);
    if s.member(me.slot).phase() != Phase::Asked {
        // Given up meanwhile.
        return done(world, s);
    }
    if let Err(why) = room::for_line(me) {
        s.give_up(world, why);
        return done(world, s);
    }
    let engine = pass(me, rank, &mut s);
    drop(s);
    chaos();
    let part = part(me, rank, &engine);
    let mut s = world.nonblocking.enter(me);
    s.plan.stalls.0.push((u64::from(me.rank), start.elapsed()));
    store(&mut s, world, me, part);
    done(world, s);
}

/// What is the rank's own.
fn part(me: &RankState, rank: &mut Rank, engine: &[u8]) -> Result<Part, Skipped> {
    let part = checkpoint::part(&rank.job().clone(), rank, engine);
    me.pending_at_line.borrow_mut().clear();
    part
}

/// The rank passes its line; what the virtual MPI keeps of it.
fn pass(me: &RankState, rank: &Rank, s: &mut State) -> Vec<u8> {
    let world = me.world();
    if let Some(guest) = rank.guest.as_deref() {
        // What it holds back has been written before the line.
        guest.flush();
        let requests = me.requests.borrow();
        let pending = requests.iter().filter(|(_, r)| !r.get().is_done());
        *me.pending_at_line.borrow_mut() = pending.map(|(handle, _)| handle).collect();
    }
    if let (None, 0, Some(job)) = (&s.remote_epochs, s.lined, world.job.get()) {
        job.lines_begin();
    }
    later::at_line(me, s);
    let mut line = s.member(me.slot).take();
    rank.passes_line();
    s.one_more_line(world);
    p2p::at_line(me, s, &mut line);
    s.taken[me.slot as usize] = Some(Taken {
        line,
        ..Taken::default()
    });
    state::save::save(me, &SaveCtx::default())
}

fn store(s: &mut State, world: &World, me: &RankState, part: Result<Part, Skipped>) {
    let Some(job) = world.job.get() else { return };
    let Some(taken) = &mut s.taken[me.slot as usize] else {
        return;
    };
    let part = taken.part.insert(part);
    s.stored += 1;
    let part = match part {
        Ok(part) => part,
        Err(why) => {
            let why = why.clone();
            return s.give_up(world, why);
        }
    };
    s.plan.passage = s.plan.passage.max(part.passages());
    let mut numbers = part.descriptors().iter();
    let twice = numbers.find(|n| !s.descriptors.insert(**n)).copied();
    let mut why = twice.map(two_had);
    // When all have passed their lines; before that, not for each.
    if why.is_none() && (s.all_stored() || s.stored.is_power_of_two()) {
        why = job.lines_clash();
    }
    if let Some(why) = why {
        s.plan.disturbed = true;
        // All that crosses the lines may be known, and the epoch past giving up, before the last rank is copied.
        s.spoilt.get_or_insert_with(|| why.clone().into());
        s.give_up(world, why);
    }
}

fn two_had(number: u64) -> String {
    format!("descriptor {number} was one rank's file at its local checkpoint and another's at the other's, each time; use the barrier protocol")
}

pub(super) fn take_ended(s: &mut State, world: &World) {
    for i in 0..s.ended.len() {
        let slot = s.ended[i];
        take_one_ended(s, &world.ranks()[slot as usize]);
    }
}

/// A rank that has ended is always at a location.
fn take_one_ended(s: &mut State, me: &RankState) {
    if s.members[me.slot as usize].at_location() {
        let Some(rank) = me.exec() else { return };
        if let Err(why) = room::for_line(me) {
            return s.give_up(me.world(), why);
        }
        let engine = pass(me, rank, s);
        let part = part(me, rank, &engine);
        store(s, me.world(), me, part);
    }
}

/// A rank that is spawned behind the line of its root: the checkpoint has it as it begins.
pub(super) fn take_unborn(s: &mut State, me: &RankState) {
    let Some(rank) = me.exec() else { return };
    s.taken[me.slot as usize] = Some(Taken::default());
    s.one_more_line(me.world());
    let engine = state::save::save(me, &SaveCtx::default());
    let part = part(me, rank, &engine);
    store(s, me.world(), me, part);
}

/// The program of a rank is over.
pub(crate) fn ended(world: &World, me: &RankState) {
    let mut s = world.nonblocking.enter(me);
    s.end_of(me);
    s.begin(world);
    take_one_ended(&mut s, me);
    done(world, s);
}

impl State {
    /// Are there ranks here that have yet to come to a location, or to where all is counted?
    fn waits_for_lines(&self) -> bool {
        match self.stage {
            Stage::Gathering => true,
            Stage::Running => !self.all_stored(),
            Stage::Idle | Stage::Replaying => false,
        }
    }

    /// A rank has passed its line.
    fn one_more_line(&mut self, world: &World) {
        self.lined += 1;
        let all = self.lined >= self.members.len() - self.born;
        if let Some(job) = world
            .job
            .get()
            .filter(|_| all && self.remote_epochs.is_none())
        {
            let passed = job.lines_passed();
            self.plan.output = Some(passed.map(|(places, printed)| {
                for (rank, output, times) in printed {
                    if let Some(me) = world.local(rank) {
                        self.members[me.slot as usize].printed(output, times);
                    }
                }
                places
            }));
        }
    }

    fn end_of(&mut self, me: &RankState) {
        self.member(me.slot).end();
        self.ended.push(me.slot);
    }
}

/// Ranks here that the epoch waits for: to be seen before it begins, then to take their local checkpoints.
pub(super) fn missing(s: &State, world: &World) -> String {
    let list: Vec<String> = late_slots(s, world)
        .map(|slot| world.ranks()[slot as usize].rank.to_string())
        .collect();
    let more = list.len().saturating_sub(10);
    let mut text = list[..list.len() - more].join(", ");
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    match list.len() {
        0 if s.remote_epochs.is_some() => "ranks of other processes".to_owned(),
        1 => format!("rank {text}"),
        _ => format!("ranks {text}"),
    }
}

/// Locations at which these could not be saved.
fn held_back(ranks: &BTreeSet<u32>) -> String {
    let list: Vec<String> = ranks.iter().take(10).map(u32::to_string).collect();
    let (rank, have) = match ranks.len() {
        0 => return String::new(),
        1 => ("rank", "has"),
        _ => ("ranks", "have"),
    };
    let more = match ranks.len() - list.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let list = list.join(", ");
    format!(
        "; {rank} {list}{more} {have} passed some, waiting for what MPI_Ssend or MPI_Issend sent to be received"
    )
}

pub(super) fn late_slots<'a>(s: &'a State, world: &'a World) -> impl Iterator<Item = u32> + 'a {
    let gathers = s.stage == Stage::Gathering;
    (0..s.members.len() as u32).filter(move |slot| match gathers {
        true => !s.is_there(world, *slot),
        false => s.members[*slot as usize].phase() == Phase::Asked,
    })
}

/// A thread looks whether all come to a location in time.
pub(super) fn watch(s: &mut State, world: &World) {
    world.nonblocking.news.notify_all();
    if s.watcher.is_some() {
        return;
    }
    let shared = Shared(std::ptr::from_ref(world));
    let name = "pc3-watch".to_owned();
    let look = move || {
        let shared = shared;
        // SAFETY: the world waits for this thread before it ends.
        look(unsafe { &*{ shared }.0 });
    };
    // Without it a rank that comes to no location is waited for.
    s.watcher = without_signals(|| std::thread::Builder::new().name(name).spawn(look)).ok();
}

fn look(world: &World) {
    let Some(job) = world.job.get() else { return };
    let news = &world.nonblocking.news;
    let patience = job.patience;
    let mut s = world.nonblocking.lock();
    while !s.is_over {
        let missing = match s.stage {
            Stage::Gathering => true,
            Stage::Running => s.members.iter().any(|m| m.phase() == Phase::Asked),
            Stage::Idle | Stage::Replaying => false,
        };
        let missing = missing && !s.refused;
        // Processes whose ranks are late say so themselves.
        let others = s.stage == Stage::Gathering && s.all_there(world);
        let patience = if others { patience * 2 } else { patience };
        let age = s.plan.since.elapsed();
        if missing && age >= patience {
            let late = self::missing(&s, world);
            let slots = late_slots(&s, world).map(|slot| &world.ranks()[slot as usize]);
            let what = match deadlock::whereabouts(slots) {
                text if text.is_empty() => text,
                text => format!(": {text}"),
            };
            let held = held_back(&s.plan.unreceived);
            let why = format!(
                "{late} came to no location within {patience:?} (PC3_PATIENCE){what}{held}"
            );
            s.give_up(world, why);
            s.pump(world);
            continue;
        }
        let pause = match missing {
            true => patience - age,
            false => Duration::from_secs(3600),
        };
        // What is not missing now may be so in the next epoch, of which there is news.
        let woken = news.wait_timeout(s, pause);
        s = woken.unwrap_or_else(PoisonError::into_inner).0;
    }
}

/// What has become of an epoch that was given up.
pub(super) fn report(s: &mut State, world: &World) {
    let Some(job) = world.job.get() else { return };
    let Some(why) = s.why.take() else { return };
    let again = take(&mut s.plan.disturbed) && s.plan.in_vain < PATIENCE;
    s.plan.in_vain = if again { s.plan.in_vain + 1 } else { 0 };
    // The next one is due behind where somebody is.
    let passage = s.plan.passage.max(furthest_of_all(world));
    let Plan { asked, since, .. } = s.plan;
    job.gave_up(passage, &why, asked, again, since);
}

/// Everything is there: a thread of its own writes it, and nobody waits for that.
pub(super) fn commit(s: &mut State, world: &World) {
    let Some(job) = world.job.get().cloned() else {
        return;
    };
    let spoilt = s.spoilt.take();
    let (places, stirred) = match s.plan.output.take() {
        Some(Err(why)) => (Vec::new(), Some(why)),
        output => (output.and_then(Result::ok).unwrap_or_default(), None),
    };
    let (mut obstacle, disturbed) = match s.plan.disturbed {
        true => (None, spoilt.map(|e| e.why().to_owned())),
        false => (spoilt, None),
    };
    // Of those that take part: others may just have been spawned.
    for (slot, me) in world.ranks().iter().enumerate().take(s.members.len()) {
        if let Err(why) = s.line_has_room(me.rank, slot) {
            obstacle.get_or_insert(why);
        }
    }
    if obstacle.is_some() {
        s.taken.iter_mut().for_each(|t| *t = None);
    }
    let mut parts = Vec::new();
    for (taken, member) in s.taken.iter_mut().zip(&mut s.members) {
        let Some(taken) = taken.take() else { continue };
        let log = member.saved_log();
        let line = record::write(world, &taken.line, log, &taken.late, taken.late_count);
        match taken.part {
            Some(Ok(mut part)) => {
                part.set_outputs(&places);
                parts.push((part, line));
            }
            Some(Err(why)) => obstacle = Some(why),
            None => {}
        }
    }
    let disturbed = disturbed.or(stirred);
    let outputs: Vec<_> = parts.iter().flat_map(|(part, _)| part.outputs()).collect();
    s.written = true;
    let (passage, asked, since) = (s.plan.passage, s.plan.asked, s.plan.since);
    let stalls = take(&mut s.plan.stalls);
    let before = s.writer.take();
    let world = Shared(std::ptr::from_ref(world));
    let write = move || {
        let shared = world;
        // What processes say to each other of one checkpoint is not for the next.
        drop(before.map(JoinHandle::join));
        // SAFETY: the world waits for this thread before it ends.
        let world = unsafe { &*{ shared }.0 };
        let written = checkpoint::commit_local(
            &job,
            LocalCheckpoints {
                parts: obstacle.map_or(Ok(&parts), Err),
                passage,
                asked,
                since,
                stalls,
                disturbed,
            },
        );
        drop(parts);
        // That they do not fit together only the first process knows: the others give what they have counted in any case.
        stats::checkpoint(world, &job);
        let disturbed = match written {
            Written::Disturbed(why) => Some(why),
            Written::After(after) => {
                chaos();
                if after == After::Stop {
                    stats::end(world, &job);
                    job.stop(Some(&outputs));
                }
                None
            }
        };
        let mut s = world.nonblocking.lock();
        match disturbed {
            Some(why) => {
                s.plan.disturbed = true;
                s.why = Some(why.into());
                report(&mut s, world);
            }
            None => s.plan.in_vain = 0,
        }
        if job.peers().is_none_or(|p| p.index() == 0) {
            let outs = s.node.committed();
            s.carry(world, outs);
        }
        done(world, s);
    };
    let name = "pc3-commit".to_owned();
    match without_signals(|| std::thread::Builder::new().name(name).spawn(write)) {
        Ok(handle) => s.writer = Some(handle),
        Err(e) => {
            let world = world_of(&world);
            let why = format!("no thread can be started to write it: {e}");
            if let Some(link) = world.remote() {
                // The others wait for what it says.
                link.fail(&why);
            }
            // Whoever asked is told, and nothing is left half done.
            s.why = Some(why.into());
            report(s, world);
            let outs = s.node.committed();
            s.carry(world, outs);
        }
    }
}

#[derive(Clone, Copy)]
struct Shared(*const World);
// SAFETY: worlds are used by all threads.
unsafe impl Send for Shared {}

fn world_of(shared: &Shared) -> &World {
    // SAFETY: made of a reference by the only caller.
    unsafe { &*shared.0 }
}

/// A rank's line from a checkpoint; its requests and messages are there already.
pub(crate) fn load(me: &RankState, bytes: &[u8], ctx: &dyn LoadCtx) -> Result<(), LoadError> {
    let world = me.world();
    let recovered = record::read(bytes, world, &state::message::senders(world), ctx)?;
    world.nonblocking.lock().recovered[me.slot as usize] = Some(recovered);
    Ok(())
}

/// All ranks are loaded: what was logged is to be done again.
pub(crate) fn recover(world: &World) -> Result<(), String> {
    let mut s = world.nonblocking.lock();
    let all: Vec<_> = s.recovered.iter_mut().map(Option::take).collect();
    if all.iter().all(Option::is_none) {
        return Ok(());
    }
    let missing = all.iter().zip(world.ranks()).find(|(r, _)| r.is_none());
    if let Some((_, me)) = missing {
        return Err(format!("rank {} has no line of its own", me.rank));
    }
    let all: Vec<record::Recovered> = all.into_iter().flatten().collect();
    let lines = world.ranks().iter().zip(&all);
    let early = lines.flat_map(|(me, r)| r.line.early.iter().map(|(from, n)| (*from, me.rank, *n)));
    let mut suppress = suppress(world, early.collect())?;
    s.stage = Stage::Replaying;
    s.generation += 1;
    let here: Vec<u32> = world.ranks().iter().map(|r| r.rank).collect();
    let place = world.remote().map_or((0, 1), |l| (l.index(), l.count()));
    s.node = remote_epochs::node(&here, place, true);
    if let Some(apart) = &mut s.remote_epochs {
        apart.counts = true;
    }
    world.nonblocking.slow.store(true, SeqCst);
    if let Some(job) = world
        .job
        .get()
        .filter(|_| all.iter().any(|r| r.log.has_printed()))
    {
        job.prints_again();
    }
    for (me, recovered) in world.ranks().iter().zip(all) {
        let early = suppress.remove(&me.rank).unwrap_or_default();
        let (line, log) = (recovered.line, recovered.log);
        *s.member(me.slot) = Member::recovered(Rules::default(), &line, log, early);
        p2p::again_at_line(me, &mut s, recovered.late);
        let pending: Vec<*const Request> = {
            let all = me.requests.borrow();
            let coll = all.iter().filter(|(_, r)| r.get().posted().is_some());
            let live = coll.filter(|(_, r)| r.get().active.get() && !r.get().is_done());
            live.map(|(_, r)| r.ptr()).collect()
        };
        for r in pending {
            // SAFETY: nobody runs yet, and requests stay where they are.
            unsafe {
                if later::again(world, &mut s, me, &*r) {
                    rounds::leave(&*r);
                    if let Some(link) = world.remote() {
                        link.board.forget(r);
                    }
                }
            }
        }
        let over = |r: &&mut Rank| matches!(r.status(), pc3_runtime::rank::Status::Finished(_));
        if me.exec().filter(over).is_some() {
            s.end_of(me);
        }
    }
    Ok(())
}

/// All processes can hear what is said of that.
pub(crate) fn go_on(world: &World) {
    let mut s = world.nonblocking.lock();
    s.pump(world);
}

/// Receivers and numbers of messages that they have, by sender.
type Early = BTreeMap<u32, BTreeSet<(u32, u32)>>;

/// What ranks here are not to send again, as all receivers have it.
fn suppress(world: &World, mine: Vec<(u32, u32, u32)>) -> Result<Early, String> {
    let all = match world.job.get().and_then(|job| job.peers()) {
        None => mine,
        Some(peers) => {
            let mut w = Writer::default();
            write_early(&mut w, &mine);
            let parts = peers.gather(&w.0);
            let mut all = Vec::new();
            for part in &parts {
                all.extend(read_early(&mut Reader(part)).map_err(|e| e.to_string())?);
            }
            let mut w = Writer::default();
            write_early(&mut w, &all);
            let all = peers.spread(&w.0);
            read_early(&mut Reader(&all)).map_err(|e| e.to_string())?
        }
    };
    let mut by = Early::new();
    for (from, to, n) in all.into_iter().filter(|e| world.local(e.0).is_some()) {
        by.entry(from).or_default().insert((to, n));
    }
    Ok(by)
}

fn write_early(w: &mut Writer, list: &[(u32, u32, u32)]) {
    w.list(list.iter(), |w, (from, to, n)| {
        w.u32(*from);
        w.u32(*to);
        w.u32(*n);
    });
}

fn read_early(r: &mut Reader) -> Read<Vec<(u32, u32, u32)>> {
    r.list(|r| Ok((r.u32()?, r.u32()?, r.u32()?)))
}
