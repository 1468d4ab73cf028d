//! What the scheduler asks of the ranks that it runs.

use crate::coord::decide;
use crate::deadlock;
use crate::p2p::deliver::look_of;
use crate::p2p::release_held;
use crate::world::World;
use pc3_vmpi_sched::cache_lines;
use pc3_vmpi_sched::{Host, Quiescent, Sched};

impl Host for World {
    fn sched(&self) -> &Sched {
        World::sched(self)
    }

    fn body(&self, rank: u32) {
        World::body(self, rank);
    }

    #[inline]
    fn enter(&self, rank: u32) {
        let me = &self.ranks()[rank as usize];
        me.make_current();
        if let Some(r) = me.exec() {
            r.make_current();
        }
    }

    #[inline]
    fn look(&self, worker: u32) {
        look_of(self, worker);
        if let Some(remote) = self.remote() {
            remote.look();
        }
    }

    #[inline]
    fn take_mail(&self, worker: u32) {
        if self.lanes().is_some() {
            take_from_lanes(self, worker);
        }
    }

    fn has_mail(&self, worker: Option<u32>) -> bool {
        match (self.lanes(), worker) {
            (None, _) => false,
            (Some(lanes), Some(w)) => {
                cache_lines::OURS.about_to_sleep();
                lanes.has(w)
            }
            (Some(lanes), None) => lanes.any(),
        }
    }

    fn rest(&self) {
        if let Some(remote) = self.remote() {
            remote.rest();
        }
    }

    fn quiescent(&self) -> Quiescent {
        if self.remote().is_some() {
            // What happens next may come from another process; the link sees if nothing does.
            return Quiescent::Wait;
        }
        if self.nonblocking.is_slow() {
            self.epoch.quiescent(self);
        }
        if release_held(self) || decide::quiescent(self) {
            return Quiescent::Resumed;
        }
        deadlock::found(self);
        Quiescent::Stop
    }
}

/// Not within a switch between ranks, which one worker alone does without it: it would take its registers.
#[inline(never)]
fn take_from_lanes(world: &World, worker: u32) {
    look_of(world, worker);
}
