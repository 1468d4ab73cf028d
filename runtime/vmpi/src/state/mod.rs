//! The ranks of a job in this process, and their state in a checkpoint.

mod files;
pub mod load;
mod message;
mod posted;
pub mod rank;
pub mod save;

use std::any::Any;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use pc3_runtime::job::Job;

use crate::coll::meeting::Meeting;
use crate::comm::FIRST_LATE_ID;
use crate::coord::Coordinator;
use crate::deadlock;
use crate::group::Group;
use crate::objects::Objects;
use crate::p2p::mailbox::Message;
use crate::sched::{Backend, Host, Quiescent, Sched};

pub use message::link;
pub use rank::{Call, Phase, RankState};

/// What a rank runs; returns when it is finished.
pub type Program = Box<dyn Fn(&RankState) + Send + Sync>;

pub type Report = Box<dyn Fn(&str) + Send + Sync>;

/// One job in this process.
pub struct World {
    pub size: u32,
    ranks: Box<[RankState]>,
    sched: Sched,
    pub(crate) coord: Coordinator,
    /// Absent in tests without a runtime.
    pub(crate) job: OnceLock<Arc<Job>>,
    program: OnceLock<Program>,
    pub(crate) idle: deadlock::Idle,
    /// Ids of communicators that are made while their members do other things.
    pub(crate) late_ids: AtomicU32,
    /// Takes a deadlock report instead of it ending the process.
    pub on_deadlock: OnceLock<Report>,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl World {
    pub fn new(ranks: u32, workers: u32, backend: Backend, stack: usize) -> Arc<World> {
        let group = Group::world(ranks as usize);
        let meeting = Meeting::new(ranks as usize);
        Arc::new_cyclic(|world| {
            let sched = Sched::new(ranks, workers, backend, stack);
            let make = |rank| {
                let objects = Objects::new(group.clone(), rank, meeting.clone(), Meeting::new(1));
                RankState::new(
                    rank,
                    world.as_ptr(),
                    sched.worker_of(rank),
                    sched.is_single(),
                    objects,
                )
            };
            World {
                size: ranks,
                ranks: (0..ranks).map(make).collect(),
                sched,
                coord: Coordinator::new(ranks),
                job: OnceLock::new(),
                program: OnceLock::new(),
                idle: deadlock::Idle::default(),
                late_ids: AtomicU32::new(FIRST_LATE_ID),
                on_deadlock: OnceLock::new(),
                panic: Mutex::new(None),
            }
        })
    }

    /// An id that no agreement between members comes to.
    pub(crate) fn late_id(&self) -> u32 {
        self.late_ids.fetch_add(1, Relaxed)
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

    #[inline]
    pub fn rank(&self, rank: u32) -> &RankState {
        &self.ranks[rank as usize]
    }

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
        if let Some(sender) = m.buffered_by {
            let s = self.rank(sender);
            s.bsend.release(m.len());
            s.notify(&raw const s.bsend as usize, from);
        }
    }
}

impl Host for World {
    fn sched(&self) -> &Sched {
        &self.sched
    }

    fn body(&self, rank: u32) {
        let Some(program) = self.program.get() else {
            return;
        };
        let me = self.rank(rank);
        if let Err(p) = catch_unwind(AssertUnwindSafe(|| program(me))) {
            *self.panic.lock().unwrap_or_else(PoisonError::into_inner) = Some(p);
            self.sched.stop();
        }
    }

    #[inline]
    fn enter(&self, rank: u32) {
        let me = self.rank(rank);
        me.make_current();
        if let Some(r) = me.exec() {
            r.make_current();
        }
    }

    fn quiescent(&self) -> Quiescent {
        if crate::p2p::release_held(self) || self.coord.quiescent(self) {
            return Quiescent::Resumed;
        }
        deadlock::found(self);
        Quiescent::Stop
    }
}
