//! Runs N ranks on W worker threads; what threads share besides.
//!
//! A rank has a stack of its own and belongs to one worker as long as it has one (compilers cache
//! thread-local addresses across calls).  Each worker runs one of its ranks at a time, first
//! come, first served, and switches only when the rank blocks, yields or ends.  Two back ends
//! switch: [`coro`] on the worker's thread, [`threads`] between threads that pass a baton.
//!
//! Convention: the fields of a `Worker` marked *baton* are touched only by whoever executes for
//! that worker at the moment, so they need no lock.
//!
//! | module | what |
//! |---|---|
//! | `scheduler` | ranks, workers, the back ends' choice: what all of them know |
//! | `coro`, `threads` | the two back ends |
//! | `coro::stack`, `overflow` | stacks of ranks, and where one ends |
//! | `binding` | on which processors workers begin |
//! | `idle`, `states`, `fairness`, `order`, `observe` | who runs next, and who waits |
//! | `inbox` | wake-ups from other threads |
//! | `lock`, `brief`, `grow`, `cache_lines`, `copy` | a lock, a short one, lists that only grow, cache lines, copies of few bytes |

mod binding;
pub mod brief;
pub mod cache_lines;
pub mod copy;
#[cfg(pc3_coroutines)]
pub(crate) mod coro;
mod fairness;
pub mod grow;
mod idle;
mod inbox;
mod lock;
pub mod observe;
mod order;
mod overflow;
mod scheduler;
mod states;
pub mod threads;

use std::collections::VecDeque;
use std::fmt::{self, Write};
use std::sync::atomic::{fence, AtomicBool, AtomicUsize, Ordering::*};
use std::sync::{Arc, Condvar, Mutex};

use self::binding::Binding;
use self::inbox::NOBODY;
use self::lock::lock;
use self::observe::Watch;
use self::scheduler::{Slot, Worker};
use self::states::*;
use crate::grow::{Grow, ROOM};

pub use self::binding::Processors;
pub use self::scheduler::{Backend, Host, Quiescent, Sched, Special};

impl Sched {
    /// `homes`: each rank's worker, of so many, which may be more than ranks begin on; `processes`: of the job.
    pub fn new(
        homes: &[u32],
        workers: u32,
        (processes, processors): (u32, Processors),
        backend: Backend,
        stack_size: usize,
        special: Special,
    ) -> Sched {
        let mut queues = vec![VecDeque::new(); workers as usize];
        for (rank, home) in homes.iter().enumerate() {
            queues[*home as usize].push_back(rank as u32);
        }
        let spin = workers * processes > 1 && workers <= processors.own;
        let shuffle = special.seed.map(order::start);
        if let Some(state) = &shuffle {
            queues.iter_mut().for_each(|q| order::shuffle(q, state));
        }
        let all: Box<[Worker]> = queues.into_iter().zip(0..).map(Worker::new).collect();
        let slot = |home: &u32| Slot::new(&all[*home as usize], RUNNING);
        Sched {
            slots: Grow::new(homes.iter().map(slot), ROOM),
            workers: all,
            backend,
            stack_size,
            stay: special.stay,
            single: workers == 1 && processes == 1 && shuffle.is_none(),
            turns: workers * processes > 1 && shuffle.is_none(),
            spin,
            binding: Binding::new(if spin { workers } else { 0 }, processors.before),
            watch: special
                .observe
                .then(|| Watch::new(homes.len(), workers as usize)),
            shuffle,
            idle: Mutex::new(0),
            ended: AtomicUsize::new(0),
            stopping: AtomicBool::new(false),
            stopped: (Mutex::new(false), Condvar::new()),
        }
    }

    /// A further rank, on one of the workers in turn, which begins when it is woken.  None: there is no room, or no thread.
    ///
    /// # Safety
    /// Nobody else adds one now.
    pub unsafe fn add<H: Host>(host: &Arc<H>) -> Option<u32> {
        let sched = host.sched();
        let worker = (sched.slots.len() % sched.workers.len()) as u32;
        // SAFETY: by the caller.
        let slot = unsafe {
            sched
                .slots
                .push(Slot::new(&sched.workers[worker as usize], BLOCKED))
        }
        .ok()? as u32;
        match sched.backend {
            #[cfg(pc3_coroutines)]
            Backend::Coroutines => Some(slot),
            Backend::Threads => threads::start(host, slot).ok().map(|_| slot),
        }
    }

    /// For how many more ranks there is room.
    #[inline]
    pub fn left(&self) -> usize {
        self.slots.left()
    }

    /// The times of ranks and workers, if they are observed; complete when no rank runs.
    #[inline]
    pub fn watch(&self) -> Option<&Watch> {
        self.watch.as_ref()
    }

    /// Whom a rank's wake-ups come from: its worker, whose queue it may then use, or nobody where the order is shuffled,
    /// which happens as the inbox is emptied.
    #[inline]
    pub fn wakes_as(&self, rank: u32) -> u32 {
        match self.shuffle {
            Some(_) => NOBODY,
            None => self.worker_of(rank),
        }
    }

    #[inline]
    pub fn workers(&self) -> usize {
        self.workers.len()
    }

    #[inline]
    pub fn worker_of(&self, rank: u32) -> u32 {
        self.slots[rank as usize].worker
    }

    /// Are there cores to look for work on before going to sleep?
    #[inline]
    pub fn spins(&self) -> bool {
        self.spin
    }

    /// All ranks have ended.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.ended.load(SeqCst) == self.slots.len()
    }

    /// Has the worker said that it sleeps?
    #[inline]
    pub fn sleeps(&self, worker: u32) -> bool {
        self.workers[worker as usize].inbox.is_asleep()
    }

    /// Something has come for it.
    #[inline]
    pub fn rouse(&self, worker: u32) {
        self.workers[worker as usize].inbox.rouse();
    }

    /// All workers sleep, and nobody has woken a rank.
    #[inline]
    pub fn is_asleep(&self) -> bool {
        let idle = lock(&self.idle);
        *idle == self.workers.len() && self.workers.iter().all(|w| !w.inbox.has())
    }

    /// One worker only: callers may skip their own atomics too.
    #[inline]
    pub fn is_single(&self) -> bool {
        self.single
    }

    /// Runs every rank to its end, or until `quiescent` says stop.
    #[inline]
    pub fn run<H: Host>(host: &Arc<H>) {
        match host.sched().backend {
            #[cfg(pc3_coroutines)]
            Backend::Coroutines => coro::run(host),
            Backend::Threads => threads::run(host),
        }
    }

    /// What workers do, for people.
    pub fn sights(&self, out: &mut impl Write) -> fmt::Result {
        for (i, w) in self.workers.iter().enumerate() {
            let does = if w.inbox.is_asleep() {
                "sleeps"
            } else {
                "is awake"
            };
            let has = if w.inbox.has() {
                ", ranks were woken for it"
            } else {
                ""
            };
            writeln!(out, "  worker {i} {does}{has}")?;
        }
        Ok(())
    }

    /// Ends `me` without returning from its body; its stack is never resumed.
    #[inline]
    pub fn abandon<H: Host>(&self, host: &H, me: u32) -> ! {
        self.end(me);
        loop {
            self.away(host, &self.slots[me as usize], me);
        }
    }

    /// Stops the run from outside the normal course.
    #[inline]
    pub fn stop(&self) {
        self.stopping.store(true, SeqCst);
        self.workers.iter().for_each(|w| w.inbox.ring());
        *lock(&self.stopped.0) = true;
        self.stopped.1.notify_all();
    }

    #[inline]
    fn worker(&self, rank: u32) -> &Worker {
        self.slots[rank as usize].worker()
    }

    fn end(&self, rank: u32) {
        self.slots[rank as usize].state.store(ENDED, Release);
        if self.ended.fetch_add(1, AcqRel) + 1 == self.slots.len() {
            self.stop();
        }
    }

    #[inline(always)]
    fn switch<H: Host>(&self, host: &H, slot: &Slot, me: u32) {
        match self.backend {
            #[cfg(pc3_coroutines)]
            Backend::Coroutines => coro::away(self, host, slot, me),
            Backend::Threads => threads::away(self, host, slot, me),
        }
    }

    /// The next ready rank of `w`; waits for one.  `None`: the run is over.
    #[inline]
    fn next<H: Host>(&self, host: &H, w: &Worker) -> Option<u32> {
        loop {
            if !self.single {
                host.take_mail(w.index);
            }
            if w.inbox.has() {
                self.empty_inbox(w);
            }
            // SAFETY: baton.
            if let Some(r) = unsafe { (*w.run.get()).pop_front() } {
                w.lonely.set(0);
                return Some(r);
            }
            if !self.wait_for_work(host, w) {
                return None;
            }
        }
    }

    #[cold]
    fn empty_inbox(&self, w: &Worker) {
        // SAFETY: baton.
        let run = unsafe { &mut *w.run.get() };
        w.inbox.drain(&self.slots, run);
        if let Some(state) = &self.shuffle {
            order::shuffle(run, state);
        }
    }

    /// Orders a store before a load against another worker doing the reverse.
    #[inline]
    pub fn full_fence(&self) {
        if !self.single {
            fence(SeqCst);
        }
    }
}
