//! The runtime's engine for MPI programs: ranks on workers, and a protocol that says where they are saved.

use std::sync::atomic::Ordering::*;
use std::sync::Arc;

use pc3_runtime::chaos;
use pc3_runtime::engine::{provide_mpi, Body, Engine};
use pc3_runtime::guests::none_resumes;
use pc3_runtime::inherited;
use pc3_runtime::job::Job;
use pc3_runtime::peers::{provide_peers, Peers};
use pc3_runtime::placement::Placement;
use pc3_runtime::rank::{Rank, Status};
use pc3_runtime::report::{die, error, leave, on_leave, say, EXIT_REFUSED, EXIT_SETTINGS};
use pc3_runtime::transfer::{LoadCtx, LoadError, SaveCtx};
use pc3_typemetric::codes;

use crate::barrier::{self, AtBarrier};
use crate::sights;
use pc3_vmpi_api::clocks;
use pc3_vmpi_coll::comm::WORLD_ID;
use pc3_vmpi_coll::common::Common;
use pc3_vmpi_coll::handles::maker;
use pc3_vmpi_coll::topo::order::Orders;
use pc3_vmpi_core::above::{Protocol, Remote};
use pc3_vmpi_core::coord::standing;
use pc3_vmpi_core::rank::{Phase, RankState};
use pc3_vmpi_core::world::{Above, World};
use pc3_vmpi_core::{deadlock, p2p, stats};
use pc3_vmpi_link::collectives::outside::outside;
use pc3_vmpi_link::link::Linked;
use pc3_vmpi_link::ports::Ports;
use pc3_vmpi_link::processes::joint_actions::JointActions;
use pc3_vmpi_link::processes::node::Event;
use pc3_vmpi_link::{abort, join, joined, remote, Link};
use pc3_vmpi_nonblocking::above::Counted;
use pc3_vmpi_nonblocking::checkpoint::{local, recover};
use pc3_vmpi_nonblocking::epoch_memory;
use pc3_vmpi_nonblocking::machines::{machines, Machines};
use pc3_vmpi_nonblocking::operations::{births, outcomes};
use pc3_vmpi_nonblocking::protocol::NonBlocking;
use pc3_vmpi_rma::registry::Windows;
use pc3_vmpi_sched::{Backend, Special};
use pc3_vmpi_snapshot::{load, message, save, windows};
use pc3_vmpi_transport::{is_static, note_outcome};

/// Announces this engine to the runtime; to be called before the runtime starts.
pub fn register() {
    provide_peers(|| {
        let link = join()?;
        if link.is_some() {
            on_leave(abort);
        }
        let link = link.map(|l| Arc::new(JointActions(l)) as Arc<dyn Peers>);
        Ok(link)
    });
    provide_mpi(|job| {
        let special = Special {
            observe: job.stats.is_some(),
            seed: job.seed,
            // A rank's team ends after its thread does, by `pthread_exit`: in a static program that aborts beside the end of
            // the process, when libgcc's destructors have run.
            stay: job.program.teams && is_static(),
        };
        let stack = stack_size(job.ranks);
        let link = joined();
        let here = job.placement.here(link.as_ref().map_or(0, |l| l.index()));
        // A rank's team is its thread's, and one that waits in a region is in the midst of it.
        let backend = Backend::from_env(match job.program.teams && here.len() > 1 {
            true => Backend::Threads,
            false => Backend::ALL[0],
        });
        let protocol = protocol_of(job.protocol.as_deref());
        Box::new(MpiEngine {
            world: linked(
                job.placement.clone(),
                (backend, stack),
                link,
                special,
                protocol,
            ),
        })
    });
}

/// The one of this name, or that of a job for which none was named.
fn protocol_of(name: Option<&str>) -> &'static dyn Protocol {
    match name {
        Some("nonblocking") => &NonBlocking,
        _ => &AtBarrier,
    }
}

/// This process's part of a job of several.
fn linked(
    placement: Placement,
    (backend, stack): (Backend, usize),
    link: Option<Arc<Link>>,
    special: Special,
    protocol: &'static dyn Protocol,
) -> Arc<World> {
    let size = placement.ranks() as usize;
    let (index, count) = (
        link.as_ref().map_or(0, |l| l.index()),
        placement.processes(),
    );
    let common = Common::new(size, WORLD_ID, &Counted, outside);
    let maker = maker(size, common.meeting.clone());
    let above = Above {
        remote: link.clone().map(|link| link as Arc<dyn Remote>),
        epoch: &Counted,
        protocol,
        parts: vec![
            Box::new(common),
            Box::new(Linked(link)),
            Box::new(Orders::default()),
            Box::new(Ports::default()),
            Box::new(Windows::default()),
            Box::new(Machines::new(&placement.here(index), (index, count))),
        ],
        maker,
    };
    World::new(placement, (backend, stack), special, above)
}

/// Ranks of one process, which stand at a barrier when they are saved.
pub fn world(ranks: u32, workers: u32, backend: Backend, stack: usize) -> Arc<World> {
    let workers = workers.clamp(1, ranks.max(1)) as usize;
    let placement = Placement::blocks(ranks as usize, 1, workers);
    let special = Special::default();
    linked(placement, (backend, stack), None, special, &AtBarrier)
}

pub struct MpiEngine {
    world: Arc<World>,
}

impl MpiEngine {
    pub fn new(ranks: usize, workers: usize, backend: Backend) -> MpiEngine {
        MpiEngine {
            world: world(ranks as u32, workers as u32, backend, stack_size(ranks)),
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
        if let Err(e) = message::link(world) {
            die(EXIT_REFUSED, &error(codes::MESSAGES, &e));
        }
        if let Err(e) = recover::recover(world) {
            die(EXIT_REFUSED, &error(codes::MESSAGES, &e));
        }
        if let Some(peers) = job.peers() {
            // Nobody sends before all can receive.
            meet(world, peers);
        }
        recover::go_on(world);
        if let Some(link) = remote(world) {
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
            births::wait_to_begin(me);
            let code = body(rank);
            end(me, code);
        }));
        let code = |r: &RankState| match r.exec().map(|r| r.status()) {
            Some(Status::Finished(code)) => code,
            _ => 0,
        };
        let mut codes = world.ranks().iter().map(code);
        let code = codes.find(|c| *c != 0).unwrap_or(0);
        let code = remote(world).map_or(code, |link| stay(world, link, code));
        machines(world).finish();
        job.behind.settle();
        // A stop that came last has ended the process.
        if world.remote().is_some() && code != 0 {
            note_outcome(code);
        }
        standing::finish(world);
        stats::end(world, job);
        if let Some(link) = remote(world) {
            link.close();
        }
        code
    }

    fn due(&self, rank: &mut Rank) -> bool {
        if rank.in_critical() {
            return false;
        }
        self.world.protocol.due(&self.world, rank)
    }

    fn unwound(&self, rank: &mut Rank) {
        self.world.protocol.unwound(&self.world, rank);
    }

    fn is_logging(&self) -> bool {
        outcomes::logging().is_some()
    }

    fn has_printed(&self, output: u8) -> bool {
        outcomes::logging().is_some_and(|me| outcomes::has_printed(me, output))
    }

    fn relieve(&self) -> bool {
        epoch_memory::relieve(&self.world)
    }

    fn whereabouts(&self) -> String {
        deadlock::whereabouts(self.world.ranks().iter())
    }

    fn logged(&self, live: &mut dyn FnMut() -> Vec<u8>) -> Vec<u8> {
        clocks::device(live)
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
            world.wake_others(me);
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

    fn obstacle(&self, rank: &Rank) -> Option<String> {
        windows::obstacle(self.world.rank(rank.id() as u32))
    }

    fn save(&self, rank: &Rank, ctx: &SaveCtx) -> Vec<u8> {
        save::save(self.world.rank(rank.id() as u32), ctx)
    }

    fn load_line(&self, rank: &mut Rank, bytes: &[u8], ctx: &dyn LoadCtx) -> Result<(), LoadError> {
        recover::load(self.world.rank(rank.id() as u32), bytes, ctx)
    }

    fn load(&self, rank: &mut Rank, bytes: &[u8], ctx: &dyn LoadCtx) -> Result<(), LoadError> {
        let guest = rank.guest.is_some();
        load::load(self.world.rank(rank.id() as u32), bytes, ctx, guest)
    }
}

/// All processes are here, know all ports and windows, and none of them has given a name that another one will give again.
fn meet(world: &World, peers: &dyn Peers) {
    // First: when the others go on behind what follows, all have this.
    if let Err(e) = world.part::<Ports>().share(peers) {
        die(EXIT_REFUSED, &error(codes::MESSAGES, &e.0));
    }
    if let Err(e) = windows::share(world, peers) {
        die(EXIT_REFUSED, &error(codes::MESSAGES, &e.0));
    }
    let mine = world.late_ids.load(Relaxed).to_le_bytes();
    let id = |b: &[u8]| b.try_into().map_or(0, u32::from_le_bytes);
    let most = peers.gather(&mine).iter().map(|b| id(b)).max();
    let most = peers.spread(&most.unwrap_or(0).to_le_bytes());
    world.late_ids.fetch_max(id(&most), Relaxed);
}

/// All ranks here have ended, those of other processes may not have: takes part until they have.
fn stay(world: &World, link: &Link, code: i32) -> i32 {
    chaos();
    link.node.ended(link, code);
    loop {
        match link.node.next_event() {
            Event::Unwind => barrier::checkpoint(world),
            Event::End(code) => return code,
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
        if save::is_idle(me) {
            r.retire();
        }
    }
    local::ended(world, me);
    let mut b = world.coord.lock();
    let slot = me.slot as usize;
    let all = match remote(world) {
        Some(link) => {
            link.node.finished(link, &mut b, slot);
            false
        }
        None => b.finished(slot),
    };
    drop(b);
    chaos();
    if all {
        world.wake_others(me);
    }
}

/// `PC3_STACK` (bytes, or with K, M, G), else what a C program is used to where addresses are
/// plentiful: stacks take memory only as they are used.
fn stack_size(ranks: usize) -> usize {
    if let Some(text) = inherited::var_os("PC3_STACK") {
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
    // No limit is no size.
    let usual = pc3_os::limits::stack()
        .and_then(|n| usize::try_from(n).ok())
        .filter(|n| *n <= 1 << 30)
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
