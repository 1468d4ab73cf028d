//! Sends frames to the other processes, and knows the ranks that frames are for.

use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering::*};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::Thread;

use pc3_runtime::chaos;
use pc3_runtime::report::{die, EXIT_FATAL};
use pc3_transport::Head;

use crate::frame::{Handler, HANDLES};
use crate::kind::Kind;
use crate::processes::heartbeat::Heartbeat;
use pc3_vmpi_core::world::World;
use pc3_vmpi_transport::Carrier;

pub struct Post {
    pub(crate) carrier: Carrier,
    pub(crate) porter: OnceLock<Thread>,
    pub(crate) world: AtomicPtr<World>,
    /// Frames handled that count; written by whoever has `hands`.
    pub(crate) handled: AtomicU64,
    pub(crate) heartbeat: Option<Heartbeat>,
}

#[inline]
pub fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The job cannot go on.
#[inline]
pub fn fail(why: &str) -> ! {
    die(EXIT_FATAL, why)
}

impl Post {
    #[inline]
    pub fn index(&self) -> u32 {
        self.carrier.index()
    }

    #[inline]
    pub fn count(&self) -> u32 {
        self.carrier.count()
    }

    #[inline]
    pub fn others(&self) -> impl Iterator<Item = u32> {
        let me = self.index();
        (0..self.count()).filter(move |p| *p != me)
    }

    #[inline]
    pub fn world(&self) -> Option<&World> {
        // SAFETY: the world of a job lives as long as the process.
        unsafe { self.world.load(SeqCst).as_ref() }
    }

    /// Something waits to be handled.
    pub fn wake(&self) {
        if HANDLES.get() != Handler::Nobody {
            return;
        }
        self.carrier.wake();
        if let Some(porter) = self.porter.get() {
            porter.unpark();
        }
    }

    /// # Safety
    /// The body has `head.len` bytes; with a token they stay until [`Traffic::sent`] is called with it.
    pub unsafe fn send(&self, peer: u32, kind: Kind, head: Head, body: *const u8, token: u64) {
        chaos();
        let head = Head {
            kind: kind as u32,
            ..head
        };
        if let Some(heartbeat) = &self.heartbeat {
            heartbeat.speak(peer);
        }
        // SAFETY: by the caller.
        unsafe { self.carrier.send(peer, &head, body, token, kind.counts()) }
    }

    pub fn send_bytes(&self, peer: u32, kind: Kind, head: Head, body: &[u8]) {
        let head = Head {
            len: body.len() as u64,
            ..head
        };
        // SAFETY: a slice, and no token.
        unsafe { self.send(peer, kind, head, body.as_ptr(), 0) }
    }

    /// Sends what the peer pulls.
    ///
    /// # Safety
    /// The body has `len` bytes, which stay until [`Traffic::sent`] is called with the token.
    #[inline]
    pub unsafe fn push(&self, peer: u32, name: u32, body: (*const u8, u64), token: u64) {
        chaos();
        // SAFETY: by the caller.
        unsafe { self.carrier.push(peer, name, body.0, body.1, token) }
    }

    /// Frames that count: sent, and handled.
    #[inline]
    pub fn counts(&self) -> (u64, u64) {
        (self.carrier.sent(), self.handled.load(Acquire))
    }

    /// One frame that counts, with all that comes of it; the caller has `hands`.
    #[inline]
    pub(crate) fn has_handled(&self) {
        self.handled.store(self.handled.load(Relaxed) + 1, Release);
    }

    /// Something of a process has come.
    #[inline]
    pub fn hear(&self, peer: u32) {
        if let Some(heartbeat) = &self.heartbeat {
            heartbeat.hear(peer);
        }
    }
}
