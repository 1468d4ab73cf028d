//! Takes out what is in [lanes](crate::mail::lane) and delivers it.

use std::ptr::null;
use std::sync::atomic::Ordering::*;

use crate::mail::lane::{Lane, Parcel, BATCH};
use crate::mail::mailbox::unpack;
use crate::mail::request::{Request, Status};
use crate::rank::RankState;
use crate::world::World;
use pc3_runtime::chaos;

/// Takes delivery of what is on its way to the ranks of this one's worker.
#[inline(always)]
pub fn look(me: &RankState) {
    look_of(me.world(), me.worker());
}

/// The same for a worker, on which the caller executes.
#[inline(always)]
pub(crate) fn look_of(world: &World, worker: u32) {
    if let Some(lanes) = world.lanes() {
        lanes.look(worker, |here, some| deliver(world, here, some));
    }
}

/// Delivers everything; nobody puts anything in.  `here`: the worker on which the caller executes, if any.
#[inline]
pub fn flush(world: &World, here: Option<u32>) {
    if let Some(lanes) = world.lanes() {
        lanes.flush(here, |here, some| deliver(world, here, some));
    }
}

/// What ranks of this one's worker have sent and shall receive.
#[inline]
pub fn flush_of(me: &RankState) {
    let world = me.world();
    if let Some(lanes) = world.lanes() {
        lanes.flush_of(me.worker(), |here, some| deliver(world, here, some));
    }
}

/// What ranks of this one's worker have sent to that of a lane.
#[cold]
pub(crate) fn flush_lane(me: &RankState, lane: &Lane) {
    let world = me.world();
    lane.flush(Some(me.worker()), |here, some| deliver(world, here, some));
}

/// As `send` does with a message, for some to one rank, of which there are not more than [`BATCH`]: its mailbox is locked once, and
/// it is asked once whether it waits.
fn deliver(world: &World, here: Option<u32>, some: &[Parcel]) {
    let Some(first) = some.first() else { return };
    let to = world.rank(first.to);
    let mut found = [null(); BATCH];
    let queued = to.mailbox.with(|q| {
        let mut queued = false;
        for (p, found) in some.iter().zip(&mut found) {
            let posted = q.posted.take_receive(&p.key).map(|(_, r)| r);
            match posted.or_else(|| to.landing.hand(&p.key)) {
                Some(r) => *found = r,
                None => {
                    q.insert(p.key, p.message());
                    queued = true;
                }
            }
        }
        if queued {
            to.crowded.store(q.is_full(), Relaxed);
        }
        queued && q.probing
    });
    chaos();
    for (p, r) in some.iter().zip(&found).filter(|(_, r)| !r.is_null()) {
        // SAFETY: a posted receive is pending until we complete it.
        unsafe {
            let (ty, bytes) = p.packed();
            let into = (**r).buf();
            let mut status = Status::of(&p.key, ty, bytes.len(), into.len());
            if let Err(e) = unpack(ty, bytes, into.plain()) {
                status.error = e.class;
            }
            Request::finish(*r, status);
        }
        chaos();
    }
    let done = found[..some.len()].iter().filter(|r| !r.is_null());
    to.notify_of(done.map(|r| *r as usize), here);
    if queued {
        world.wake(here, to.rank);
    }
}
