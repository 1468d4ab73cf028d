//! Calls that all processes make together, one thread of each: gathering bytes at process 0, spreading its bytes,
//! waiting until nothing is under way.  The caller's thread waits; no rank of the job runs meanwhile.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use pc3_runtime::chaos;

use crate::frame::Frame;
use crate::post::lock;

/// Contents of letters, oldest first.
pub(crate) type Letters = VecDeque<Box<[u8]>>;

pub struct Desk {
    pub(crate) index: u32,
    pub(crate) count: u32,
    /// By purpose and process, in order of arrival.
    pub(crate) inbox: Mutex<Vec<[Letters; 3]>>,
    pub(crate) bell: Condvar,
    /// Threads that wait for the bell; changes with the inbox locked.  Ringing it for nobody is a system call, too.
    pub(crate) waiting: AtomicU32,
}

impl Desk {
    pub fn new(index: u32, count: u32) -> Desk {
        Desk {
            index,
            count,
            inbox: Mutex::new((0..count).map(|_| Default::default()).collect()),
            bell: Condvar::new(),
            waiting: AtomicU32::new(0),
        }
    }

    pub fn put(&self, frame: Frame) {
        let purpose = frame.head.ctx as usize;
        let mut inbox = lock(&self.inbox);
        if let Some(q) = inbox[frame.peer as usize].get_mut(purpose) {
            q.push_back(frame.bytes().into());
        }
        self.bell.notify_all();
    }

    pub fn ring(&self) {
        let _inbox = lock(&self.inbox);
        if self.waiting.load(Relaxed) > 0 {
            self.bell.notify_all();
        }
    }

    pub(crate) fn wait<'a>(
        &self,
        inbox: MutexGuard<'a, Vec<[Letters; 3]>>,
    ) -> MutexGuard<'a, Vec<[Letters; 3]>> {
        self.waiting.fetch_add(1, Relaxed);
        let inbox = self.bell.wait(inbox);
        self.waiting.fetch_sub(1, Relaxed);
        inbox.unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a condition, of which `ring` tells.
    pub fn until(&self, done: impl Fn() -> bool) {
        let mut inbox = lock(&self.inbox);
        while !done() {
            inbox = self.wait(inbox);
        }
    }

    pub(crate) fn take(&self, from: u32, purpose: u32) -> Box<[u8]> {
        chaos();
        let mut inbox = lock(&self.inbox);
        loop {
            if let Some(bytes) = inbox[from as usize][purpose as usize].pop_front() {
                return bytes;
            }
            inbox = self.wait(inbox);
        }
    }
}
