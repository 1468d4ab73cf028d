//! Receives that have taken what another process offers: the body is asked for, and completes them.

use pc3_transport::Head;

use super::rendezvous::{Traffic, READ};
use super::{lock, Body, Frame, Kind, Link};
use crate::p2p::mailbox::{Data, Message};
use crate::p2p::{Key, Request, Status};
use crate::state::World;
use pc3_vmpi_objects::datatype::TypeRef;
use pc3_vmpi_objects::error::Result;

/// A receive here that waits for the data of an offer it has taken.
pub(super) struct Pull {
    request: *const Request,
    key: Key,
    ty: TypeRef,
    count: usize,
}

/// The receive takes an offer: its data are asked for, and complete it.
///
/// # Safety
/// The receive is pending, in no queue, and its buffer writable.
pub(crate) unsafe fn take(world: &World, r: *const Request, key: &Key, m: &Message) {
    let Data::Remote {
        process, id, at, ..
    } = m.data
    else {
        return;
    };
    let link = world.link();
    let token = r as usize as u64;
    let pull = Pull {
        request: r,
        key: *key,
        ty: m.ty.clone(),
        count: m.count,
    };
    let len = m.len() as u64;
    let to = pull.place(len).filter(|_| len > 0);
    let direct = link.carrier.direct().zip(to).filter(|_| at != 0);
    // SAFETY: the receive's buffer, which is long enough.
    if direct.is_some_and(|(d, to)| unsafe { d.take(process, id, at, to, len as usize) }) {
        let head = Head {
            id,
            extra: READ,
            ..Head::default()
        };
        link.send_bytes(process, Kind::Take, head, &[]);
        pull.complete(world, len as usize, Ok(()));
        return;
    }
    lock(&link.traffic.pulls).insert(token, pull);
    // SAFETY: the receive's buffer, which is long enough.
    let name = to.and_then(|to| unsafe { link.carrier.pull(process, to, len, token) });
    if let Some(heartbeat) = link.heartbeat.as_ref().filter(|_| name.is_some()) {
        heartbeat.expect(process, len);
    }
    let head = Head {
        id,
        token,
        extra: name.map_or(0, |n| n.get()),
        ..Head::default()
    };
    link.send_bytes(process, Kind::Take, head, &[]);
}

/// The body has come as a frame.
pub(super) fn data(link: &Link, world: &World, frame: Frame) -> Option<()> {
    let pull = lock(&link.traffic.pulls).remove(&frame.head.token)?;
    let len = frame.head.len as usize;
    let data = match frame.body {
        Body::Short { .. } => Some(Data::copy(frame.bytes())),
        Body::Own(bytes) => Some(Data::Long(bytes)),
        Body::Placed => None,
    };
    let mut copied = Ok(());
    if let Some(data) = data {
        let m = Message {
            data,
            ty: pull.ty.clone(),
            count: pull.count,
            buffered_by: None,
            mark: None,
        };
        // SAFETY: pending until we complete it; its buffer.
        copied = unsafe { m.unpack(&(*pull.request).buf()) };
    }
    let done = pull.complete(world, len, copied);
    link.desk.ring();
    done
}

impl Pull {
    /// Where a body of this length belongs, if it can be received there.
    fn place(&self, len: u64) -> Option<*mut u8> {
        // SAFETY: pending.
        let into = unsafe { (*self.request).buf() };
        let fits = into.ty.contiguous
            && into.ty.is_packed() == self.ty.is_packed()
            && len <= into.len() as u64;
        fits.then(|| into.addr.wrapping_offset(into.ty.layout.at))
    }

    /// The body is in the receive's buffer, as far as that has room.
    fn complete(&self, world: &World, len: usize, copied: Result<()>) -> Option<()> {
        // SAFETY: pending until we complete it.
        let r = unsafe { &*self.request };
        let mut status = Status::of(&self.key, &self.ty, len, r.buf().len());
        if let Err(e) = copied {
            status.error = e.class;
        }
        // SAFETY: as above.
        unsafe { Request::complete(self.request, world.local(r.owner)?, None, status) };
        Some(())
    }
}

impl Traffic {
    /// Where the body of a `Data` frame belongs, if it can be received there.
    pub fn place(&self, head: &Head) -> Option<*mut u8> {
        lock(&self.pulls).get(&head.token)?.place(head.len)
    }

    /// What was asked for is in the buffer of the receive.
    pub fn pulled(&self, link: &Link, token: u64) {
        let pull = lock(&self.pulls).remove(&token);
        if let (Some(pull), Some(world)) = (pull, link.world()) {
            pull.complete(world, pull.ty.size * pull.count, Ok(()));
        }
        link.desk.ring();
    }
}
