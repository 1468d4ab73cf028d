//! Back end for targets with stackful coroutines: a switch is a few instructions.
//!
//! [`stacks`] has the coroutines: where we know how to, a rank switches to the next one itself (`direct`); else it goes back to
//! the worker's thread, which resumes that one (`resume`).

#[cfg_attr(target_arch = "x86_64", path = "direct.rs")]
#[cfg_attr(not(target_arch = "x86_64"), path = "resume.rs")]
mod stacks;

pub(crate) mod context;
mod stack;

use std::sync::mpsc::channel;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pc3_runtime::floats::Floats;

use crate::observe::Watch;
use crate::overflow::watch_overflow;
use crate::scheduler::{Host, Sched, Slot};

pub(super) fn run<H: Host>(host: &Arc<H>) {
    if host.sched().watch.is_some() {
        run_with(host, work::<H, true>);
    } else {
        run_with(host, work::<H, false>);
    }
}

fn run_with<H: Host>(host: &Arc<H>, work: fn(&Arc<H>, usize)) {
    let sched = host.sched();
    std::thread::scope(|scope| {
        // Ranks begin when all workers are on their processors: a thread that has been made on this one may not run
        // before this one's time slice ends.
        let (sits, all) = channel::<()>();
        for w in 1..sched.workers.len() {
            let sits = sits.clone();
            scope.spawn(move || {
                sched.binding.bind(w);
                drop(sits);
                work(host, w);
            });
        }
        sched.binding.bind(0);
        drop(sits);
        // Nothing is ever sent.
        let _ = all.recv();
        work(host, 0);
    });
}

/// A worker's thread: lets the first ranks begin, and those that no other rank has switched to.
fn work<H: Host, const OBSERVED: bool>(host: &Arc<H>, index: usize) {
    let sched = host.sched();
    let w = &sched.workers[index];
    watch_overflow();
    // The thread's, as are the ranks that run on it.
    w.home.errno.set(pc3_os::errors::slot());
    let mut pool = Vec::new();
    let mut clock = if OBSERVED {
        Stopwatch::new(sched, index)
    } else {
        None
    };
    while let Some(rank) = w.home.next.take().or_else(|| sched.next(&**host, w)) {
        if let Some(clock) = clock.as_mut().filter(|_| OBSERVED) {
            clock.switched();
        }
        // SAFETY: this is the worker's thread, on its own stack.
        let ended = unsafe { stacks::go(host, w, rank, &mut pool) };
        if let Some(clock) = clock.as_mut().filter(|_| OBSERVED) {
            clock.ran(rank);
        }
        if let Some(rank) = ended {
            sched.end(rank);
        }
    }
    for slot in sched.slots.iter().filter(|s| s.worker as usize == index) {
        // Suspended for ever; unwinding through the user's C frames is not possible.
        // SAFETY: contexts belong to their worker.
        unsafe { (*slot.coro.get()).forget() };
    }
}

/// Divides a worker's time between its ranks and what lies between them.
struct Stopwatch<'a> {
    watch: &'a Watch,
    worker: usize,
    since: Instant,
    idle: Duration,
}

impl<'a> Stopwatch<'a> {
    fn new(sched: &'a Sched, worker: usize) -> Option<Stopwatch<'a>> {
        Some(Stopwatch {
            watch: sched.watch.as_ref()?,
            worker,
            since: Instant::now(),
            idle: Duration::ZERO,
        })
    }

    /// Time since the last call, but for what the worker was idle.
    fn lap(&mut self) -> Duration {
        let (now, idle) = (Instant::now(), self.watch.idle_so_far(self.worker));
        let lap = (now - self.since).saturating_sub(idle - self.idle);
        (self.since, self.idle) = (now, idle);
        lap
    }

    fn switched(&mut self) {
        let lap = self.lap();
        self.watch.switched(self.worker, lap);
    }

    fn ran(&mut self, rank: u32) {
        let lap = self.lap();
        self.watch.ran(self.worker, rank, lap);
    }
}

/// The life of a rank, on its stack.
fn live<H: Host>(host: &H, rank: u32) {
    // SAFETY: the worker's thread runs this.
    unsafe { *host.sched().worker(rank).home.errno.get() = 0 };
    host.body(rank);
    // The next one begins as the process did.
    let _ = Floats::leave();
}

/// Runs others until it is `me`'s turn again; its errno and floating-point environment wait with it.
#[inline(always)]
pub(super) fn away<H: Host>(sched: &Sched, host: &H, slot: &Slot, me: u32) {
    let w = slot.worker();
    let errno = w.home.errno.get();
    // SAFETY: the worker's thread runs this, now and afterwards.
    let kept = unsafe { *errno };
    let floats = Floats::leave();
    match sched.next(host, w) {
        Some(rank) if rank == me => {}
        // SAFETY: as above, on the stack of that rank.
        next => unsafe { stacks::leave(sched, host, (w, slot), next) },
    }
    floats.enter();
    // SAFETY: as above.
    unsafe { *errno = kept };
}
