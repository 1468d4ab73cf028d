//! Messages that are still in their sender's buffer, and how they leave it without a receiver.

use super::{EAGER, LAZY};
use crate::mail::mailbox::{Data, Message};
use crate::mail::request::{Mode, Request, RequestKind, Status};
use crate::rank::RankState;
use crate::world::World;

/// Copies the held messages in `to`'s queue for whose requests `which` holds into library memory;
/// these requests are then complete.  Synchronous ones stay: they wait for the receiver.
fn buffer(to: &RankState, which: impl Fn(&Request) -> bool, from: Option<u32>) -> bool {
    let mut freed = Vec::new();
    to.mailbox.with(|q| {
        let mut added = 0;
        q.inbound.for_each_mut(|_, m| {
            let Data::Held(r) = m.data else { return };
            // SAFETY: a held message's request is pending and its buffer readable.
            let r = unsafe { &*r };
            if r.what != RequestKind::Send(Mode::Synchronous) && which(r) {
                // SAFETY: as above.
                let packed = unsafe { Message::packed(&r.buf()) };
                *m = Message {
                    mark: m.mark.take(),
                    ..packed
                };
                added += m.weight();
                freed.push(&raw const *r);
            }
        });
        q.bytes += added;
    });
    for &r in &freed {
        // SAFETY: its message no longer refers to it.
        unsafe { to.world().rank((*r).owner).complete(r, from, Status::EMPTY) };
    }
    !freed.is_empty()
}

/// May the message still be where it was, though there is room for it in library memory?
#[inline]
pub fn is_lazy(r: &Request) -> bool {
    !r.is_done()
        && r.what == RequestKind::Send(Mode::Standard)
        && (LAZY..=EAGER).contains(&r.buf().len())
}

/// The sender of such a message is about to wait for it: its receiver gets a turn, if that is all it needs.
#[cold]
pub fn give_way(me: &RankState, r: &Request) {
    let to = me.world().local(r.dest);
    if to.is_some_and(|to| me.may_let_run(to)) {
        me.yield_now();
    }
    keep_lazy(me, r);
}

/// Such a message is buffered, so that its sender need not wait.
#[cold]
pub(crate) fn keep_lazy(me: &RankState, r: &Request) {
    let to = me.world().local(r.dest);
    let to = to.filter(|to| !r.is_done() && !to.mailbox.with(|q| q.is_full()));
    if let Some(to) = to {
        buffer(to, |held| std::ptr::eq(held, r), Some(me.worker()));
    }
}

/// Buffers the held standard-mode messages of blocked senders; true if there were any.  Called
/// when no rank can run: MPI allows standard sends to be buffered, so a program that relies on it
/// goes on.
pub fn release_held(world: &World) -> bool {
    let blocked = |r: &Request| world.rank(r.owner).waits_for(r);
    world.ranks().iter().fold(false, |any, to| {
        let freed = buffer(to, blocked, None);
        if freed {
            to.mailbox.with(|q| q.relied += 1);
        }
        freed | any
    })
}

/// Do all ranks that are not blocked still poll?  All are asked, which counts for the next time.
#[inline]
pub fn all_poll(world: &World) -> bool {
    let others = world.ranks().iter().filter(|r| !r.still_polls());
    others.count() == 0
}

/// Buffers what other ranks hold for this one, but for synchronous messages.
#[inline]
pub fn buffer_all(me: &RankState) {
    buffer(me, |_| true, None);
}

/// Buffers what is left of a rank's own standard-mode sends in its buffers, so that they are
/// complete: before its stack goes away, or its memory is written to a checkpoint.
pub fn settle(me: &RankState) {
    let mut dests: Vec<u32> = Vec::new();
    let mut note = |r: &Request| {
        if matches!(r.what, RequestKind::Send(_)) && r.active.get() && !r.is_done() {
            dests.push(r.dest);
        }
    };
    me.requests.borrow().iter().for_each(|(_, r)| note(r.get()));
    me.detached().iter().for_each(|r| note(r.get()));
    dests.sort_unstable();
    dests.dedup();
    for to in dests {
        if let Some(to) = me.world().local(to) {
            buffer(to, |r| r.owner == me.rank, None);
        }
    }
    if let Some(remote) = me.world().remote() {
        remote.settle(me);
    }
}
