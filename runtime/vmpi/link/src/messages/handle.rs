//! Frames about messages between ranks of different processes: which of these files each is for; and the forms that they have.
//!
//! ```text
//! a few KiB                   Eager: the message
//! more, or synchronous        Offer(id)  →  ←  Take(id, receive)  Data(receive) →
//! ```
//! Where the transport can bring a body without a frame (`pull`, `push`), it is asked for before `Take` says so, and comes
//! instead of `Data`.  A receiver that can read its sender's memory does, and then says so in its `Take`.  A body that is
//! one block is sent from where it lies and received where it belongs; what else is known as an offer waits in the
//! receiver's queue like a message held by a rank of its own process.  A type travels as the handle of a predefined type,
//! or as a signature in front of the data; the data are packed.

use pc3_transport::Head;

use super::arrive::{eager, offered};
use super::counted;
use super::frame_heads::key_of;
use super::pulls;
use super::rendezvous::{offer_taken, settled};
use crate::frame::{Frame, Handler};
use crate::kind::Kind;
use crate::link::Link;
use crate::post::fail;
use pc3_vmpi_core::mail::mailbox::unpack;
use pc3_vmpi_core::p2p::{Key, Request, Status};
use pc3_vmpi_objects::datatype::{by_handle, TypeRef};
use pc3_vmpi_sched::copy::copy_few;

/// A frame about messages has arrived.
pub fn handle(link: &Link, kind: Kind, frame: Frame) {
    let Some(world) = link.world() else {
        fail("internal error: a message before the ranks were known")
    };
    let what = frame.head;
    let done = match kind {
        Kind::Eager => eager(link, world, frame),
        Kind::Counted => counted::arrived(link, world, frame),
        Kind::Give => counted::offer_body(link, world, &frame),
        Kind::Offer => offered(world, &frame),
        Kind::Take => offer_taken(link, world, &frame),
        Kind::Data => pulls::data(link, world, frame),
        Kind::Hand | Kind::Place => settled(world, kind, frame),
        _ => None,
    };
    if done.is_none() {
        fail(&format!(
            "internal error: a frame of another process makes no sense: {kind:?}, {what:?}"
        ));
    }
}

/// A message of a predefined type that a receive waits for is copied from where it has arrived, and what is told of collectives
/// put down; false if this is neither.  It
/// comes before others of its process that have not been handled.  Sends nothing: the transport is at work.
#[inline]
pub fn at_once(link: &Link, (peer, by): (u32, Handler), head: &Head, bytes: &[u8]) -> bool {
    if head.kind != Kind::Eager as u32 || head.ty == 0 {
        return head.kind == Kind::InlineCollective as u32
            && link.board.hear(link, (peer, by), head, bytes);
    }
    let (Some(world), Some(ty)) = (link.world(), by_handle(head.ty as usize)) else {
        return false;
    };
    let Some(to) = world
        .local(head.dst)
        .filter(|_| !world.nonblocking.is_slow())
    else {
        return false;
    };
    if head.count.checked_mul(ty.size as u64) != Some(bytes.len() as u64) {
        return false;
    }
    let key = key_of(head);
    let put = |r| {
        // SAFETY: of a receive that is ours to complete.
        unsafe { land(r, &key, &ty, bytes) }
    };
    if let Some(asleep) = to.landing.complete(&key, by == Handler::Worker, put) {
        if asleep {
            world.wake(None, to.rank);
        }
    } else {
        to.happened();
        let matched = to.mailbox.with(|q| {
            let queued = q.posted.take_receive(&key).map(|(_, r)| r);
            queued.or_else(|| to.landing.hand(&key))
        });
        let Some(r) = matched else { return false };
        put(r);
        to.notify(r as usize, None);
    }
    link.hear(peer);
    link.credits.received(peer, bytes.len());
    link.has_handled();
    true
}

/// Copies a whole message into the buffer of a receive, which is then complete; its owner is to be notified.
///
/// # Safety
/// The receive is pending, and the caller is the one who completes it.
#[inline(always)]
unsafe fn land(r: *const Request, key: &Key, ty: &TypeRef, bytes: &[u8]) {
    // SAFETY: by the caller.
    unsafe {
        let into = (*r).buf();
        let mut status = Status::of(key, ty, bytes.len(), into.len());
        if into.ty.same(ty) && ty.contiguous {
            let to = into.addr.wrapping_offset(ty.layout.at);
            copy_few(bytes.as_ptr(), to, status.bytes);
        } else if let Err(e) = unpack(ty, bytes, into.plain()) {
            status.error = e.class;
        }
        Request::finish(r, status);
    }
}
