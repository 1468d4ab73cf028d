//! Since when ranks wait in vain.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Ranks poll while all others wait: since when it is so, and with how many messages that nobody has received.
#[derive(Default)]
pub(crate) struct Relief(pub(crate) Mutex<Option<(Instant, usize)>>);

/// Watches for ranks that poll while all others wait or have ended.  They may have reasons of their own to stop
/// polling, so this is told and does not end the job.
pub struct Idle {
    pub(crate) since: Mutex<Option<Instant>>,
    /// Milliseconds after which it is told.
    pub patience: AtomicU64,
    pub(crate) told: AtomicBool,
}

impl Default for Idle {
    fn default() -> Idle {
        Idle {
            since: Mutex::new(None),
            patience: AtomicU64::new(10_000),
            told: AtomicBool::new(false),
        }
    }
}

impl Idle {
    pub fn patience(&self) -> Duration {
        Duration::from_millis(self.patience.load(Relaxed).max(10))
    }
}
