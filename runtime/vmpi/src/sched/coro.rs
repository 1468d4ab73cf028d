//! Back end for targets with stackful coroutines: a switch is a few instructions.

use std::cell::Cell;
use std::ptr::null;
use std::sync::atomic::AtomicPtr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use corosensei::{Coroutine, CoroutineResult, Yielder};
use pc3_runtime::floats::Floats;

use super::observe::Watch;
use super::overflow::{look, Canary};
use super::stack::RankStack;
use super::{Host, Sched, Slot};

type Coro = Coroutine<(), (), (), RankStack>;

/// A rank's coroutine, made when it first runs.
#[derive(Default)]
pub(super) struct Seat {
    coro: Option<Coro>,
    yielder: Cell<Yield>,
    /// Of its stack, if that has no guard.
    canary: AtomicPtr<Canary>,
}

#[derive(Clone, Copy)]
struct Yield(*const Yielder<(), ()>);
impl Default for Yield {
    fn default() -> Self {
        Yield(null())
    }
}

pub(super) fn run<H: Host>(host: &Arc<H>) {
    if host.sched().watch.is_some() {
        run_with(host, work::<H, true>);
    } else {
        run_with(host, work::<H, false>);
    }
}

fn run_with<H: Host>(host: &Arc<H>, work: fn(&Arc<H>, usize)) {
    std::thread::scope(|scope| {
        for w in 1..host.sched().workers.len() {
            scope.spawn(move || work(host, w));
        }
        work(host, 0);
    });
}

/// A worker's thread: resumes whoever is next.
fn work<H: Host, const OBSERVED: bool>(host: &Arc<H>, index: usize) {
    let sched = host.sched();
    let w = &sched.workers[index];
    super::overflow::watch_overflow();
    // SAFETY: no preconditions; the address is the thread's, as are the ranks that run on it.
    w.errno.set(unsafe { libc::__errno_location() });
    let mut pool: Vec<RankStack> = Vec::new();
    let mut clock = if OBSERVED {
        Stopwatch::new(sched, index)
    } else {
        None
    };
    while let Some(rank) = w.next.take().or_else(|| sched.next(&**host, w)) {
        let seat = sched.slots[rank as usize].coro.get();
        // SAFETY: seats belong to their worker; the coroutine's own stack only reads `yielder`.
        let coro = unsafe {
            if (*seat).coro.is_none() {
                let stack = pool
                    .pop()
                    .unwrap_or_else(|| RankStack::new(sched.stack_size));
                (*seat).canary = stack.canary().into();
                (*seat).coro = Some(make(host, rank, stack));
            }
            match &mut (*seat).coro {
                Some(c) => c,
                None => unreachable!("made above"),
            }
        };
        if let Some(clock) = clock.as_mut().filter(|_| OBSERVED) {
            clock.switched();
        }
        host.enter(rank);
        let outcome = coro.resume(());
        if let Some(clock) = clock.as_mut().filter(|_| OBSERVED) {
            clock.ran(rank);
        }
        if let CoroutineResult::Return(()) = outcome {
            // SAFETY: as above; it has returned.
            unsafe { look(*(*seat).canary.get_mut()) };
            // SAFETY: likewise.
            if let Some(c) = unsafe { (*seat).coro.take() } {
                pool.push(c.into_stack());
            }
            sched.end(rank);
        }
    }
    for slot in sched.slots.iter().filter(|s| s.worker as usize == index) {
        // Suspended for ever; unwinding through the user's C frames is not possible.
        // SAFETY: as above.
        std::mem::forget(unsafe { (*slot.coro.get()).coro.take() });
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

fn make<H: Host>(host: &Arc<H>, rank: u32, stack: RankStack) -> Coro {
    let host = Arc::clone(host);
    Coroutine::with_stack(stack, move |yielder, ()| {
        // SAFETY: the seat is alive as long as the scheduler, which `host` owns.
        unsafe {
            (*host.sched().slots[rank as usize].coro.get())
                .yielder
                .set(Yield(yielder))
        };
        // SAFETY: the worker's thread runs this.
        unsafe { *host.sched().worker(rank).errno.get() = 0 };
        host.body(rank);
        // The next one begins as the process did.
        let _ = Floats::leave();
    })
}

/// Runs others until it is `me`'s turn again; its errno and floating-point environment wait with it.
#[inline(always)]
pub(super) fn away<H: Host>(sched: &Sched, host: &H, slot: &Slot, me: u32) {
    let w = slot.worker();
    let errno = w.errno.get();
    // SAFETY: the worker's thread runs this, now and afterwards.
    let kept = unsafe { *errno };
    let floats = Floats::leave();
    match sched.next(host, w) {
        Some(rank) if rank == me => {}
        next => {
            w.next.set(next);
            suspend(slot);
        }
    }
    floats.enter();
    // SAFETY: as above.
    unsafe { *errno = kept };
}

/// To the worker's thread and back.
#[inline(always)]
fn suspend(slot: &Slot) {
    let seat = slot.coro.get();
    // SAFETY: set when this coroutine began, on this very stack.
    unsafe {
        let canary = *(*seat).canary.get_mut();
        if !canary.is_null() {
            look(canary);
        }
        (*(*seat).yielder.get().0).suspend(());
    }
}
