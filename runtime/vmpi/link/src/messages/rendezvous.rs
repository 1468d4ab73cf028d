//! The sender's side of messages that it keeps until they are taken: they are offered, and their bodies sent.

use std::sync::atomic::Ordering::*;

use pc3_transport::Head;

use super::frame_heads::{head_of, type_to_wire, READ};
use super::traffic::{Offered, OfferedMessage, Sending};
use crate::frame::{Frame, FrameBody};
use crate::kind::Kind;
use crate::link::Link;
use crate::post::lock;
use pc3_vmpi_core::mail::mailbox::{Data, Message};
use pc3_vmpi_core::mail::room::MessageRoom;
use pc3_vmpi_core::p2p::{Buf, Key, Request, Status};
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::datatype::TypeRef;
use pc3_vmpi_transport::name;

/// Offers what is sent in buffered mode: until it is taken it has its room in the sender's attached buffer.
pub(crate) unsafe fn offer_copy(link: &Link, me: &RankState, buf: &Buf<'_>, dest: u32, key: &Key) {
    // SAFETY: the caller's promise.
    let bytes = unsafe { buf.ty.pack_vec(buf.addr, buf.count) }.into_boxed_slice();
    let traffic = &link.traffic;
    let id = name(traffic.next.fetch_add(1, Relaxed) + 1);
    let what = Offered::Copy(bytes, Some(me.rank));
    lock(&traffic.held).insert(id, OfferedMessage { dest, what });
    send_offer(
        (link, me.world()),
        (me.rank, dest),
        key,
        (buf.ty, buf.count),
        (id, 0),
    );
}

/// Offers the message of a pending send.
pub fn offer(link: &Link, me: &RankState, r: &Request) {
    let n = link.traffic.next.fetch_add(1, Relaxed) + 1;
    let readable = r.ty.contiguous && !r.buf().is_empty();
    let direct = link.carrier.direct().filter(|_| readable);
    let offer = match direct.and_then(|d| d.offer(me.world().process_of(r.dest), n)) {
        Some(id) => {
            let from = r.addr.wrapping_offset(r.ty.layout.at);
            (id, from as usize as u64)
        }
        None => (name(n), 0),
    };
    let held = OfferedMessage {
        dest: r.dest,
        what: Offered::Request(r),
    };
    lock(&link.traffic.held).insert(offer.0, held);
    send_offer(
        (link, me.world()),
        (r.owner, r.dest),
        &r.key,
        (&r.ty, r.count),
        offer,
    );
}

fn send_offer(
    (link, world): (&Link, &World),
    (owner, dest): (u32, u32),
    key: &Key,
    (ty, count): (&TypeRef, usize),
    (id, at): (u64, u64),
) {
    let (ty, count, signature) = type_to_wire(ty, count);
    let head = head_of(owner, dest, key, ty, count, signature.len());
    let head = Head {
        id,
        token: at,
        ..head
    };
    let to = world.process_of(dest);
    link.send_bytes(to, Kind::Offer, head, &signature);
}

/// A receive elsewhere takes what was offered here.
pub(crate) fn offer_taken(link: &Link, world: &World, frame: &Frame) -> Option<()> {
    let Head {
        id, token, extra, ..
    } = frame.head;
    let held = lock(&link.traffic.held).remove(&id);
    if extra == READ {
        link.settled(id);
        match held.map(|h| h.what) {
            // SAFETY: pending until we complete it.
            Some(Offered::Request(r)) => unsafe {
                world.local((*r).owner)?.complete(r, None, Status::EMPTY);
            },
            Some(Offered::Copy(bytes, Some(attached))) => {
                world.local(attached)?.give_back(bytes.len(), None);
            }
            // Its rank has found out by itself, or waits for nothing.
            Some(Offered::Copy(_, None)) | None => {}
        }
        return Some(());
    }
    // Its receiver asks for it, so has not read it and will not.
    link.withdraw(id);
    let held = held?;
    let head = Head {
        token,
        extra,
        ..Head::default()
    };
    send_data(link, world, frame.peer, Kind::Data, head, held);
    Some(())
}

/// Sends the body of what was offered, by itself if that has a name (`extra`); the send is complete when it is gone.
pub(crate) fn send_data(
    link: &Link,
    world: &World,
    peer: u32,
    kind: Kind,
    head: Head,
    held: OfferedMessage,
) {
    let (request, bytes, from, len) = match held.what {
        Offered::Copy(b, attached) => {
            let (p, n) = (b.as_ptr(), b.len());
            if let Some(owner) = attached.and_then(|rank| world.local(rank)) {
                owner.give_back(n, None);
            }
            (None, Some(b), p, n)
        }
        Offered::Request(r) => {
            // SAFETY: pending until we complete it, so its buffer is readable.
            let buf = unsafe { (*r).buf() };
            if buf.ty.contiguous {
                let from = buf.addr.wrapping_offset(buf.ty.layout.at).cast_const();
                (Some(r), None, from, buf.len())
            } else {
                // SAFETY: as above.
                let b = unsafe { buf.ty.pack_vec(buf.addr, buf.count) }.into_boxed_slice();
                let (p, n) = (b.as_ptr(), b.len());
                (Some(r), Some(b), p, n)
            }
        }
    };
    let own = link.traffic.next.fetch_add(1, Relaxed) + 1;
    let sending = Sending {
        request,
        _bytes: bytes,
    };
    lock(&link.traffic.sending).insert(own, sending);
    if head.extra != 0 {
        // SAFETY: kept in `sending` until the token comes back.
        unsafe { link.push(peer, head.extra, (from, len as u64), own) };
        return;
    }
    let head = Head {
        len: len as u64,
        ..head
    };
    // SAFETY: kept in `sending` until the token comes back.
    unsafe { link.send(peer, kind, head, from, own) };
}

/// Before a checkpoint: an offer's body, or the place of its send among those saved.
pub fn settled(world: &World, kind: Kind, frame: Frame) -> Option<()> {
    let to = world.local(frame.head.dst)?;
    let mut found = None;
    let peer = frame.peer;
    let mut body = match frame.body {
        FrameBody::Short { .. } => Some(Data::copy(frame.bytes())),
        FrameBody::Own(b) => Some(Data::of(b.into_vec())),
        FrameBody::Placed => return None,
    };
    let mut look = |m: &mut Message| {
        let told = m.buffered_by.take_if(|b| b.is_of(peer, frame.head.id));
        if let Some(MessageRoom::Told(receipt)) = told {
            // It has come whole, and belongs to a request that its sender saves.
            receipt.forget();
            m.data = Data::Remote {
                process: peer,
                id: frame.head.id,
                owner: frame.head.src,
                index: frame.head.count,
                at: 0,
            };
            found = Some(());
            return 0;
        }
        let Data::Remote {
            process, id, index, ..
        } = &mut m.data
        else {
            return 0;
        };
        if (*process, *id) != (peer, frame.head.id) {
            return 0;
        }
        found = Some(());
        match kind {
            Kind::Place => *index = frame.head.count,
            _ => {
                if let Some(data) = body.take() {
                    m.data = data;
                }
            }
        }
        m.weight()
    };
    to.mailbox.with(|q| {
        let mut more = 0;
        q.inbound.for_each_mut(|_, m| more += look(m));
        q.bytes += more;
    });
    // Its rank is unwound.
    to.messages.borrow_mut().values_mut().for_each(|(_, m)| {
        look(m);
    });
    found
}
