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
//! | `coro`, `threads` | the two back ends |
//! | `stack`, `overflow` | stacks of ranks, and where one ends |
//! | `idle`, `states`, `turns`, `order`, `observe` | who runs next, and who waits |
//! | `inbox` | wake-ups from other threads |
//! | `brief`, `grow`, `lines`, `copy` | a short lock, lists that only grow, cache lines, copies of few bytes |

pub mod brief;
pub mod copy;
#[cfg(pc3_coroutines)]
pub(crate) mod coro;
pub mod grow;
mod idle;
mod inbox;
pub mod lines;
pub mod observe;
mod order;
mod overflow;
#[cfg(pc3_coroutines)]
mod stack;
mod states;
pub mod threads;
mod turns;

use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::fmt::{self, Write};
use std::ptr::NonNull;
use std::sync::atomic::{fence, AtomicBool, AtomicU32, AtomicU8, AtomicUsize, Ordering::*};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use self::idle::SPIN;
use self::inbox::{Inbox, NOBODY};
use self::observe::Watch;
use self::states::*;
use self::turns::Turn;
use crate::grow::{Grow, ROOM};
use pc3_runtime::given;
use pc3_runtime::report::{die, EXIT_SETTINGS};

/// What the scheduler serves.
pub trait Host: Send + Sync + 'static {
    fn sched(&self) -> &Sched;
    /// The whole life of a rank, on its own stack.
    fn body(&self, rank: u32);
    /// The rank's stack gets control of the calling thread.
    fn enter(&self, rank: u32);
    /// No rank can run and not all have ended.
    fn quiescent(&self) -> Quiescent;
    /// A worker has nothing to do: looks whether something has come from elsewhere.
    fn look(&self, _worker: u32) {}
    /// A worker is about to choose whom to run: takes what has come from other workers.
    fn take_mail(&self, _worker: u32) {}
    /// Has something come that would be taken?  For one worker: whoever sends it and does not see that this one sleeps is seen.
    fn has_mail(&self, _worker: Option<u32>) -> bool {
        false
    }
    /// A worker goes to sleep and looks no more.
    fn rest(&self) {}
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quiescent {
    /// At least one rank was woken.
    Resumed,
    /// Other processes, or threads that are no workers, may wake ranks.
    Wait,
    /// The run is over; blocked ranks are abandoned.
    Stop,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backend {
    #[cfg(pc3_coroutines)]
    Coroutines,
    Threads,
}

impl Backend {
    /// Every back end this target has.
    pub const ALL: &'static [Backend] = &[
        #[cfg(pc3_coroutines)]
        Backend::Coroutines,
        Backend::Threads,
    ];

    /// What `PC3_SCHED` asks for: `threads`, or `coroutines` where they exist.
    pub fn from_env(default: Backend) -> Backend {
        let asked = given::var_os("PC3_SCHED").unwrap_or_default();
        match asked.to_str() {
            Some("threads") => Backend::Threads,
            Some("coroutines") => Backend::ALL[0],
            Some("") => default,
            _ => die(
                EXIT_SETTINGS,
                &format!("PC3_SCHED={asked:?}: coroutines or threads"),
            ),
        }
    }
}

#[repr(align(64))]
struct Slot {
    state: AtomicU8,
    worker: u32,
    /// The same, which stays where it is as long as the scheduler.
    of: NonNull<Worker>,
    /// The next rank in its worker's inbox.
    link: AtomicU32,
    baton: threads::Baton,
    #[cfg(pc3_coroutines)]
    coro: UnsafeCell<coro::Seat>,
}

impl Slot {
    fn new(worker: &Worker, state: u8) -> Slot {
        Slot {
            state: AtomicU8::new(state),
            worker: worker.index,
            of: NonNull::from(worker),
            link: AtomicU32::new(NOBODY),
            baton: threads::Baton::default(),
            #[cfg(pc3_coroutines)]
            coro: UnsafeCell::new(coro::Seat::default()),
        }
    }

    #[inline]
    fn worker(&self) -> &Worker {
        // SAFETY: of the scheduler that the slot is of.
        unsafe { self.of.as_ref() }
    }
}

#[repr(align(128))]
struct Worker {
    index: u32,
    /// Baton: ranks ready to run.
    run: UnsafeCell<VecDeque<u32>>,
    #[cfg(pc3_coroutines)]
    home: coro::Home,
    /// Baton: yields in a row that found nobody else.
    lonely: std::cell::Cell<u32>,
    /// Baton: till when it does not look on before it sleeps.
    wary: std::cell::Cell<Option<std::time::Instant>>,
    /// Baton: who sends and sends.
    turn: Turn,
    inbox: Inbox,
}

impl Worker {
    fn new((run, index): (VecDeque<u32>, u32)) -> Worker {
        Worker {
            index,
            run: UnsafeCell::new(run),
            #[cfg(pc3_coroutines)]
            home: coro::Home::new(),
            lonely: std::cell::Cell::new(0),
            wary: std::cell::Cell::new(None),
            turn: Turn::default(),
            inbox: Inbox::new(),
        }
    }
}

/// What is not as usual.
#[derive(Clone, Copy, Default, Debug)]
pub struct Special {
    /// Times are taken.
    pub observe: bool,
    /// One worker's ranks run in an order that depends on nothing but this.
    pub seed: Option<u64>,
    /// A rank's thread, should it have one, stays until the process ends.
    pub stay: bool,
}

pub struct Sched {
    slots: Grow<Slot>,
    workers: Box<[Worker]>,
    backend: Backend,
    stack_size: usize,
    /// See [`Special::stay`].
    stay: bool,
    /// One worker: nothing runs beside it, so plain loads and stores do.
    single: bool,
    /// Who waits may wait for ranks that another one keeps from running.
    turns: bool,
    spin: u32,
    watch: Option<Watch>,
    /// State of the generator of the order in which ranks run, if that is asked for; one worker only.
    shuffle: Option<std::cell::Cell<u64>>,
    idle: Mutex<usize>,
    ended: AtomicUsize,
    stopping: AtomicBool,
    stopped: (Mutex<bool>, Condvar),
}

// SAFETY: see the convention above; slots' cells belong to their worker likewise.
unsafe impl Sync for Sched {}
// SAFETY: as above.
unsafe impl Send for Sched {}

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sched {
    /// `homes`: each rank's worker, of so many, which may be more than ranks begin on; `processes`: of the job, each with
    /// as many workers.
    pub fn new(
        homes: &[u32],
        workers: u32,
        processes: u32,
        backend: Backend,
        stack_size: usize,
        special: Special,
    ) -> Sched {
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        let mut queues = vec![VecDeque::new(); workers as usize];
        for (rank, home) in homes.iter().enumerate() {
            queues[*home as usize].push_back(rank as u32);
        }
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
            spin: if workers * processes > 1 && (workers * processes) as usize <= cores {
                SPIN
            } else {
                0
            },
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
        self.spin > 0
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
