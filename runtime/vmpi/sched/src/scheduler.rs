//! What there is to be scheduled: ranks, the workers that run them, and whom that serves.

use std::cell::{Cell, UnsafeCell};
use std::collections::VecDeque;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU8, AtomicUsize};
use std::sync::{Condvar, Mutex};
use std::time::Instant;

use crate::binding::Binding;
#[cfg(pc3_coroutines)]
use crate::coro::context::{Context, Home};
use crate::grow::Grow;
use crate::idle::Patience;
use crate::inbox::{Inbox, NOBODY};
use crate::observe::Watch;
use crate::threads::baton::Baton;
use pc3_runtime::inherited;
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
        let asked = inherited::var_os("PC3_SCHED").unwrap_or_default();
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
pub(crate) struct Slot {
    pub(crate) state: AtomicU8,
    pub(crate) worker: u32,
    /// The same, which stays where it is as long as the scheduler.
    pub(crate) of: NonNull<Worker>,
    /// The next rank in its worker's inbox.
    pub(crate) link: AtomicU32,
    pub(crate) baton: Baton,
    #[cfg(pc3_coroutines)]
    pub(crate) coro: UnsafeCell<Context>,
}

impl Slot {
    pub(crate) fn new(worker: &Worker, state: u8) -> Slot {
        Slot {
            state: AtomicU8::new(state),
            worker: worker.index,
            of: NonNull::from(worker),
            link: AtomicU32::new(NOBODY),
            baton: Baton::default(),
            #[cfg(pc3_coroutines)]
            coro: UnsafeCell::new(Context::default()),
        }
    }

    #[inline]
    pub(crate) fn worker(&self) -> &Worker {
        // SAFETY: of the scheduler that the slot is of.
        unsafe { self.of.as_ref() }
    }
}

/// Of a worker: baton.
#[derive(Default)]
pub(crate) struct Turn {
    pub(crate) sends: Cell<u32>,
    /// Whose it is, and when it was first seen to send.
    pub(crate) of: Cell<Option<(u32, Instant)>>,
}

#[repr(align(128))]
pub(crate) struct Worker {
    pub(crate) index: u32,
    /// Baton: ranks ready to run.
    pub(crate) run: UnsafeCell<VecDeque<u32>>,
    #[cfg(pc3_coroutines)]
    pub(crate) home: Home,
    /// Baton: yields in a row that found nobody else.
    pub(crate) lonely: Cell<u32>,
    pub(crate) patience: Patience,
    /// Baton: who sends and sends.
    pub(crate) turn: Turn,
    pub(crate) inbox: Inbox,
}

impl Worker {
    pub(crate) fn new((run, index): (VecDeque<u32>, u32)) -> Worker {
        Worker {
            index,
            run: UnsafeCell::new(run),
            #[cfg(pc3_coroutines)]
            home: Home::new(),
            lonely: Cell::new(0),
            patience: Patience::new(),
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
    pub(crate) slots: Grow<Slot>,
    pub(crate) workers: Box<[Worker]>,
    pub(crate) backend: Backend,
    pub(crate) stack_size: usize,
    /// See [`Special::stay`].
    pub(crate) stay: bool,
    /// One worker: nothing runs beside it, so plain loads and stores do.
    pub(crate) single: bool,
    /// Who waits may wait for ranks that another one keeps from running.
    pub(crate) turns: bool,
    /// There are cores to look for work on before going to sleep.
    pub(crate) spin: bool,
    /// Where workers begin.
    #[cfg_attr(
        not(pc3_coroutines),
        allow(dead_code, reason = "workers then have no threads of their own")
    )]
    pub(crate) binding: Binding,
    pub(crate) watch: Option<Watch>,
    /// State of the generator of the order in which ranks run, if that is asked for; one worker only.
    pub(crate) shuffle: Option<Cell<u64>>,
    pub(crate) idle: Mutex<usize>,
    pub(crate) ended: AtomicUsize,
    pub(crate) stopping: AtomicBool,
    pub(crate) stopped: (Mutex<bool>, Condvar),
}

// SAFETY: see the crate's convention; slots' cells belong to their worker likewise.
unsafe impl Sync for Sched {}
// SAFETY: as above.
unsafe impl Send for Sched {}
