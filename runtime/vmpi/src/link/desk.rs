//! Calls that all processes make together, one thread of each: gathering bytes at process 0, spreading its bytes,
//! waiting until nothing is under way.  The caller's thread waits; no rank of the job runs meanwhile.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use pc3_runtime::chaos;
use pc3_transport::Head;

use super::{lock, Frame, Kind, Link};

const GATHER: u32 = 0;
const SPREAD: u32 = 1;
const FLUSH: u32 = 2;

/// Contents of letters, oldest first.
type Letters = VecDeque<Box<[u8]>>;

pub(crate) struct Desk {
    index: u32,
    count: u32,
    /// By purpose and process, in order of arrival.
    inbox: Mutex<Vec<[Letters; 3]>>,
    bell: Condvar,
    /// Threads that wait for the bell; changes with the inbox locked.  Ringing it for nobody is a system call, too.
    waiting: AtomicU32,
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

    fn wait<'a>(
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

    fn take(&self, from: u32, purpose: u32) -> Box<[u8]> {
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

fn head(purpose: u32) -> Head {
    Head {
        ctx: purpose,
        ..Head::default()
    }
}

impl Link {
    /// Process 0 gets what every process gives, in order; the others get nothing.
    pub(crate) fn gather(&self, mine: &[u8]) -> Vec<Vec<u8>> {
        if self.desk.index != 0 {
            self.send_bytes(0, Kind::Desk, head(GATHER), mine);
            return Vec::new();
        }
        let others = (1..self.desk.count).map(|p| self.desk.take(p, GATHER).into_vec());
        std::iter::once(mine.to_vec()).chain(others).collect()
    }

    /// Every process gets what process 0 gives.
    pub(crate) fn spread(&self, bytes: &[u8]) -> Vec<u8> {
        if self.desk.index != 0 {
            return self.desk.take(0, SPREAD).into_vec();
        }
        for peer in self.others() {
            self.send_bytes(peer, Kind::Desk, head(SPREAD), bytes);
        }
        bytes.to_vec()
    }

    /// Returns when everything that others sent before they called this has been handled here.
    pub(crate) fn flush(&self) {
        for peer in self.others() {
            self.send_bytes(peer, Kind::Desk, head(FLUSH), &[]);
        }
        for peer in self.others() {
            self.desk.take(peer, FLUSH);
        }
    }
}

/// The runtime's view.
pub(crate) struct Together(pub std::sync::Arc<Link>);

impl pc3_runtime::peers::Peers for Together {
    fn index(&self) -> usize {
        self.0.index() as usize
    }

    fn count(&self) -> usize {
        self.0.count() as usize
    }

    fn gather(&self, mine: &[u8]) -> Vec<Vec<u8>> {
        self.0.gather(mine)
    }

    fn spread(&self, bytes: &[u8]) -> Vec<u8> {
        self.0.spread(bytes)
    }

    fn close(&self) {
        self.0.close();
    }
}
