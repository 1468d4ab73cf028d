//! Who of a worker's ranks runs, where each is a thread.

use std::sync::atomic::{AtomicBool, Ordering::*};
use std::sync::{Condvar, Mutex, PoisonError};

use crate::lock::lock;

/// A rank's turn: raised by whoever hands over, taken by the rank's thread.
#[derive(Default)]
pub(crate) struct Baton {
    raised: AtomicBool,
    sleeping: Mutex<bool>,
    bell: Condvar,
}

impl Baton {
    pub(super) fn give(&self) {
        self.raised.store(true, SeqCst);
        if *lock(&self.sleeping) {
            self.bell.notify_one();
        }
    }

    pub(super) fn take(&self, spin: u32) {
        for _ in 0..spin {
            if self.raised.swap(false, Acquire) {
                return;
            }
            std::hint::spin_loop();
        }
        let mut sleeping = lock(&self.sleeping);
        *sleeping = true;
        while !self.raised.swap(false, SeqCst) {
            sleeping = self
                .bell
                .wait(sleeping)
                .unwrap_or_else(PoisonError::into_inner);
        }
        *sleeping = false;
    }
}
