//! What becomes of offers that nobody has taken: when nothing else can go on, when their rank's stack goes away, at a
//! checkpoint and after it.

use std::collections::BTreeSet;

use pc3_transport::Head;

use super::rendezvous::send_data;
use super::traffic::{Offered, OfferedMessage};
use crate::kind::Kind;
use crate::link::Link;
use crate::post::lock;
use pc3_vmpi_core::mail::mailbox::Data;
use pc3_vmpi_core::mail::request::RequestKind;
use pc3_vmpi_core::p2p::{Mode, Request, Status, EAGER};
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_core::world::World;
use pc3_vmpi_transport::Withdrawn;

/// Copies what blocked ranks offer by standard sends, so that they go on; true if there was anything.  Called when
/// nothing moves in any process.
pub fn relieve(link: &Link, world: &World) -> bool {
    let (mut freed, mut beyond) = (Vec::new(), BTreeSet::new());
    for (&id, held) in lock(&link.traffic.held).iter_mut() {
        let Offered::Request(r) = held.what else {
            continue;
        };
        // SAFETY: pending.
        let q = unsafe { &*r };
        let blocked = world.local(q.owner).is_some_and(|o| o.waits_for(q));
        if blocked && q.what != RequestKind::Send(Mode::Synchronous) {
            // Who reads it lets its sender go on.
            if link.try_withdraw(id) != Some(Withdrawn::Yes) {
                continue;
            }
            // SAFETY: as above.
            let copy = unsafe { q.ty.pack_vec(q.addr, q.count) };
            held.what = Offered::Copy(copy.into_boxed_slice(), None);
            freed.push(r);
            let len = q.buf().len();
            if len <= EAGER {
                let to = world.process_of(q.dest);
                beyond.insert((to, link.credits.is_long(to, len)));
            }
        }
    }
    for (to, long) in beyond {
        link.credits.extend(to, long);
    }
    for &r in &freed {
        // SAFETY: nothing refers to it any more.
        unsafe {
            if let Some(owner) = world.local((*r).owner) {
                owner.complete(r, None, Status::EMPTY);
            }
        }
    }
    !freed.is_empty()
}

/// A rank's stack goes away: copies what it has offered and nobody has taken.  Synchronous sends stay.
pub fn settle(link: &Link, me: &RankState) {
    let mut freed = Vec::new();
    lock(&link.traffic.held).retain(|&id, held| {
        let Offered::Request(r) = held.what else {
            return true;
        };
        // SAFETY: pending.
        let q = unsafe { &*r };
        if q.owner != me.rank {
            return true;
        }
        // Its memory is not there for others any more.
        let was_read = link.withdraw(id) == Withdrawn::Read;
        if was_read {
            link.settled(id);
        } else if q.what == RequestKind::Send(Mode::Synchronous) {
            return true;
        } else {
            // SAFETY: as above.
            let copy = unsafe { q.ty.pack_vec(q.addr, q.count) };
            held.what = Offered::Copy(copy.into_boxed_slice(), None);
        }
        freed.push(r);
        !was_read
    });
    for r in freed {
        // SAFETY: as in `relieve`.
        unsafe { me.complete(r, None, Status::EMPTY) };
    }
}

/// What others read of what is offered here (`transport::near::direct`).
impl Link {
    pub fn withdraw(&self, id: u64) -> Withdrawn {
        let direct = self.carrier.direct();
        direct.map_or(Withdrawn::Yes, |d| d.withdraw(id))
    }

    fn try_withdraw(&self, id: u64) -> Option<Withdrawn> {
        let direct = self.carrier.direct();
        direct.map_or(Some(Withdrawn::Yes), |d| d.try_withdraw(id))
    }

    pub fn settled(&self, id: u64) {
        if let Some(direct) = self.carrier.direct() {
            direct.settled(id);
        }
    }
}

/// Before a checkpoint, when every `Take` has arrived: what is still offered goes to its receivers' queues; of
/// synchronous sends the place among the requests that their owner saves.
pub fn hand_over(link: &Link, world: &World, place: impl Fn(&Request) -> Option<u64>) {
    let all: Vec<u64> = lock(&link.traffic.held).keys().copied().collect();
    for id in all {
        let Some(held) = lock(&link.traffic.held).remove(&id) else {
            continue;
        };
        let mut head = Head {
            dst: held.dest,
            id,
            ..Head::default()
        };
        let to = world.process_of(held.dest);
        if let Offered::Request(r) = held.what {
            // SAFETY: pending, of a rank that is unwound.
            head.src = unsafe { (*r).owner };
        }
        match held.what {
            Offered::Request(r) => {
                // SAFETY: pending, of a rank that is unwound.
                let at = place(unsafe { &*r }).unwrap_or(u64::MAX);
                let head = Head { count: at, ..head };
                link.send_bytes(to, Kind::Place, head, &[]);
                lock(&link.traffic.held).insert(id, held);
            }
            Offered::Copy(..) => send_data(link, world, to, Kind::Hand, head, held),
        }
    }
}

/// All that this process's ranks have offered and nobody has taken goes where it is for, and stays here until that is heard of:
/// it may just be taken.  No rank here waits for it but by synchronous sends.
pub fn give_all(link: &Link, world: &World) {
    for (&id, held) in lock(&link.traffic.held).iter() {
        let packed;
        let (bytes, synchronous) = match &held.what {
            Offered::Copy(bytes, _) => (&**bytes, 0),
            Offered::Request(r) => {
                // SAFETY: pending.
                let r = unsafe { &**r };
                // SAFETY: as above, so its buffer is readable.
                packed = unsafe { r.ty.pack_vec(r.addr, r.count) };
                (&*packed, 1)
            }
        };
        let head = Head {
            dst: held.dest,
            id,
            count: synchronous,
            ..Head::default()
        };
        link.send_bytes(world.process_of(held.dest), Kind::Give, head, bytes);
    }
}

/// After a restart: the id under which a synchronous send that was saved as `index` of rank `owner` is offered.
fn restored_id(owner: u32, index: u64) -> u64 {
    1 << 63 | u64::from(owner) << 32 | index & 0xffff_ffff
}

/// The offer of a send that another process's checkpointed rank had not received.
pub fn far_again(world: &World, owner: u32, index: u64) -> Data {
    Data::Remote {
        process: world.process_of(owner),
        id: restored_id(owner, index),
        owner,
        index,
        at: 0,
    }
}

/// A request of a checkpoint: a pending synchronous send to what is another process now is offered there.
pub fn offered_again(link: &Link, world: &World, q: &Request, index: u64) {
    let pending = q.active.get() && !q.is_done() && matches!(q.what, RequestKind::Send(_));
    // One of parts has not been sent, or it would be complete.
    if pending && q.parts().is_none() && world.local(q.dest).is_none() {
        let held = OfferedMessage {
            dest: q.dest,
            what: Offered::Request(q),
        };
        lock(&link.traffic.held).insert(restored_id(q.owner, index), held);
    }
}
