//! Coordination: which locations of which ranks make one checkpoint.
//!
//! [`barrier`] decides; this file lets ranks wait for its decisions and reports to people.

pub mod barrier;

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pc3_runtime::control::{clear_flag, FLAG_ENGINE};
use pc3_runtime::tell::say;

use crate::deadlock;
use crate::state::World;
use barrier::{Barrier, Verdict};

pub struct Coordinator {
    barrier: Mutex<Barrier>,
    /// Copies of what most locations need to know, so that they need not lock.
    idle: AtomicBool,
    decider: AtomicUsize,
}

/// The barrier, locked; the copies follow when it is let go.
pub(crate) struct Locked<'a> {
    of: &'a Coordinator,
    barrier: MutexGuard<'a, Barrier>,
}

impl Deref for Locked<'_> {
    type Target = Barrier;
    fn deref(&self) -> &Barrier {
        &self.barrier
    }
}

impl DerefMut for Locked<'_> {
    fn deref_mut(&mut self) -> &mut Barrier {
        &mut self.barrier
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        self.of.idle.store(self.barrier.is_idle(), Release);
        let decider = self.barrier.decider().unwrap_or(usize::MAX);
        self.of.decider.store(decider, Release);
    }
}

impl Coordinator {
    pub fn new(ranks: u32) -> Coordinator {
        Coordinator {
            barrier: Mutex::new(Barrier::new(ranks as usize)),
            idle: AtomicBool::new(true),
            decider: AtomicUsize::new(0),
        }
    }

    pub(crate) fn lock(&self) -> Locked<'_> {
        let barrier = self.barrier.lock().unwrap_or_else(PoisonError::into_inner);
        Locked { of: self, barrier }
    }

    /// No checkpoint is planned, and `rank` is not the one to plan it.
    #[inline]
    pub fn is_no_concern_of(&self, rank: usize) -> bool {
        self.idle.load(Acquire) && self.decider.load(Acquire) != rank
    }

    /// No rank can run: if some only wait for others at a location, the cut is infeasible.
    /// True if ranks were woken.
    pub fn quiescent(&self, world: &World) -> bool {
        let verdict = self.lock().stuck();
        apply(world, verdict, true)
    }

    /// A rank has polled in vain many times: does everybody else wait too?
    pub fn polled(&self, world: &World) {
        let mut b = self.lock();
        if !b.any_parked() {
            return;
        }
        let idle =
            |r: u32| world.sched().is_blocked(r) || world.rank(r).polls.load(Relaxed) >= 1024;
        let all = (0..world.size).all(|r| !b.is_running(r as usize) || idle(r));
        if all {
            let verdict = b.stuck();
            drop(b);
            apply(world, verdict, false);
        }
    }
}

/// A rank's count of locations passed; the rank may be running.
pub(crate) fn passages(world: &World, rank: usize) -> u64 {
    let exec = world.rank(rank as u32).exec.get();
    if exec.is_null() {
        return 0;
    }
    // SAFETY: an aligned counter that its rank increments; any recent value will do.
    let n = unsafe { (&raw const (*exec).abi.passages).read_volatile() };
    u64::from(n)
}

/// `still`: no rank runs.  True if ranks were woken.
fn apply(world: &World, verdict: Verdict, still: bool) -> bool {
    let ranks = match verdict {
        Verdict::Nothing => return false,
        Verdict::Released(ranks) => ranks,
        Verdict::Dropped(ranks) => {
            dropped(world, still);
            ranks
        }
    };
    world.ranks().iter().for_each(|r| r.polls.store(0, Relaxed));
    ranks
        .iter()
        .for_each(|r| world.sched().wake(None, *r as u32));
    !ranks.is_empty()
}

/// A planned checkpoint turned out to be impossible.
fn dropped(world: &World, still: bool) {
    clear_flag(FLAG_ENGINE);
    let decider = world.coord.lock().decider().unwrap_or(0);
    if let Some(job) = world.job.get() {
        job.control.give_up(passages(world, decider));
    }
    // What ranks are doing can be read only while they do nothing.
    let who = if still {
        format!("\n{}", deadlock::describe(world))
    } else {
        String::new()
    };
    let why =
        "a checkpoint was dropped: ranks at checkpoint locations keep others waiting in MPI calls";
    say(format!("{why}{who}").trim_end());
}
