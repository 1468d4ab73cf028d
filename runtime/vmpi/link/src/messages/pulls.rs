//! Receives that have taken what another process offers: the body is asked for, and completes them.

use pc3_transport::Head;

use super::frame_heads::READ;
use super::traffic::Pull;
use crate::frame::{Frame, FrameBody};
use crate::kind::Kind;
use crate::link::Link;
use crate::post::lock;
use pc3_vmpi_core::mail::mailbox::{Data, Message};
use pc3_vmpi_core::p2p::{Key, Request};
use pc3_vmpi_core::world::World;

/// The receive takes an offer: its data are asked for, and complete it.
///
/// # Safety
/// The receive is pending, in no queue, and its buffer writable.
pub unsafe fn take(link: &Link, world: &World, r: *const Request, key: &Key, m: &Message) {
    let Data::Remote {
        process, id, at, ..
    } = m.data
    else {
        return;
    };
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
pub fn data(link: &Link, world: &World, frame: Frame) -> Option<()> {
    let pull = lock(&link.traffic.pulls).remove(&frame.head.token)?;
    let len = frame.head.len as usize;
    let data = match frame.body {
        FrameBody::Short { .. } => Some(Data::copy(frame.bytes())),
        FrameBody::Own(bytes) => Some(Data::Long(bytes)),
        FrameBody::Placed => None,
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
