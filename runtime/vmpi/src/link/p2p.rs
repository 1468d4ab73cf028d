//! Messages between ranks of different processes: those that go whole are here, those that are offered in `rendezvous`.
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

use super::arrivals::Handler;
use super::credit::Credit;
use super::rendezvous::{offer_copy, offered, settled, taken};
use super::{counted, pulls, Body, Frame, Kind, Link};
use crate::nonblocking;
use crate::p2p::landing::Landing;
use crate::p2p::mailbox::{unpack, Data, Message, Room};
use crate::p2p::send::put;
use crate::p2p::{Buf, Key, Mode, Request, Status};
use crate::state::{RankState, World};
use pc3_vmpi_objects::datatype::written::{read_type, write_signature};
use pc3_vmpi_objects::datatype::{by_handle, TypeRef};
use pc3_vmpi_objects::error::Result;
use pc3_vmpi_objects::wire::{Reader, Writer};
use pc3_vmpi_sched::copy::copy_few;

/// What may go in a line of a ring.
const SHORT: usize = 59;

/// How a message's type travels: handle, count, signature.
pub(super) fn type_to_wire(ty: &TypeRef, count: usize) -> (u32, u64, Vec<u8>) {
    if ty.predefined != 0 {
        return (ty.known_as() as u32, count as u64, Vec::new());
    }
    if let Some(unit) = ty.unit().filter(|_| !ty.is_packed()) {
        let count = count * ty.size / unit.size;
        return (unit.known_as() as u32, count as u64, Vec::new());
    }
    let mut w = Writer::default();
    write_signature(&mut w, &ty.signature);
    (0, count as u64, w.0)
}

/// The type, the number of elements, and where the data begin.
pub(super) fn type_from_wire(head: &Head, body: &[u8]) -> Option<(TypeRef, usize, usize)> {
    let count = usize::try_from(head.count).ok()?;
    if head.ty != 0 {
        return Some((by_handle(head.ty as usize)?, count, 0));
    }
    let at = head.extra as usize;
    let ty = read_type(&mut Reader(body.get(..at)?)).ok()?;
    Some((ty, count, at))
}

pub(super) fn key_of(head: &Head) -> Key {
    Key {
        ctx: head.ctx,
        src: head.from,
        tag: head.tag,
    }
}

pub(super) fn head_of(me: u32, dest: u32, key: &Key, ty: u32, count: u64, extra: usize) -> Head {
    Head {
        src: me,
        dst: dest,
        ctx: key.ctx,
        from: key.src,
        tag: key.tag,
        ty,
        extra: extra as u32,
        count,
        ..Head::default()
    }
}

/// Sends to a rank of another process; false if the message has to be offered.
///
/// # Safety
/// The buffer is readable.
#[inline(always)]
pub(crate) unsafe fn deposit(
    me: &RankState,
    buf: &Buf<'_>,
    dest: u32,
    key: &Key,
    mode: Mode,
) -> Result<bool> {
    let len = buf.len();
    let world = me.world();
    let (link, to) = (world.link(), world.process_of(dest));
    match mode {
        Mode::Synchronous => return Ok(false),
        Mode::Buffered => {
            me.bsend.reserve(len)?;
            if !link.credits.lend(to, len) {
                // SAFETY: the caller's promise.
                unsafe { offer_copy(me, buf, dest, key) };
                return Ok(true);
            }
            // It is on its way when this returns: the room is free again.
            me.bsend.release(len);
        }
        _ if !link.credits.lend(to, len) => return Ok(false),
        _ => {}
    }
    // SAFETY: the caller's promise.
    unsafe {
        if !send_short(me, link, buf, (to, dest, key)) {
            send_whole(me, buf, (to, dest, key), Kind::Eager, (0, 0));
        }
    }
    Ok(true)
}

/// Sends a message to a process as one frame, with `id` and `token` in its head.
///
/// # Safety
/// The buffer is readable.
#[inline(never)]
pub(crate) unsafe fn send_whole(
    me: &RankState,
    buf: &Buf<'_>,
    (to, dest, key): (u32, u32, &Key),
    kind: Kind,
    (id, token): (u64, u64),
) {
    let link = me.world().link();
    let len = buf.len();
    let (ty, count, signature) = type_to_wire(buf.ty, buf.count);
    let head = Head {
        id,
        token,
        ..head_of(me.rank, dest, key, ty, count, signature.len())
    };
    if buf.ty.contiguous && signature.is_empty() {
        let head = Head {
            len: len as u64,
            ..head
        };
        let from = buf.addr.wrapping_offset(buf.ty.layout.at);
        // SAFETY: the caller's promise; copied, for want of a token.
        unsafe { link.send(to, kind, head, from, 0) };
        return;
    }
    let mut body = signature;
    let at = body.len();
    body.reserve(len);
    // SAFETY: the caller's promise; the vector has the room and is then full.
    unsafe {
        buf.pack(body.as_mut_ptr().add(at));
        body.set_len(at + len);
    }
    link.send_bytes(to, kind, head, &body);
}

/// Sends one block of a predefined type, if it is a line of a ring; false: it has to go another way.
#[inline(always)]
unsafe fn send_short(
    me: &RankState,
    link: &Link,
    buf: &Buf<'_>,
    (to, dest, key): (u32, u32, &Key),
) -> bool {
    if buf.len() > SHORT || buf.ty.predefined == 0 || !buf.ty.contiguous {
        return false;
    }
    let ty = buf.ty.known_as() as u32;
    let head = Head {
        kind: Kind::Eager as u32,
        len: buf.len() as u64,
        ..head_of(me.rank, dest, key, ty, buf.count as u64, 0)
    };
    let from = buf.addr.wrapping_offset(buf.ty.layout.at);
    pc3_runtime::chaos();
    // SAFETY: the caller's promise.
    unsafe { link.carrier.send_short(to, &head, from) }
}

/// A frame about messages has arrived.
pub(super) fn handle(link: &Link, kind: Kind, frame: Frame) {
    let Some(world) = link.world() else {
        link.fail("internal error: a message before the ranks were known")
    };
    let what = frame.head;
    let done = match kind {
        Kind::Eager => eager(link, world, frame),
        Kind::Counted => counted::arrived(link, world, frame),
        Kind::Give => counted::given(link, world, &frame),
        Kind::Offer => offered(world, &frame),
        Kind::Take => taken(link, world, &frame),
        Kind::Data => pulls::data(link, world, frame),
        Kind::Hand | Kind::Place => settled(world, kind, frame),
        _ => None,
    };
    if done.is_none() {
        link.fail(&format!(
            "internal error: a frame of another process makes no sense: {kind:?}, {what:?}"
        ));
    }
}

/// Gives a message to a posted receive, or else queues it.
pub(super) fn arrive(world: &World, dest: u32, key: Key, m: Message) -> Option<()> {
    if world.nonblocking.is_slow() {
        return nonblocking::remote::arrive(world, dest, key, m, None);
    }
    let to = world.local(dest)?;
    let Some((r, m)) = put(to, &key, m, true, None) else {
        return Some(());
    };
    // SAFETY: taken out of its queue, so pending until we complete it.
    unsafe {
        if let Data::Remote { .. } = m.data {
            pulls::take(world, r, &key, &m);
            return Some(());
        }
        let into = (*r).buf();
        let mut status = Status::of(&key, &m.ty, m.len(), into.len());
        if let Err(e) = m.unpack(&into) {
            status.error = e.class;
        }
        Request::complete(r, to, None, status);
    }
    Some(())
}

fn eager(link: &Link, world: &World, frame: Frame) -> Option<()> {
    let (peer, head) = (frame.peer, frame.head);
    let mut m = whole(frame)?;
    m.buffered_by = Some(Room::Lent {
        _credit: Credit::of(link, peer, m.len()),
    });
    arrive(world, head.dst, key_of(&head), m)
}

/// The message of a frame that has all of it.
pub(super) fn whole(frame: Frame) -> Option<Message> {
    let (ty, count, at) = type_from_wire(&frame.head, frame.bytes())?;
    let data = match frame.body {
        Body::Own(b) if at == 0 && b.len() > Data::SHORT => Data::Long(b),
        _ => Data::copy(frame.bytes().get(at..)?),
    };
    let m = Message {
        data,
        ty,
        count,
        buffered_by: None,
        mark: None,
    };
    (m.bytes()?.len() == m.len()).then_some(m)
}

/// A message of a predefined type that a receive waits for is copied from where it has arrived, and what is told of collectives
/// put down; false if this is neither.  It
/// comes before others of its process that have not been handled.  Sends nothing: the transport is at work.
#[inline]
pub(super) fn at_once(link: &Link, (peer, by): (u32, Handler), head: &Head, bytes: &[u8]) -> bool {
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
    if !Landing::complete(to, &key, by == Handler::Worker, put) {
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
