//! The ranks of a job in this process, and their state in a checkpoint.

mod files;
pub mod load;
pub(crate) mod message;
mod posted;
pub mod rank;
pub mod save;

use std::any::Any;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::ptr::null;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use pc3_runtime::job::Job;
use pc3_runtime::placement::Placement;
use pc3_runtime::rank::Rank;

use crate::coll::meeting::{Meeting, MeetingRef, Registry};
use crate::comm::{FIRST_LATE_ID, SELF_ID, WORLD_ID};
use crate::coord::Coordinator;
use crate::deadlock;
use crate::link::Link;
use crate::nonblocking::Nonblocking;
use crate::objects::Objects;
use crate::p2p::lane::Lanes;
use crate::p2p::mailbox::{Message, Room};
use crate::p2p::relief::Relief;
use crate::ports::Ports;
use crate::protocol::Protocol;
use crate::stats::Counts;
use crate::topo::order::Orders;
use pc3_vmpi_objects::group::Group;
use pc3_vmpi_sched::grow::{Grow, ROOM};
use pc3_vmpi_sched::lines;
use pc3_vmpi_sched::{Backend, Host, Quiescent, Sched, Special};

pub use message::link;
pub use rank::{Call, Phase, RankState};

/// What a rank runs; returns when it is finished.
pub type Program = Box<dyn Fn(&RankState) + Send + Sync>;

pub type Report = Box<dyn Fn(&str) + Send + Sync>;

/// One job in this process.
pub struct World {
    /// Ranks that the job began with, or was continued with.
    pub size: u32,
    /// This, for what outlives a call.
    me: Weak<World>,
    pub(crate) placement: Placement,
    /// Those of this process, ascending.
    ranks: Grow<RankState>,
    /// All ranks: their states here, null for those of other processes.
    by_rank: Grow<Place>,
    /// Those that messages are delivered to without further ado.
    near: Grow<Place>,
    /// Where each is.
    processes: Grow<u32>,
    lanes: Option<Lanes>,
    pub(crate) traffic: Option<Counts>,
    link: Option<Arc<Link>>,
    sched: Sched,
    pub(crate) coord: Coordinator,
    pub(crate) nonblocking: Nonblocking,
    /// How checkpoints are taken.
    pub(crate) protocol: &'static dyn Protocol,
    /// Absent in tests without a runtime.
    pub(crate) job: OnceLock<Arc<Job>>,
    program: OnceLock<Program>,
    pub(crate) idle: deadlock::Idle,
    pub(crate) relief: Relief,
    pub(crate) orders: Orders,
    /// Ids of communicators that are made while their members do other things.
    pub(crate) late_ids: AtomicU32,
    /// Of MPI_COMM_WORLD's members.
    meeting: MeetingRef,
    /// Ranks here that had not ended when the job began or was continued; of these, a guest's that have come back from their
    /// frames; and what is outside of the program has been put to where it stood.
    pub(crate) again: AtomicU32,
    pub(crate) back: AtomicU32,
    pub(crate) settled: AtomicBool,
    /// Takes a deadlock report instead of it ending the process.
    pub on_deadlock: OnceLock<Report>,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    /// Held by who adds ranks.
    growing: Mutex<()>,
    pub(crate) ports: Ports,
}

impl World {
    /// This process's part of a job of several.
    pub(crate) fn linked(
        placement: Placement,
        backend: Backend,
        stack: usize,
        link: Option<Arc<Link>>,
        special: Special,
        protocol: &'static dyn Protocol,
    ) -> Arc<World> {
        let size = placement.ranks();
        let group = Group::world(size as usize);
        let meeting = Meeting::new(size as usize, WORLD_ID);
        let index = link.as_ref().map_or(0, |l| l.index());
        let here = placement.here(index);
        let homes: Vec<u32> = here.iter().map(|r| placement.worker_of(*r)).collect();
        let processes = placement.processes();
        let world = Arc::new_cyclic(|world| {
            let sched = Sched::new(
                &homes,
                placement.workers(),
                processes,
                backend,
                stack,
                special,
            );
            let make = |(slot, rank): (usize, &u32)| {
                let alone = Meeting::new(1, SELF_ID);
                let objects = Objects::new(group.clone(), *rank, meeting.clone(), alone);
                RankState::new(
                    (*rank, slot as u32),
                    world.as_ptr(),
                    sched.wakes_as(slot as u32),
                    sched.is_single(),
                    objects,
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
                ports: Ports::default(),
                placement,
                meeting: meeting.clone(),
                ranks,
                by_rank: Grow::new(by_rank.into_iter().map(Place), ROOM),
                near: Grow::new(near.into_iter().map(Place), ROOM),
                processes: Grow::new(places.into_iter(), ROOM),
                // What is counted takes the way that counts.
                lanes: (sched.spins() && !special.observe)
                    .then(|| Lanes::new(sched.workers()))
                    .flatten(),
                traffic: special.observe.then(|| Counts::new(here.len())),
                link,
                sched,
                coord: Coordinator::new(here.len() as u32, processes > 1),
                nonblocking: Nonblocking::new(&here, (index, processes)),
                protocol,
                job: OnceLock::new(),
                program: OnceLock::new(),
                idle: deadlock::Idle::default(),
                relief: Relief::default(),
                orders: Orders::default(),
                late_ids: AtomicU32::new(FIRST_LATE_ID),
                again: AtomicU32::new(0),
                back: AtomicU32::new(0),
                settled: AtomicBool::new(false),
                on_deadlock: OnceLock::new(),
                panic: Mutex::new(None),
            }
        });
        if let Some(link) = &world.link {
            link.attach(&world);
        }
        world
    }

    /// An id that no agreement between members comes to.
    pub(crate) fn late_id(&self) -> u32 {
        let Some(link) = &self.link else {
            return self.late_ids.fetch_add(1, Relaxed);
        };
        // Each process names others: by what is left when divided by their number.
        let (index, count) = (link.index(), link.count());
        let mine = |at: u32| at + (index + count - at % count) % count;
        let next = |at: u32| Some(mine(at) + 1);
        let before = self.late_ids.fetch_update(Relaxed, Relaxed, next);
        mine(before.unwrap_or_else(|at| at))
    }

    /// Meetings of communicators whose members come to know of them one by one.
    pub(crate) fn meetings(&self) -> &Registry {
        &self.meeting.inner
    }

    /// A communicator of ranks here has this id.
    pub(crate) fn known_late_id(&self, id: u32) {
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
    pub(crate) fn near(&self, rank: u32) -> Option<&RankState> {
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
    pub(crate) fn has_mail(&self) -> bool {
        self.lanes.as_ref().is_some_and(Lanes::any)
    }

    /// The place in the scheduler of a rank of this process.
    #[inline]
    pub(crate) fn slot_of(&self, rank: u32) -> Option<u32> {
        Some(self.local(rank)?.slot)
    }

    /// The other processes, if there are any.
    #[inline]
    pub(crate) fn remote(&self) -> Option<&Arc<Link>> {
        self.link.as_ref()
    }

    /// Are some of its members in other processes?
    pub(crate) fn spans(&self, group: &Group) -> bool {
        self.link.is_some() && group.ranks().iter().any(|r| self.local(*r).is_none())
    }

    /// Only where ranks of other processes are known to exist.
    pub(crate) fn link(&self) -> &Link {
        match &self.link {
            Some(link) => link,
            None => unreachable!("all ranks are here"),
        }
    }

    #[inline]
    pub(crate) fn process_of(&self, rank: u32) -> u32 {
        match self.processes.get(rank as usize) {
            Some(process) => *process,
            None => unreachable!("all processes know a rank before others hear of it"),
        }
    }

    /// The ranks of a process, ascending.
    pub(crate) fn ranks_of(&self, process: u32) -> Vec<u32> {
        let all = (0..).zip(self.processes.iter());
        all.filter(|r| *r.1 == process).map(|r| r.0).collect()
    }

    /// All ranks that there have been, in any process.
    pub(crate) fn known(&self) -> usize {
        self.by_rank.len()
    }

    /// Another process has so many ranks more.
    pub(crate) fn learn_of(&self, ranks: u32, process: u32) {
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
                && self.by_rank.push(Place(state)).is_ok()
                && self.near.push(Place(state)).is_ok()
        }
    }

    pub(crate) fn wake_all(&self) {
        (0..self.ranks.len() as u32).for_each(|slot| self.sched.wake(None, slot));
    }

    /// By a rank that executes.
    pub(crate) fn wake_others(&self, me: &RankState) {
        let others = self.ranks.iter().filter(|r| r.rank != me.rank);
        others.for_each(|r| self.sched.wake(Some(me.worker()), r.slot));
    }

    /// Makes a rank of this process ready again.  `from`: the worker on which the caller executes, if any.
    #[inline]
    pub(crate) fn wake(&self, from: Option<u32>, rank: u32) {
        self.sched.wake(from, self.rank(rank).slot);
    }

    /// Whoever has this may add ranks.
    pub(crate) fn growing(&self) -> MutexGuard<'_, ()> {
        self.growing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For how many more ranks there is room.
    pub(crate) fn left(&self) -> usize {
        self.processes.left().min(self.sched.left())
    }

    /// A further rank, which begins when it is woken; `exec` lives as long as the process.
    pub(crate) fn add(&self, _growing: &MutexGuard<()>, exec: *mut Rank) -> Option<&RankState> {
        let host = self.me.upgrade()?;
        // SAFETY: here and below, only one at a time comes here.
        let slot = unsafe { Sched::add(&host) }?;
        self.coord.lock().add();
        let group = Group::world(self.size as usize);
        let alone = Meeting::new(1, SELF_ID);
        let number = self.known() as u32;
        let objects = Objects::new(group, number, self.meeting.clone(), alone);
        let (worker, single) = (self.sched.wakes_as(slot), self.sched.is_single());
        let rank = RankState::new((number, slot), self, worker, single, objects);
        rank.exec.set(exec);
        let here = self.link.as_ref().map_or(0, |l| l.index());
        // SAFETY: as above.
        unsafe {
            let at = self.ranks.push(rank).ok()?;
            let placed = self.put(here, &raw const self.ranks[at]);
            placed.then(|| &self.ranks[at])
        }
    }

    /// Those of this process.
    pub fn ranks(&self) -> &[RankState] {
        &self.ranks
    }

    #[inline]
    pub fn sched(&self) -> &Sched {
        &self.sched
    }

    /// A buffered-mode message has left library memory: its sender's account gets the room back.
    #[inline]
    pub(crate) fn give_back(&self, m: &Message, from: Option<u32>) {
        if let Some(Room::Attached(sender)) = m.buffered_by {
            self.rank(sender).give_back(m.len(), from);
        }
    }
}

/// A rank's state, or null.
struct Place(*const RankState);
// SAFETY: leads to the world's own ranks, which may be shared.
unsafe impl Send for Place {}
// SAFETY: as above.
unsafe impl Sync for Place {}

impl Host for World {
    fn sched(&self) -> &Sched {
        &self.sched
    }

    fn body(&self, rank: u32) {
        let Some(program) = self.program.get() else {
            return;
        };
        let me = &self.ranks[rank as usize];
        if let Err(p) = catch_unwind(AssertUnwindSafe(|| program(me))) {
            *self.panic.lock().unwrap_or_else(PoisonError::into_inner) = Some(p);
            self.sched.stop();
        }
    }

    #[inline]
    fn enter(&self, rank: u32) {
        let me = &self.ranks[rank as usize];
        me.make_current();
        if let Some(r) = me.exec() {
            r.make_current();
        }
    }

    #[inline]
    fn look(&self, worker: u32) {
        self.take_mail(worker);
        if let Some(link) = &self.link {
            link.look();
        }
    }

    #[inline]
    fn take_mail(&self, worker: u32) {
        if let Some(lanes) = &self.lanes {
            lanes.look(self, worker);
        }
    }

    fn has_mail(&self, worker: Option<u32>) -> bool {
        match (&self.lanes, worker) {
            (None, _) => false,
            (Some(lanes), Some(w)) => {
                lines::OURS.about_to_sleep();
                lanes.has(w)
            }
            (Some(lanes), None) => lanes.any(),
        }
    }

    fn rest(&self) {
        if let Some(link) = &self.link {
            link.rest();
        }
    }

    fn quiescent(&self) -> Quiescent {
        if self.link.is_some() {
            // What happens next may come from another process; `link::node` sees if nothing does.
            return Quiescent::Wait;
        }
        self.nonblocking.quiescent(self);
        if crate::p2p::release_held(self) || self.coord.quiescent(self) {
            return Quiescent::Resumed;
        }
        deadlock::found(self);
        Quiescent::Stop
    }
}
