//! The ranks of a job in this process.

use std::any::Any;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::ptr::null;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::*};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use pc3_runtime::job::Job;
use pc3_runtime::placement::Placement;
use pc3_runtime::rank::Rank;

use crate::above::{Epoch, Protocol, Remote};
use crate::coord::Coordinator;
use crate::counts::Counts;
use crate::mail::lane::Lanes;
use crate::mail::mailbox::Message;
use crate::mail::room::MessageRoom;
use crate::rank::{Kept, RankState};
use crate::vain_waits::{Idle, Relief};
use pc3_vmpi_objects::group::Group;
use pc3_vmpi_sched::grow::{Grow, ROOM};
use pc3_vmpi_sched::{Backend, Processors, Sched, Special};

/// What a rank runs; returns when it is finished.
pub type Program = Box<dyn Fn(&RankState) + Send + Sync>;

pub type Report = Box<dyn Fn(&str) + Send + Sync>;

/// What crates above keep of a job, each a type of its own.
pub type Parts = Vec<Box<dyn Any + Send + Sync>>;

/// Makes what the crates above keep of a rank, by its number in the job.
pub type Maker = Box<dyn Fn(u32) -> Kept + Send + Sync>;

/// Of communicators that are made while their members do other things: their ids, which no agreement comes to.
pub const FIRST_LATE_ID: u32 = 1 << 30;

/// What the crates above bring to a job.
pub struct Above {
    /// The other processes, if there are any.
    pub remote: Option<Arc<dyn Remote>>,
    pub epoch: &'static dyn Epoch,
    /// How checkpoints are taken.
    pub protocol: &'static dyn Protocol,
    pub parts: Parts,
    pub maker: Maker,
}

/// Is anything but delivery to be done with messages?
#[derive(Default)]
pub struct Pace {
    slow: AtomicBool,
    now: AtomicU32,
    gathers: AtomicBool,
}

impl Pace {
    /// Everything has to be known to [`Epoch`].
    #[inline]
    pub fn is_slow(&self) -> bool {
        self.slow.load(Relaxed)
    }

    #[inline]
    pub fn set_slow(&self, on: bool) {
        self.slow.store(on, SeqCst);
    }

    /// The epoch of who sends on a usual way what comes now.
    #[inline]
    pub fn now(&self) -> u32 {
        self.now.load(Relaxed)
    }

    #[inline]
    pub fn set_now(&self, epoch: u32) {
        self.now.store(epoch, SeqCst);
    }

    /// Something is waited for that ranks here need not bring about.
    #[inline]
    pub fn gathers(&self) -> bool {
        self.gathers.load(Relaxed)
    }

    #[inline]
    pub fn set_gathers(&self, on: bool) {
        self.gathers.store(on, SeqCst);
    }
}

/// One job in this process.
pub struct World {
    /// Ranks that the job began with, or was continued with.
    pub size: u32,
    /// This, for what outlives a call.
    me: Weak<World>,
    pub placement: Placement,
    /// Those of this process, ascending.
    ranks: Grow<RankState>,
    /// All ranks: their states here, null for those of other processes.
    by_rank: Grow<RankPointer>,
    /// Those that messages are delivered to without further ado.
    near: Grow<RankPointer>,
    /// Where each is.
    processes: Grow<u32>,
    lanes: Option<Lanes>,
    pub traffic: Option<Counts>,
    remote: Option<Arc<dyn Remote>>,
    /// This process, among so many.
    process: (u32, u32),
    sched: Sched,
    pub coord: Coordinator,
    pub nonblocking: Pace,
    pub epoch: &'static dyn Epoch,
    /// How checkpoints are taken.
    pub protocol: &'static dyn Protocol,
    parts: Parts,
    maker: Maker,
    /// Absent in tests without a runtime.
    pub job: OnceLock<Arc<Job>>,
    program: OnceLock<Program>,
    pub idle: Idle,
    pub(crate) relief: Relief,
    /// Ids of communicators that are made while their members do other things.
    pub late_ids: AtomicU32,
    /// Ranks here that had not ended when the job began or was continued; of these, a guest's that have come back from their
    /// frames; and what is outside of the program has been put to where it stood.
    pub again: AtomicU32,
    pub back: AtomicU32,
    pub settled: AtomicBool,
    /// Takes a deadlock report instead of it ending the process.
    pub on_deadlock: OnceLock<Report>,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    /// Held by who adds ranks.
    growing: Mutex<()>,
    /// Calls wait for a rank to do their work.
    pub chores: AtomicBool,
}

impl World {
    /// This process's part of a job.
    pub fn new(
        placement: Placement,
        (backend, stack): (Backend, usize),
        special: Special,
        above: Above,
    ) -> Arc<World> {
        let remote = above.remote;
        let size = placement.ranks();
        let index = remote.as_ref().map_or(0, |r| r.index());
        let here = placement.here(index);
        let homes: Vec<u32> = here.iter().map(|r| placement.worker_of(*r)).collect();
        let processes = placement.processes();
        let processors = remote.as_ref().map(|r| r.processors());
        let available = (processes, processors.unwrap_or_else(Processors::all));
        let world = Arc::new_cyclic(|world| {
            let sched = Sched::new(
                &homes,
                placement.workers(),
                available,
                backend,
                stack,
                special,
            );
            let make = |(slot, rank): (usize, &u32)| {
                RankState::new(
                    (*rank, slot as u32),
                    world.as_ptr(),
                    sched.wakes_as(slot as u32),
                    sched.is_single(),
                    (above.maker)(*rank),
                )
            };
            let ranks = Grow::new(here.iter().enumerate().map(make), ROOM);
            let mut by_rank = vec![null(); size as usize];
            for r in ranks.iter() {
                by_rank[r.rank as usize] = &raw const *r;
            }
            let places: Vec<u32> = (0..size).map(|r| placement.process_of(r)).collect();
            let near = match special.observe {
                true => vec![null(); size as usize],
                false => by_rank.clone(),
            };
            World {
                size,
                me: world.clone(),
                growing: Mutex::new(()),
                chores: AtomicBool::new(false),
                placement,
                ranks,
                by_rank: Grow::new(by_rank.into_iter().map(RankPointer), ROOM),
                near: Grow::new(near.into_iter().map(RankPointer), ROOM),
                processes: Grow::new(places.into_iter(), ROOM),
                // What is counted takes the way that counts.
                lanes: (sched.spins() && !special.observe)
                    .then(|| Lanes::new(sched.workers()))
                    .flatten(),
                traffic: special.observe.then(|| Counts::new(here.len())),
                process: (index, remote.as_ref().map_or(1, |r| r.count())),
                remote,
                sched,
                coord: Coordinator::new(here.len() as u32, processes > 1),
                nonblocking: Pace::default(),
                epoch: above.epoch,
                protocol: above.protocol,
                parts: above.parts,
                maker: above.maker,
                job: OnceLock::new(),
                program: OnceLock::new(),
                idle: Idle::default(),
                relief: Relief::default(),
                late_ids: AtomicU32::new(FIRST_LATE_ID),
                again: AtomicU32::new(0),
                back: AtomicU32::new(0),
                settled: AtomicBool::new(false),
                on_deadlock: OnceLock::new(),
                panic: Mutex::new(None),
            }
        });
        if let Some(remote) = &world.remote {
            remote.attach(&world);
        }
        world
    }

    /// An id that no agreement between members comes to.
    pub fn late_id(&self) -> u32 {
        if self.remote.is_none() {
            return self.late_ids.fetch_add(1, Relaxed);
        }
        // Each process names others: by what is left when divided by their number.
        let (index, count) = self.process;
        let mine = |at: u32| at + (index + count - at % count) % count;
        let next = |at: u32| Some(mine(at) + 1);
        let before = self.late_ids.fetch_update(Relaxed, Relaxed, next);
        mine(before.unwrap_or_else(|at| at))
    }

    /// A communicator of ranks here has this id.
    #[inline]
    pub fn known_late_id(&self, id: u32) {
        self.late_ids.fetch_max(id + 1, Relaxed);
    }

    /// Runs `program` on every rank; once per world.
    pub fn run(self: &Arc<World>, program: Program) {
        assert!(self.program.set(program).is_ok(), "a world runs once");
        Sched::run(self);
        let panic = self
            .panic
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(p) = panic {
            resume_unwind(p);
        }
    }

    /// Runs the program as the rank in this slot.
    pub(crate) fn body(&self, slot: u32) {
        let Some(program) = self.program.get() else {
            return;
        };
        let me = &self.ranks[slot as usize];
        if let Err(p) = catch_unwind(AssertUnwindSafe(|| program(me))) {
            *self.panic.lock().unwrap_or_else(PoisonError::into_inner) = Some(p);
            self.sched.stop();
        }
    }

    /// A rank of this process.
    #[inline]
    pub fn rank(&self, rank: u32) -> &RankState {
        match self.local(rank) {
            Some(r) => r,
            None => unreachable!("a rank of another process"),
        }
    }

    /// The rank, if it is one of this process.
    #[inline]
    pub fn local(&self, rank: u32) -> Option<&RankState> {
        let r = self.by_rank.get(rank as usize)?.0;
        // SAFETY: null, or one of `ranks`.
        unsafe { r.as_ref() }
    }

    /// The rank, if a message to it needs no more than delivery: it is here, and nobody counts.
    #[inline]
    pub fn near(&self, rank: u32) -> Option<&RankState> {
        let r = self.near.get(rank as usize)?.0;
        // SAFETY: null, or one of `ranks`.
        unsafe { r.as_ref() }
    }

    /// Between workers, if there are several.
    #[inline]
    pub(crate) fn lanes(&self) -> Option<&Lanes> {
        self.lanes.as_ref()
    }

    /// Is a message on its way within the process?
    #[inline]
    pub fn has_mail(&self) -> bool {
        self.lanes.as_ref().is_some_and(Lanes::any)
    }

    /// The place in the scheduler of a rank of this process.
    #[inline]
    pub fn slot_of(&self, rank: u32) -> Option<u32> {
        Some(self.local(rank)?.slot)
    }

    /// The other processes, if there are any.
    #[inline]
    pub fn remote(&self) -> Option<&dyn Remote> {
        self.remote.as_deref()
    }

    /// Only where ranks of other processes are known to exist.
    #[inline]
    pub fn other(&self) -> &dyn Remote {
        match &self.remote {
            Some(remote) => &**remote,
            None => unreachable!("all ranks are here"),
        }
    }

    /// This process.
    #[inline]
    pub fn index(&self) -> u32 {
        self.process.0
    }

    /// This process, among so many.
    #[inline]
    pub fn process(&self) -> (u32, u32) {
        self.process
    }

    /// Are some of its members in other processes?
    #[inline]
    pub fn spans(&self, group: &Group) -> bool {
        self.remote.is_some() && group.ranks().iter().any(|r| self.local(*r).is_none())
    }

    /// What a crate above keeps of the job.
    #[inline]
    pub fn part<T: Any>(&self) -> &T {
        let found = self.parts.iter().find_map(|part| part.downcast_ref());
        match found {
            Some(part) => part,
            None => unreachable!("a job has all its parts"),
        }
    }

    #[inline]
    pub fn process_of(&self, rank: u32) -> u32 {
        match self.processes.get(rank as usize) {
            Some(process) => *process,
            None => unreachable!("all processes know a rank before others hear of it"),
        }
    }

    /// The ranks of a process, ascending.
    #[inline]
    pub fn ranks_of(&self, process: u32) -> Vec<u32> {
        let all = (0..).zip(self.processes.iter());
        all.filter(|r| *r.1 == process).map(|r| r.0).collect()
    }

    /// All ranks that there have been, in any process.
    #[inline]
    pub fn known(&self) -> usize {
        self.by_rank.len()
    }

    /// Another process has so many ranks more.
    pub fn learn_of(&self, ranks: u32, process: u32) {
        let _growing = self.growing();
        for _ in 0..ranks {
            // SAFETY: only one at a time comes here.
            if unsafe { !self.put(process, null()) } {
                unreachable!("who spawns looks whether there is room");
            }
        }
        if let Some(job) = self.job.get() {
            job.add(ranks as usize);
        }
    }

    /// The next rank is in this process, and has this state if it is ours.  False: there is no room.
    ///
    /// # Safety
    /// Nobody else does so now.
    unsafe fn put(&self, process: u32, state: *const RankState) -> bool {
        // SAFETY: by the caller.
        unsafe {
            self.processes.push(process).is_ok()
                && self.by_rank.push(RankPointer(state)).is_ok()
                && self.near.push(RankPointer(state)).is_ok()
        }
    }

    #[inline]
    pub fn wake_all(&self) {
        (0..self.ranks.len() as u32).for_each(|slot| self.sched.wake(None, slot));
    }

    /// By a rank that executes.
    #[inline]
    pub fn wake_others(&self, me: &RankState) {
        let others = self.ranks.iter().filter(|r| r.rank != me.rank);
        others.for_each(|r| self.sched.wake(Some(me.worker()), r.slot));
    }

    /// Makes a rank of this process ready again.  `from`: the worker on which the caller executes, if any.
    #[inline]
    pub fn wake(&self, from: Option<u32>, rank: u32) {
        self.sched.wake(from, self.rank(rank).slot);
    }

    /// Whoever has this may add ranks.
    #[inline]
    pub fn growing(&self) -> MutexGuard<'_, ()> {
        self.growing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For how many more ranks there is room.
    #[inline]
    pub fn left(&self) -> usize {
        self.processes.left().min(self.sched.left())
    }

    /// A further rank, which begins when it is woken; `exec` lives as long as the process.
    pub fn add(&self, _growing: &MutexGuard<()>, exec: *mut Rank) -> Option<&RankState> {
        let host = self.me.upgrade()?;
        // SAFETY: here and below, only one at a time comes here.
        let slot = unsafe { Sched::add(&host) }?;
        self.coord.lock().add();
        let number = self.known() as u32;
        let (worker, single) = (self.sched.wakes_as(slot), self.sched.is_single());
        let rank = RankState::new((number, slot), self, worker, single, (self.maker)(number));
        rank.exec.set(exec);
        let here = self.index();
        // SAFETY: as above.
        unsafe {
            let at = self.ranks.push(rank).ok()?;
            let placed = self.put(here, &raw const self.ranks[at]);
            placed.then(|| &self.ranks[at])
        }
    }

    /// Those of this process.
    #[inline]
    pub fn ranks(&self) -> &[RankState] {
        &self.ranks
    }

    #[inline]
    pub fn sched(&self) -> &Sched {
        &self.sched
    }

    /// A buffered-mode message has left library memory: its sender's account gets the room back.
    #[inline]
    pub fn give_back(&self, m: &Message, from: Option<u32>) {
        if let Some(MessageRoom::Attached(sender)) = m.buffered_by {
            self.rank(sender).give_back(m.len(), from);
        }
    }
}

/// A rank's state, or null.
struct RankPointer(*const RankState);
// SAFETY: leads to the world's own ranks, which may be shared.
unsafe impl Send for RankPointer {}
// SAFETY: as above.
unsafe impl Sync for RankPointer {}
