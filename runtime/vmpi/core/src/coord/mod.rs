//! Coordination: which locations of which ranks make one checkpoint.
//!
//! [`barrier`] decides; this file has it locked.  [`decide`]: what comes of plans that cannot be followed; [`standing`]: what is
//! done when that takes long.

pub use pc3_protocol::barrier;
pub mod decide;
pub mod standing;

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering::*};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use barrier::Barrier;
use pc3_runtime::control::bring_news;

pub struct Coordinator {
    barrier: Mutex<Guarded>,
    /// A copy of what most locations need to know, so that they need not lock.
    idle: AtomicBool,
    watcher: Watcher,
}

#[derive(Debug)]
pub struct Guarded {
    pub barrier: Barrier,
    standing: Standing,
}

/// The barrier, locked; the copy follows when it is let go.
pub struct Locked<'a> {
    of: &'a Coordinator,
    held: MutexGuard<'a, Guarded>,
}

impl Deref for Locked<'_> {
    type Target = Barrier;
    fn deref(&self) -> &Barrier {
        &self.held.barrier
    }
}

impl DerefMut for Locked<'_> {
    fn deref_mut(&mut self) -> &mut Barrier {
        &mut self.held.barrier
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        let held = &mut *self.held;
        held.standing.follow(&held.barrier);
        self.of.idle.store(held.barrier.is_idle(), Release);
    }
}

impl Coordinator {
    /// `apart`: there are other processes.
    pub fn new(ranks: u32, apart: bool) -> Coordinator {
        Coordinator {
            barrier: Mutex::new(Guarded {
                barrier: Barrier::new(ranks as usize, apart),
                standing: Standing::default(),
            }),
            watcher: Watcher::default(),
            idle: AtomicBool::new(true),
        }
    }

    #[inline]
    pub fn lock(&self) -> Locked<'_> {
        let held = self.barrier.lock().unwrap_or_else(PoisonError::into_inner);
        Locked { of: self, held }
    }

    /// What is planned, unless that is being changed.
    #[inline]
    pub fn sights(&self) -> Option<MutexGuard<'_, Guarded>> {
        self.barrier.try_lock().ok()
    }

    /// No checkpoint is planned.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.idle.load(Acquire)
    }
}

/// Of one process's plan.
#[derive(Default, Debug)]
pub(crate) struct Standing {
    since: Option<Instant>,
    told: bool,
    /// A thread looks after it.
    watched: bool,
}

impl Standing {
    /// As the barrier is now.
    fn follow(&mut self, b: &Barrier) {
        if b.is_idle() || b.is_unwinding() {
            self.since = None;
        } else if self.since.is_none() {
            self.since = Some(Instant::now());
            self.told = false;
        }
    }

    fn is_older(&self, time: Duration) -> bool {
        self.since.is_some_and(|since| since.elapsed() >= time)
    }
}

impl Locked<'_> {
    /// Has the plan stood for so long that it takes ranks anywhere?
    #[inline]
    pub fn ripen(&mut self, patience: Duration) {
        if !self.is_loose() && self.held.standing.is_older(patience / 20) {
            self.loosen();
            bring_news();
        }
    }

    /// People are to be told, once for a plan.
    #[inline]
    pub fn is_overdue(&mut self, patience: Duration) -> bool {
        let s = &mut self.held.standing;
        !s.told && s.is_older(patience) && {
            s.told = true;
            true
        }
    }
}

/// In a job of one process a thread looks after plans; of several, the porter.
#[derive(Default)]
struct Watcher {
    thread: Mutex<Option<JoinHandle<()>>>,
    over: Mutex<bool>,
    news: Condvar,
}
