//! The runtime's engine for MPI programs: ranks on workers, checkpoints by barrier coordination.

use std::sync::atomic::Ordering::*;
use std::sync::Arc;

use pc3_runtime::chaos;
use pc3_runtime::control::{clear_flag, set_flag, FLAG_ENGINE};
use pc3_runtime::engine::{provide_mpi, Body, Engine};
use pc3_runtime::guest::none_resumes;
use pc3_runtime::job::{After, Job};
use pc3_runtime::peers::{provide_peers, Peers};
use pc3_runtime::rank::{Rank, Status};
use pc3_runtime::tell::{die, error, leave, on_leave, say, EXIT_REFUSED, EXIT_SETTINGS};
use pc3_runtime::transfer::{LoadCtx, LoadError, SaveCtx};
use pc3_typemetric::codes;

use crate::coord::{barrier::Answer, barrier::Place, furthest, near, standing};
use crate::crossing::{self, outcomes};
use crate::link::desk::Together;
use crate::link::node::Event;
use crate::link::{self, Link};
use crate::p2p;
use crate::sched::{Backend, Special};
use crate::sights;
use crate::state::{self, Phase, RankState, World};
use crate::stats;
use crate::transport::note_outcome;

/// Announces this engine to the runtime; to be called before the runtime starts.
pub fn register() {
    provide_peers(|| {
        let link = link::join()?;
        if link.is_some() {
            on_leave(link::abort);
        }
        let link = link.map(|l| Arc::new(Together(l)) as Arc<dyn Peers>);
        Ok(link)
    });
    provide_mpi(|job| {
        let special = Special {
            observe: job.stats.is_some(),
            seed: job.seed,
        };
        let stack = stack_size(job.ranks);
        let backend = Backend::from_env();
        let nonblocking = job.protocol.as_deref() == Some("nonblocking");
        Box::new(MpiEngine {
            nonblocking,
            world: World::linked(
                job.placement.clone(),
                backend,
                stack,
                link::joined(),
                special,
            ),
        })
    });
}

pub struct MpiEngine {
    world: Arc<World>,
    /// Ranks take their checkpoints each at a location of its own.
    nonblocking: bool,
}

impl MpiEngine {
    pub fn new(ranks: usize, workers: usize, backend: Backend) -> MpiEngine {
        MpiEngine {
            world: World::new(ranks as u32, workers as u32, backend, stack_size(ranks)),
            nonblocking: false,
        }
    }

    pub fn world(&self) -> &Arc<World> {
        &self.world
    }
}

impl Engine for MpiEngine {
    fn run(&self, job: &Arc<Job>, ranks: Vec<Box<Rank>>, body: Body) -> i32 {
        let world = &self.world;
        let _ = world.job.set(Arc::clone(job));
        if self.nonblocking {
            world.crossing.choose();
        }
        let polling = job.polling.as_millis() as u64;
        world.idle.patience.store(polling, Relaxed);
        sights::watch(world);
        // Ranks live as long as the process: exit handlers still use their heaps.
        let ranks: Vec<*mut Rank> = ranks.into_iter().map(Box::into_raw).collect();
        // SAFETY: never freed; from here on reached through the ranks' states only.
        let status = |r: &*mut Rank| unsafe { (**r).status() };
        for (state, rank) in world.ranks().iter().zip(&ranks) {
            state.exec.set(*rank);
            // SAFETY: as above.
            let to_begin = unsafe { (**rank).yet_to_begin() };
            state.unborn.store(to_begin.is_some(), Release);
            // A restart's rank that had ended before the checkpoint.
            if matches!(status(rank), Status::Finished(_)) {
                world.coord.lock().finished(state.slot as usize);
            } else {
                world.again.fetch_add(1, Relaxed);
            }
        }
        if let Err(e) = state::link(world) {
            die(EXIT_REFUSED, &error(codes::MESSAGES, &e));
        }
        if let Err(e) = crossing::line::recover(world) {
            die(EXIT_REFUSED, &error(codes::MESSAGES, &e));
        }
        if let Some(peers) = job.peers() {
            // Nobody sends before all can receive.
            meet(world, peers);
        }
        crossing::line::go_on(world);
        if let Some(link) = world.far() {
            link.begin();
            link.board.tell_restored(world);
        }
        if let Some(peers) = job.peers() {
            if none_resumes(job) && world.again.load(Relaxed) == 0 {
                // As the others do in `all_back`.
                peers.meet();
                peers.meet();
            }
        }
        world.run(Box::new(move |me| {
            let Some(rank) = me.exec() else { return };
            if matches!(rank.status(), Status::Finished(_)) {
                return;
            }
            crossing::births::wait_to_begin(me);
            let code = body(rank);
            end(me, code);
        }));
        let code = |r: &RankState| match r.exec().map(|r| r.status()) {
            Some(Status::Finished(code)) => code,
            _ => 0,
        };
        let mut codes = world.ranks().iter().map(code);
        let code = codes.find(|c| *c != 0).unwrap_or(0);
        let code = world.far().map_or(code, |link| stay(world, link, code));
        world.crossing.finish();
        standing::finish(world);
        stats::end(world, job);
        if let Some(link) = world.far() {
            link.close();
        }
        code
    }

    fn due(&self, rank: &mut Rank) -> bool {
        if rank.in_critical() {
            return false;
        }
        match self.nonblocking {
            true => crossing::line::due(&self.world, rank),
            // What was logged is done again first.
            false if self.world.crossing.is_slow() => false,
            false => due(&self.world, rank),
        }
    }

    fn unwound(&self, rank: &mut Rank) {
        match self.nonblocking {
            true => crossing::line::unwound(&self.world, rank),
            false => unwound(&self.world, rank),
        }
    }

    fn is_logging(&self) -> bool {
        outcomes::logging().is_some()
    }

    fn has_printed(&self, output: u8) -> bool {
        outcomes::logging().is_some_and(|me| outcomes::has_printed(me, output))
    }

    fn relieve(&self) -> bool {
        crossing::room::relieve(&self.world)
    }

    fn logged(&self, live: &mut dyn FnMut() -> Vec<u8>) -> Vec<u8> {
        crate::c::clocks::device(live)
    }

    fn all_back(&self, rank: &mut Rank, settle: &dyn Fn(&mut Rank)) {
        let world = &self.world;
        let me = world.rank(rank.id() as u32);
        if world.back.fetch_add(1, AcqRel) + 1 == world.again.load(Relaxed) {
            let all = world.ranks().iter().map(|r| r.exec.get());
            let peers = world.job.get().and_then(|j| j.peers());
            // Nothing can be refused from here on, in any process.
            if let Some(peers) = peers {
                peers.meet();
            }
            // SAFETY: everyone else waits below, or has ended.
            all.filter_map(|r| unsafe { r.as_mut() }).for_each(settle);
            // What a process prints comes behind what was cut.
            if let Some(peers) = peers {
                peers.meet();
            }
            world.settled.store(true, Release);
            wake_all(world, Some(me));
        }
        while !world.settled.load(Acquire) {
            me.block();
        }
    }

    fn exit(&self, rank: &mut Rank, code: i32) -> ! {
        let me = self.world.rank(rank.id() as u32);
        end(me, code);
        self.world.sched().abandon(&*self.world, me.slot)
    }

    fn save(&self, rank: &Rank, ctx: &SaveCtx) -> Vec<u8> {
        state::save::save(self.world.rank(rank.id() as u32), ctx)
    }

    fn load_line(&self, rank: &mut Rank, bytes: &[u8]) -> Result<(), LoadError> {
        crossing::line::load(self.world.rank(rank.id() as u32), bytes)
    }

    fn load(&self, rank: &mut Rank, bytes: &[u8], ctx: &dyn LoadCtx) -> Result<(), LoadError> {
        let guest = rank.guest.is_some();
        state::load::load(self.world.rank(rank.id() as u32), bytes, ctx, guest)
    }
}

/// All processes are here, know all ports, and none of them has given a name that another one will give again.
fn meet(world: &World, peers: &dyn Peers) {
    // First: when the others go on behind what follows, all have this.
    if let Err(e) = world.ports.share(peers) {
        die(EXIT_REFUSED, &error(codes::MESSAGES, &e.0));
    }
    let mine = world.late_ids.load(Relaxed).to_le_bytes();
    let id = |b: &[u8]| b.try_into().map_or(0, u32::from_le_bytes);
    let most = peers.gather(&mine).iter().map(|b| id(b)).max();
    let most = peers.spread(&most.unwrap_or(0).to_le_bytes());
    world.late_ids.fetch_max(id(&most), Relaxed);
}

/// A rank is at a location: must it unwind now?  It may have to wait for the answer.
fn due(world: &World, rank: &mut Rank) -> bool {
    let id = rank.id();
    let me = world.rank(id as u32);
    let passed = rank.count_passages();
    let job = rank.job();
    if world.coord.is_idle() && !job.control.wanted(passed) {
        return false;
    }
    // It comes to where others stand.
    me.polls.store(0, Relaxed);
    let mut b = world.coord.lock();
    if job.control.wanted(passed) {
        // Whoever comes first plans.  At intervals of passages the place is known beforehand: all
        // ranks meet where each has passed so many.
        let interval = job.control.next_passage();
        let plans = match world.far() {
            // What is asked for here must be planned by all processes; intervals of passages they all know.
            Some(link) => link.node.wanted(link, &mut b, passed, interval),
            None => b.is_idle(),
        };
        if plans {
            if world.far().is_none() {
                b.plan(furthest(world, passed).min(interval));
                standing::watch(world, &mut b);
            }
            set_flag(FLAG_ENGINE);
        }
    }
    b.ripen(job.patience);
    rank.stands();
    let passed = b.target().map_or(passed, |t| near(t, passed));
    let slot = me.slot as usize;
    let mut answer = match world.far() {
        Some(link) => link.node.at_location(link, &mut b, slot, passed),
        None => b.at_location(slot, passed),
    };
    let mut waited = false;
    loop {
        match answer {
            Answer::Go => {
                rank.moves();
                return false;
            }
            Answer::Unwind => {
                drop(b);
                chaos();
                // Who waited was woken by whoever came last, as all others are.
                if !waited {
                    wake_all(world, Some(me));
                }
                return true;
            }
            Answer::Wait => {
                drop(b);
                waited = true;
                me.block();
                b = world.coord.lock();
                answer = b.answer(slot);
            }
        }
    }
}

/// A rank's stack is empty.  The last one writes the checkpoint.
fn unwound(world: &World, rank: &mut Rank) {
    let me = world.rank(rank.id() as u32);
    let slot = me.slot as usize;
    if !world.coord.lock().unwound(slot) {
        while world.coord.lock().place(slot) == Place::Unwound {
            me.block();
        }
        return;
    }
    checkpoint(world);
    wake_all(world, Some(me));
}

/// No rank of this process runs: writes the checkpoint, with the other processes.
fn checkpoint(world: &World) {
    if let Some(lanes) = world.lanes() {
        lanes.flush(world, None);
    }
    world.ranks().iter().for_each(p2p::settle);
    if let Some(link) = world.far() {
        drain(world, link);
    }
    // SAFETY: everyone else is suspended above, or has ended, so nobody uses the other
    // references; ours is not used meanwhile.
    let mut all: Vec<&mut Rank> = world
        .ranks()
        .iter()
        .filter_map(|r| unsafe { r.exec.get().as_mut() })
        .collect();
    let Some(job) = world.job.get() else { return };
    let passage = world.coord.lock().target().unwrap_or(0);
    let after = job.checkpoint(&mut all, passage);
    stats::checkpoint(world, job);
    if after == After::Stop {
        stats::end(world, job);
        job.stop(None);
    }
    chaos();
    clear_flag(FLAG_ENGINE);
    let mut b = world.coord.lock();
    match world.far() {
        Some(link) => link.node.resume(link, world, &mut b),
        None => b.resume(),
    }
    chaos();
}

/// Brings everything that is between processes to the ranks that it is for, or back to a request that is saved.
fn drain(world: &World, link: &Link) {
    // Every rank everywhere is parked: nothing new is sent, but what offers that were taken still bring.
    link.flush();
    link.desk.until(|| link.traffic.is_still());
    link.flush();
    link.board.do_all_chores(world);
    // No request changes any more, so places among them are what they will be in the checkpoint.
    link::offers::hand_over(link, world, |r| state::save::place(world.rank(r.owner), r));
    link.desk.until(|| link.traffic.is_still());
    link.flush();
}

/// All ranks here have ended, those of other processes may not have: takes part until they have.
fn stay(world: &World, link: &Link, code: i32) -> i32 {
    chaos();
    link.node.ended(link, code);
    loop {
        match link.node.next_event() {
            Event::Unwind => checkpoint(world),
            Event::End(code) => {
                if code != 0 {
                    note_outcome(code);
                }
                return code;
            }
        }
    }
}

/// `main` has returned or `exit` was called.
fn end(me: &RankState, code: i32) {
    if pc3_runtime::forked() {
        // A child of the program's, which has returned from `main`.
        std::process::exit(code);
    }
    let world = me.world();
    if code != 0 && me.phase.get() == Phase::Initialized {
        // As under any mpirun: the others would wait for this rank for ever.
        say(&format!(
            "rank {} exited with status {code} before MPI_Finalize: the job ends",
            me.rank
        ));
        leave(code);
    }
    // What it started to send and never waited for may lie on its stack.
    p2p::settle(me);
    if let Some(r) = me.exec() {
        r.count_passages();
        r.finish(code);
        if state::save::is_idle(me) {
            r.retire();
        }
    }
    crossing::line::ended(world, me);
    let mut b = world.coord.lock();
    let slot = me.slot as usize;
    let all = match world.far() {
        Some(link) => {
            link.node.finished(link, &mut b, slot);
            false
        }
        None => b.finished(slot),
    };
    drop(b);
    chaos();
    if all {
        wake_all(world, Some(me));
    }
}

fn wake_all(world: &World, me: Option<&RankState>) {
    for r in world
        .ranks()
        .iter()
        .filter(|r| me.is_none_or(|m| m.rank != r.rank))
    {
        world.sched().wake(me.map(RankState::worker), r.slot);
    }
}

/// `PC3_STACK` (bytes, or with K, M, G), else what a C program is used to where addresses are
/// plentiful: stacks take memory only as they are used.
fn stack_size(ranks: usize) -> usize {
    if let Some(text) = std::env::var_os("PC3_STACK") {
        match text.to_str().and_then(parse_size) {
            Some(n) => return n,
            None => {
                let text = text.to_string_lossy();
                die(
                    EXIT_SETTINGS,
                    &format!("PC3_STACK={text}: not a size (e.g. 512K, 64M)"),
                );
            }
        }
    }
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: fills the struct.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_STACK, &raw mut limit) } == 0;
    // No limit is no size.
    let usual = usize::try_from(limit.rlim_cur)
        .ok()
        .filter(|n| known && *n <= 1 << 30)
        .unwrap_or(8 << 20);
    let share: u64 = if cfg!(target_pointer_width = "64") {
        1 << 42
    } else {
        512 << 20
    };
    usual
        .max(8 << 20)
        .min((share / ranks.max(1) as u64) as usize)
        .max(128 << 10)
}

fn parse_size(text: &str) -> Option<usize> {
    let (digits, shift) = match text.trim().to_ascii_uppercase() {
        t if t.ends_with('K') => (t[..t.len() - 1].to_string(), 10),
        t if t.ends_with('M') => (t[..t.len() - 1].to_string(), 20),
        t if t.ends_with('G') => (t[..t.len() - 1].to_string(), 30),
        t => (t, 0),
    };
    let n: u64 = digits.trim().parse().ok()?;
    usize::try_from(n.checked_mul(1 << shift)?)
        .ok()
        .filter(|n| *n >= 16 << 10 && *n <= isize::MAX as usize / 4)
}

#[cfg(test)]
mod tests;
