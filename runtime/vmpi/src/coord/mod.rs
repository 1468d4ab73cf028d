//! Coordination: which locations of which ranks make one checkpoint.
//!
//! [`barrier`] decides; this file lets ranks wait for its decisions and reports to people.

pub mod barrier;

use std::sync::{Mutex, MutexGuard, PoisonError};

use pc3_runtime::control::{clear_flag, FLAG_ENGINE};

use crate::deadlock;
use crate::state::World;
use barrier::{Barrier, Verdict};

pub struct Coordinator {
    barrier: Mutex<Barrier>,
}

impl Coordinator {
    pub fn new(ranks: u32) -> Coordinator {
        Coordinator {
            barrier: Mutex::new(Barrier::new(ranks as usize)),
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Barrier> {
        self.barrier.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// No rank can run: if some only wait for others at a location, the cut is infeasible.
    /// True if ranks were woken.
    pub fn quiescent(&self, world: &World) -> bool {
        let verdict = self.lock().stuck();
        apply(world, verdict)
    }

    /// A rank has polled in vain many times: does everybody else wait too?
    pub fn polled(&self, world: &World) {
        let mut b = self.lock();
        if !b.any_parked() {
            return;
        }
        let idle = |r: u32| {
            world.sched().is_blocked(r)
                || world
                    .rank(r)
                    .polls
                    .load(std::sync::atomic::Ordering::Relaxed)
                    >= 1024
        };
        let all = (0..world.size).all(|r| !b.is_running(r as usize) || idle(r));
        if all {
            let verdict = b.stuck();
            drop(b);
            apply(world, verdict);
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

fn apply(world: &World, verdict: Verdict) -> bool {
    match verdict {
        Verdict::Nothing => false,
        Verdict::Released(ranks) => {
            for r in world.ranks() {
                r.polls.store(0, std::sync::atomic::Ordering::Relaxed);
            }
            let any = !ranks.is_empty();
            for r in ranks {
                world.sched().wake(None, r as u32);
            }
            any
        }
        Verdict::Dropped(ranks) => {
            dropped(world);
            let any = !ranks.is_empty();
            for r in ranks {
                world.sched().wake(None, r as u32);
            }
            any
        }
    }
}

/// A planned checkpoint turned out to be impossible.
fn dropped(world: &World) {
    clear_flag(FLAG_ENGINE);
    let decider = world.coord.lock().decider().unwrap_or(0);
    if let Some(job) = world.job.get() {
        job.control.give_up(passages(world, decider));
    }
    eprintln!(
        "pc3: a checkpoint was dropped: ranks at a checkpoint location keep others waiting in MPI calls\n{}",
        deadlock::describe(world)
    );
}
