//! The lock under which all is done that the machines have to know of.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use pc3_runtime::report::{die, EXIT_FATAL};

use crate::state::{Stage, State};
use pc3_vmpi_core::p2p::deliver::flush_of;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_core::world::World;

pub struct Machines {
    pub(crate) state: Mutex<State>,
    /// An epoch has begun, or the job is over.
    pub(crate) news: Condvar,
}

impl Machines {
    /// `here`: the ranks of this process, which is the one of this number among so many.
    pub fn new(here: &[u32], (index, count): (u32, u32)) -> Machines {
        Machines {
            state: Mutex::new(State::new(here, (index, count))),
            news: Condvar::new(),
        }
    }

    /// The calling rank is on none of the usual ways.
    pub(crate) fn enter(&self, me: &RankState) -> MutexGuard<'_, State> {
        // Sent on the usual ways.
        flush_of(me);
        let mut s = self.lock();
        if s.stage == Stage::Gathering {
            s.seen[me.slot as usize] = true;
        }
        s
    }

    /// The same, for what the rank does again behind its checkpoint.
    pub(crate) fn step(&self, me: &RankState) -> MutexGuard<'_, State> {
        course_only(me);
        self.enter(me)
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The job is over: waits for a checkpoint that is being written.
    pub fn finish(&self) {
        let watcher = {
            let mut s = self.lock();
            s.is_over = true;
            s.watcher.take()
        };
        self.news.notify_all();
        if let Some(w) = watcher {
            drop(w.join());
        }
        loop {
            let writer = self.lock().writer.take();
            match writer {
                Some(w) => drop(w.join()),
                None => return,
            }
        }
    }

    /// Process 0 has decided that the job is over: no checkpoint is begun any more.
    pub fn end(&self) {
        self.lock().is_over = true;
    }
}

pub fn machines(world: &World) -> &Machines {
    world.part()
}

/// What communicates is a step of its rank's course: a callback would meet ranks that are not in theirs, or take what was logged for
/// others.
pub(crate) fn course_only(me: &RankState) {
    if me.exec().is_some_and(|r| r.aside > 0) {
        beside_the_course(me);
    }
}

#[cold]
pub(crate) fn beside_the_course(me: &RankState) -> ! {
    let call = match me.call.get().name {
        "" => "an MPI function that communicates",
        name => name,
    };
    let why = format!(
        "rank {}: {call} was called by a callback around checkpoints, or by the function of a reduction, while the nonblocking protocol takes a \
         checkpoint or goes on from one: what such functions send and hear is no part of what a rank does again; let them not communicate (around \
         checkpoints at a barrier they may)",
        me.rank
    );
    die(EXIT_FATAL, &why)
}

/// An operation is over: what it said is passed on.
pub(crate) fn done(world: &World, mut s: MutexGuard<'_, State>) {
    s.begin(world);
    if let Some(why) = s.is_too_much(world) {
        s.give_up(world, why);
    }
    s.pump(world);
}
