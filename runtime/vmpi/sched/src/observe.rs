//! What workers and ranks spend their time with, where that is asked for.

use std::cell::Cell;
use std::time::Duration;

#[derive(Default)]
#[repr(align(128))]
struct Clock {
    running: Cell<Duration>,
    switching: Cell<Duration>,
    idle: Cell<Duration>,
    switches: Cell<u64>,
}

/// Of one worker.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Times {
    /// Ranks ran.
    pub running: Duration,
    /// From one rank to the next.
    pub switching: Duration,
    /// No rank of it could run.
    pub idle: Duration,
    pub switches: u64,
}

/// A worker's clock, and its ranks' entries, are used by whoever executes for it.
pub struct Watch {
    ran: Box<[Cell<Duration>]>,
    clocks: Box<[Clock]>,
}

// SAFETY: see there.
unsafe impl Sync for Watch {}

fn add(to: &Cell<Duration>, d: Duration) {
    to.set(to.get() + d);
}

impl Watch {
    pub(super) fn new(ranks: usize, workers: usize) -> Watch {
        Watch {
            ran: (0..ranks).map(|_| Cell::default()).collect(),
            clocks: (0..workers).map(|_| Clock::default()).collect(),
        }
    }

    pub(super) fn idle(&self, worker: usize, d: Duration) {
        add(&self.clocks[worker].idle, d);
    }

    /// So long has the worker been idle up to now.
    #[cfg_attr(not(pc3_coroutines), allow(dead_code))]
    pub(super) fn idle_so_far(&self, worker: usize) -> Duration {
        self.clocks[worker].idle.get()
    }

    #[cfg_attr(not(pc3_coroutines), allow(dead_code))]
    pub(super) fn ran(&self, worker: usize, rank: u32, d: Duration) {
        add(&self.ran[rank as usize], d);
        add(&self.clocks[worker].running, d);
    }

    #[cfg_attr(not(pc3_coroutines), allow(dead_code))]
    pub(super) fn switched(&self, worker: usize, d: Duration) {
        let clock = &self.clocks[worker];
        add(&clock.switching, d);
        clock.switches.set(clock.switches.get() + 1);
    }

    pub fn worker(&self, worker: usize) -> Times {
        let c = &self.clocks[worker];
        Times {
            running: c.running.get(),
            switching: c.switching.get(),
            idle: c.idle.get(),
            switches: c.switches.get(),
        }
    }

    /// So long has the rank run.
    pub fn rank(&self, rank: u32) -> Duration {
        self.ran[rank as usize].get()
    }
}
