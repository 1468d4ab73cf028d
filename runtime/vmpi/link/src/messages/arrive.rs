//! Messages of other processes come to the ranks that they are for.

use super::credit::weight;
use super::frame_heads::{key_of, type_from_wire, whole};
use crate::frame::Frame;
use crate::link::Link;
use pc3_vmpi_core::mail::mailbox::{Data, Message};
use pc3_vmpi_core::mail::room::{Credit, MessageRoom};
use pc3_vmpi_core::p2p::send::put;
use pc3_vmpi_core::p2p::{Key, Status};
use pc3_vmpi_core::world::World;

/// The link of a job lives as long as the process.
pub(super) fn forever(link: &Link) -> &'static Link {
    // SAFETY: as said.
    unsafe { &*std::ptr::from_ref(link) }
}

/// Gives a message to a posted receive, or else queues it.
pub fn arrive(world: &World, dest: u32, key: Key, m: Message) -> Option<()> {
    if world.nonblocking.is_slow() {
        return world.epoch.arrive(world, dest, key, m, None);
    }
    let to = world.local(dest)?;
    let Some((r, m)) = put(to, &key, m, true, None) else {
        return Some(());
    };
    // SAFETY: taken out of its queue, so pending until we complete it.
    unsafe {
        if let Data::Remote { .. } = m.data {
            world.other().take(world, r, &key, &m);
            return Some(());
        }
        let into = (*r).buf();
        let mut status = Status::of(&key, &m.ty, m.len(), into.len());
        if let Err(e) = m.unpack(&into) {
            status.error = e.class;
        }
        to.complete(r, None, status);
    }
    Some(())
}

pub(crate) fn eager(link: &Link, world: &World, frame: Frame) -> Option<()> {
    let (peer, head) = (frame.peer, frame.head);
    let mut m = whole(frame)?;
    m.buffered_by = Some(MessageRoom::Lent {
        _credit: Credit {
            of: forever(link),
            process: peer,
            weight: weight(m.len()),
        },
    });
    arrive(world, head.dst, key_of(&head), m)
}

pub fn offered(world: &World, frame: &Frame) -> Option<()> {
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
