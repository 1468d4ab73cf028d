//! Local checkpoints: when a rank takes its own, how all become one, and how ranks go on from them.

use std::collections::BTreeSet;
use std::mem::take;
use std::sync::atomic::Ordering::*;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use pc3_protocol::{Member, Node, Phase, Rules};
use pc3_runtime::chaos;
use pc3_runtime::control::without_signals;
use pc3_runtime::job::After;
use pc3_runtime::rank::Rank;
use pc3_runtime::settings;
use pc3_runtime::transfer::{LoadError, SaveCtx};

use super::{coll, done, p2p, record, Plan, Stage, State, Taken};
use crate::coll::rounds;
use crate::p2p::request::{Mode, Request, What};
use crate::state::{self, RankState, World};
use crate::stats;

/// So many epochs in a row that were disturbed by what ranks do with files are tried again.
const PATIENCE: u32 = 16;

const DISTURBED: &str = "ranks read or wrote standard streams that are files between their local checkpoints each time; \
                         use the barrier protocol, or let output go elsewhere";

/// A rank is at a location: is it to unwind and take its local checkpoint?
pub(crate) fn due(world: &World, rank: &mut Rank) -> bool {
    let me = world.rank(rank.id() as u32);
    let passed = rank.count_passages();
    me.polls.store(0, Relaxed);
    let job = rank.job();
    if !world.crossing.is_slow() && !job.control.wanted(passed) {
        return false;
    }
    let mut s = world.crossing.enter(me);
    if s.stage == Stage::Idle && job.control.wanted(passed) {
        s.want(world);
        s.seen[me.rank as usize] = true;
    }
    s.begin(world);
    let takes = !waits_for_receiver(me) && s.member(me.rank).at_location();
    done(world, s);
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
    let mut s = world.crossing.enter(me);
    if s.member(me.rank).phase() != Phase::Asked {
        // Given up meanwhile.
        return done(world, s);
    }
    let engine = pass(me, rank, &mut s);
    drop(s);
    chaos();
    let part = part(me, rank, &engine);
    let mut s = world.crossing.enter(me);
    s.plan.stalls.0.push((u64::from(me.rank), start.elapsed()));
    store(&mut s, world, me.rank, part);
    done(world, s);
}

/// What is the rank's own.
fn part(me: &RankState, rank: &mut Rank, engine: &[u8]) -> Result<pc3_runtime::save::Part, String> {
    let part = match shared_files(me) {
        Some(why) => Err(why),
        None => rank.job().clone().part(rank, engine),
    };
    me.pending_at_line.borrow_mut().clear();
    part
}

/// What ranks share that has no line of its own.
fn shared_files(me: &RankState) -> Option<String> {
    me.objects().files.iter().next()?;
    Some("an MPI_File is open, and the nonblocking protocol saves none yet: use the barrier protocol".to_owned())
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
    if let (None, Some(job)) = (&s.plan.output, world.job.get()) {
        job.lines_begin();
        s.plan.output = Some(job.standard_positions());
    }
    let line = s.member(me.rank).take();
    p2p::at_line(me, s);
    s.taken[me.rank as usize] = Some(Taken {
        line,
        part: None,
        late: Vec::new(),
        late_count: 0,
    });
    state::save::save(me, &SaveCtx::default())
}

fn store(s: &mut State, world: &World, rank: u32, part: Result<pc3_runtime::save::Part, String>) {
    let Some(job) = world.job.get() else { return };
    let part = match part {
        Ok(part) => part,
        Err(why) => return s.give_up(world, why),
    };
    let others = || s.taken.iter().flatten().filter_map(|t| t.part.as_ref());
    let number = others().find_map(|other| part.shares(other));
    let Some(taken) = &mut s.taken[rank as usize] else {
        return;
    };
    s.plan.passage = s.plan.passage.max(part.passages());
    taken.part = Some(part);
    let moved = s.plan.output.as_ref() != Some(&job.standard_positions());
    let why = moved
        .then(|| DISTURBED.to_owned())
        .or_else(|| job.lines_clash())
        .or_else(|| number.map(two_had));
    if let Some(why) = why {
        s.plan.disturbed = true;
        s.give_up(world, why);
    }
}

fn two_had(number: u64) -> String {
    format!("descriptor {number} was one rank's file at its local checkpoint and another's at the other's, each time; use the barrier protocol")
}

pub(super) fn take_ended(s: &mut State, world: &World) {
    world.ranks().iter().for_each(|me| take_if_ended(s, me));
}

/// A rank that has ended is always at a location.
fn take_if_ended(s: &mut State, me: &RankState) {
    let world = me.world();
    let member = &mut s.members[me.rank as usize];
    if !member.has_ended() || !member.at_location() {
        return;
    }
    let Some(rank) = me.exec() else { return };
    let engine = pass(me, rank, s);
    let part = part(me, rank, &engine);
    store(s, world, me.rank, part);
}

/// The program of a rank is over.
pub(crate) fn ended(world: &World, me: &RankState) {
    let mut s = world.crossing.enter(me);
    s.member(me.rank).end();
    s.begin(world);
    take_if_ended(&mut s, me);
    done(world, s);
}

/// Ranks that have not taken their local checkpoints.
pub(super) fn missing(s: &State) -> String {
    let all = s.members.iter().enumerate();
    let list: Vec<String> = all
        .filter(|(_, m)| m.phase() == Phase::Asked)
        .map(|(rank, _)| rank.to_string())
        .collect();
    let more = list.len().saturating_sub(10);
    let mut text = list[..list.len() - more].join(", ");
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    match list.len() {
        1 => format!("rank {text}"),
        _ => format!("ranks {text}"),
    }
}

/// A thread looks whether all come to a location in time.
pub(super) fn watch(s: &mut State, world: &World) {
    world.crossing.news.notify_all();
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
    let news = &world.crossing.news;
    let patience = job.patience.unwrap_or(settings::PATIENCE);
    let mut s = world.crossing.lock();
    while !s.is_over {
        let missing = match s.stage {
            Stage::Gathering => true,
            Stage::Running => s.members.iter().any(|m| m.phase() == Phase::Asked),
            Stage::Idle | Stage::Replaying => false,
        };
        let age = s.plan.since.elapsed();
        if missing && age >= patience {
            let late = match s.stage {
                Stage::Gathering => "ranks".to_owned(),
                _ => self::missing(&s),
            };
            let why = format!("{late} came to no location within {patience:?} (PC3_PATIENCE)");
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
    let why = s.why.take().unwrap_or_default();
    let again = take(&mut s.plan.disturbed) && s.plan.in_vain < PATIENCE;
    s.plan.in_vain = if again { s.plan.in_vain + 1 } else { 0 };
    let Plan {
        passage,
        asked,
        since,
        ..
    } = s.plan;
    job.gave_up(passage, &why, asked, again, since);
}

/// Everything is there: a thread of its own writes it, and nobody waits for that.
pub(super) fn commit(s: &mut State, world: &World) {
    let Some(job) = world.job.get().cloned() else {
        return;
    };
    let mut parts = Vec::new();
    for (taken, member) in s.taken.iter_mut().zip(&mut s.members) {
        let Some(taken) = taken.take() else { continue };
        let log = member.saved_log();
        let line = record::write(world, &taken.line, log, &taken.late, taken.late_count);
        if let Some(part) = taken.part {
            parts.push((part, line));
        }
    }
    s.plan.in_vain = 0;
    let (passage, asked) = (s.plan.passage, s.plan.asked);
    let times = (s.plan.since, take(&mut s.plan.stalls));
    let world = Shared(std::ptr::from_ref(world));
    let write = move || {
        let shared = world;
        let after = job.commit_apart(&parts, passage, asked, times);
        drop(parts);
        // SAFETY: the world waits for this thread before it ends.
        let world = unsafe { &*{ shared }.0 };
        stats::checkpoint(world, &job);
        chaos();
        if after == After::Stop {
            stats::end(world, &job);
            job.stop(true);
        }
        let mut s = world.crossing.lock();
        let outs = s.node.committed();
        s.carry(world, outs);
        done(world, s);
    };
    let name = "pc3-commit".to_owned();
    match without_signals(|| std::thread::Builder::new().name(name).spawn(write)) {
        Ok(handle) => s.writer = Some(handle),
        Err(e) => {
            // Whoever asked is told, and nothing is left half done.
            s.why = Some(format!("no thread can be started to write it: {e}"));
            report(s, world_of(&world));
            let outs = s.node.committed();
            let world = world_of(&world);
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
pub(crate) fn load(me: &RankState, bytes: &[u8]) -> Result<(), LoadError> {
    let world = me.world();
    if world.far().is_some() {
        return Err(LoadError(
            "it was taken by the nonblocking protocol, and can go on in one process only (without pc3run -p)".to_owned(),
        ));
    }
    let recovered = record::read(bytes, world)?;
    world.crossing.lock().recovered[me.rank as usize] = Some(recovered);
    Ok(())
}

/// All ranks are loaded: what was logged is to be done again.
pub(crate) fn recover(world: &World) -> Result<(), String> {
    let mut s = world.crossing.lock();
    let all: Vec<_> = s.recovered.iter_mut().map(Option::take).collect();
    if all.iter().all(Option::is_none) {
        return Ok(());
    }
    let mut suppress: Vec<BTreeSet<(u32, u32)>> = vec![BTreeSet::new(); all.len()];
    for (rank, recovered) in all.iter().enumerate() {
        let Some(recovered) = recovered else {
            return Err(format!("rank {rank} has no line of its own"));
        };
        for (sender, number) in &recovered.line.early {
            suppress[*sender as usize].insert((rank as u32, *number));
        }
    }
    let ranks = all.len() as u32;
    s.stage = Stage::Replaying;
    s.generation += 1;
    s.node = Node::new(
        Rules::default(),
        true,
        (0..ranks).collect(),
        Vec::new(),
        true,
    );
    world.crossing.slow.store(true, SeqCst);
    let mut late = Vec::new();
    for (rank, recovered) in all.into_iter().flatten().enumerate() {
        let (line, log) = (recovered.line, recovered.log);
        let early = take(&mut suppress[rank]);
        s.members[rank] = Member::recovered(Rules::default(), &line, log, early);
        late.push(recovered.late);
        s.dirty.insert(rank as u32);
    }
    for (me, late) in world.ranks().iter().zip(late) {
        p2p::again_at_line(me, &mut s, late);
        let pending: Vec<*const Request> = {
            let all = me.requests.borrow();
            let coll = all.iter().filter(|(_, r)| r.get().posted().is_some());
            let live = coll.filter(|(_, r)| r.get().active.get() && !r.get().is_done());
            live.map(|(_, r)| r.ptr()).collect()
        };
        for r in pending {
            // SAFETY: nobody runs yet, and requests stay where they are.
            unsafe {
                if coll::again(world, &mut s, me.rank, &*r) {
                    rounds::leave(&*r);
                }
            }
        }
        let over = |r: &&mut Rank| matches!(r.status(), pc3_runtime::rank::Status::Finished(_));
        if me.exec().filter(over).is_some() {
            s.member(me.rank).end();
        }
    }
    s.pump(world);
    Ok(())
}
