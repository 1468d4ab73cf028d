//! Ranks that poll, with locations between or without, while all others wait: some of these may wait in standard sends, which
//! MPI allows to be buffered.  Then they are, as when nobody can run at all.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{all_poll, release_held};
use crate::state::{RankState, World};

/// It must have been so for this long: who polls may be about to receive.
const PATIENCE: Duration = Duration::from_millis(20);

/// Since when it is so, and with how many messages that nobody has received.
#[derive(Default)]
pub(crate) struct Relief(Mutex<Option<(Instant, usize)>>);

impl Relief {
    /// A rank has polled in vain for a while.
    pub fn polled(&self, world: &World) {
        if world.remote().is_some() {
            return;
        }
        let all = world.ranks().iter().all(RankState::is_idle) && !world.has_mail();
        let unread = |r: &RankState| r.mailbox.with(|q| q.inbound.len());
        let now = all.then(|| world.ranks().iter().map(unread).sum());
        let mut since = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match (now, &*since) {
            (None, _) => *since = None,
            (Some(unread), Some((start, then))) if *then == unread => {
                if start.elapsed() >= PATIENCE {
                    if all_poll(world) {
                        release_held(world);
                    }
                    *since = None;
                }
            }
            (Some(unread), _) => *since = Some((Instant::now(), unread)),
        }
    }
}
