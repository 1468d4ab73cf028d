//! Messages between ranks of different processes that their sender keeps until they are taken.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::*};
use std::sync::Mutex;

use pc3_transport::Head;

use super::hashing::ById;
use super::p2p::{arrive, head_of, key_of, type_from_wire, type_to_wire};
use super::pulls::Pull;
use super::{lock, Body, Frame, Kind, Link};
use crate::p2p::mailbox::{Data, Message, Room};
use crate::p2p::{Buf, Key, Request, Status};
use crate::state::{RankState, World};
use pc3_vmpi_objects::datatype::TypeRef;
use pc3_vmpi_transport::name;

/// Of a `Take`: the receiver has read the message itself.
pub(super) const READ: u32 = u32::MAX;

/// A message that a rank here has offered to one elsewhere.
pub(super) struct Held {
    pub dest: u32,
    pub what: Offered,
}

pub(super) enum Offered {
    /// In the buffer of a pending send.
    Request(*const Request),
    /// The send is complete; the room it takes may be that in the buffer which this rank has attached.
    Copy(Box<[u8]>, Option<u32>),
}

/// Data under way.
struct Sending {
    request: Option<*const Request>,
    _bytes: Option<Box<[u8]>>,
}

#[derive(Default)]
pub(crate) struct Traffic {
    next: AtomicU64,
    pub(super) held: Mutex<ById<Held>>,
    pub(super) pulls: Mutex<ById<Pull>>,
    sending: Mutex<ById<Sending>>,
}

// SAFETY: requests are pending as long as they are named here, and completed by whoever takes them out.
unsafe impl Sync for Traffic {}
// SAFETY: as above.
unsafe impl Send for Traffic {}

/// Offers what is sent in buffered mode: until it is taken it has its room in the sender's attached buffer.
pub(super) unsafe fn offer_copy(me: &RankState, buf: &Buf<'_>, dest: u32, key: &Key) {
    // SAFETY: the caller's promise.
    let bytes = unsafe { buf.ty.pack_vec(buf.addr, buf.count) }.into_boxed_slice();
    let traffic = &me.world().link().traffic;
    let id = name(traffic.next.fetch_add(1, Relaxed) + 1);
    let what = Offered::Copy(bytes, Some(me.rank));
    lock(&traffic.held).insert(id, Held { dest, what });
    send_offer(
        me.world(),
        (me.rank, dest),
        key,
        (buf.ty, buf.count),
        (id, 0),
    );
}

/// Offers the message of a pending send.
pub(crate) fn offer(me: &RankState, r: &Request) {
    let link = me.world().link();
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
    let held = Held {
        dest: r.dest,
        what: Offered::Request(r),
    };
    lock(&link.traffic.held).insert(offer.0, held);
    send_offer(
        me.world(),
        (r.owner, r.dest),
        &r.key,
        (&r.ty, r.count),
        offer,
    );
}

fn send_offer(
    world: &World,
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
    world.link().send_bytes(to, Kind::Offer, head, &signature);
}

pub(super) fn offered(world: &World, frame: &Frame) -> Option<()> {
    let (ty, count, _) = type_from_wire(&frame.head, frame.bytes())?;
    let data = Data::Remote {
        process: frame.peer,
        id: frame.head.id,
        owner: frame.head.src,
        index: u64::MAX,
        at: frame.head.token,
    };
    let m = Message {
        data,
        ty,
        count,
        buffered_by: None,
        mark: None,
    };
    arrive(world, frame.head.dst, key_of(&frame.head), m)
}

/// A receive elsewhere takes what was offered here.
pub(super) fn taken(link: &Link, world: &World, frame: &Frame) -> Option<()> {
    let Head {
        id, token, extra, ..
    } = frame.head;
    let held = lock(&link.traffic.held).remove(&id);
    if extra == READ {
        link.settled(id);
        match held.map(|h| h.what) {
            // SAFETY: pending until we complete it.
            Some(Offered::Request(r)) => unsafe {
                Request::complete(r, world.local((*r).owner)?, None, Status::EMPTY);
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
pub(super) fn send_data(link: &Link, world: &World, peer: u32, kind: Kind, head: Head, held: Held) {
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
pub(super) fn settled(world: &World, kind: Kind, frame: Frame) -> Option<()> {
    let to = world.local(frame.head.dst)?;
    let mut found = None;
    let peer = frame.peer;
    let mut body = match frame.body {
        Body::Short { .. } => Some(Data::copy(frame.bytes())),
        Body::Own(b) => Some(Data::of(b.into_vec())),
        Body::Placed => return None,
    };
    let mut look = |m: &mut Message| {
        let told = m.buffered_by.take_if(|b| b.is_of(peer, frame.head.id));
        if let Some(Room::Told(receipt)) = told {
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

impl Traffic {
    /// A pending send is known by this name, under which its receiver says that it has received it.
    pub fn hold(&self, r: &Request) -> u64 {
        let id = name(self.next.fetch_add(1, Relaxed) + 1);
        let what = Offered::Request(r);
        lock(&self.held).insert(id, Held { dest: r.dest, what });
        id
    }

    pub fn forget(&self, id: u64) {
        lock(&self.held).remove(&id);
    }

    /// The transport has done with a body.
    pub fn sent(&self, link: &Link, token: u64) {
        let Some(s) = lock(&self.sending).remove(&token) else {
            return;
        };
        if let (Some(r), Some(world)) = (s.request, link.world()) {
            // SAFETY: pending until now, and a rank of this process has it.
            unsafe {
                if let Some(owner) = world.local((*r).owner) {
                    Request::complete(r, owner, None, Status::EMPTY);
                }
            }
        }
        link.desk.ring();
    }

    /// What is under way, for people.
    pub fn sights(&self, out: &mut impl fmt::Write) -> fmt::Result {
        let (held, pulls, sending) = (
            self.held.try_lock().map(|h| h.len()),
            self.pulls.try_lock().map(|p| p.len()),
            self.sending.try_lock().map(|s| s.len()),
        );
        for (n, what) in [
            (held.ok(), "messages offered"),
            (pulls.ok(), "messages asked for"),
            (sending.ok(), "messages being sent"),
        ] {
            match n {
                Some(0) => {}
                Some(n) => writeln!(out, "  {n} {what}")?,
                None => writeln!(out, "  {what}: in use")?,
            }
        }
        Ok(())
    }

    /// Nothing that was taken is still under way.
    pub fn is_still(&self) -> bool {
        lock(&self.sending).is_empty() && lock(&self.pulls).is_empty()
    }
}
