//! Ranks that poll, with locations between or without, while all others wait: some of these may wait in standard sends, which
//! MPI allows to be buffered.  Then they are, as when nobody can run at all.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use crate::p2p::{all_poll, release_held};
use crate::rank::RankState;
use crate::world::World;

/// It must have been so for this long: who polls may be about to receive.
const PATIENCE: Duration = Duration::from_millis(20);

/// A rank has polled in vain for a while.
pub(crate) fn polled(world: &World) {
    if world.remote().is_some() {
        return;
    }
    let all = world.ranks().iter().all(RankState::is_idle) && !world.has_mail();
    let unread = |r: &RankState| r.mailbox.with(|q| q.inbound.len());
    let now = all.then(|| world.ranks().iter().map(unread).sum());
    let since = &world.relief.0;
    let mut since = since.lock().unwrap_or_else(PoisonError::into_inner);
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
