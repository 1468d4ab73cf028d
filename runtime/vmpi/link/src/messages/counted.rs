//! Messages of other processes that count: they come whole, and who sends a synchronous one is told when it has been received.

use super::arrive::forever;
use super::frame_heads::{key_of, whole};
use crate::frame::Frame;
use crate::link::Link;
use pc3_vmpi_core::mail::mailbox::Data;
use pc3_vmpi_core::mail::room::{MessageRoom, Receipt};
use pc3_vmpi_core::world::World;

fn receipt_of(link: &Link, process: u32, id: u64) -> Receipt {
    let of = forever(link);
    Receipt { of, process, id }
}

pub fn arrived(link: &Link, world: &World, frame: Frame) -> Option<()> {
    let (peer, head) = (frame.peer, frame.head);
    let mut m = whole(frame)?;
    if head.id != 0 {
        m.buffered_by = Some(MessageRoom::Told(receipt_of(link, peer, head.id)));
    }
    let from = Some((head.src, head.token));
    world.epoch.arrive(world, head.dst, key_of(&head), m, from)
}

/// The body of an offer that waits here; one that was taken meanwhile comes otherwise.
pub(crate) fn offer_body(link: &Link, world: &World, frame: &Frame) -> Option<()> {
    let to = world.local(frame.head.dst)?;
    let wanted = (frame.peer, frame.head.id);
    let mut receipt = None;
    to.mailbox.with(|q| {
        let mut more = 0;
        q.inbound.for_each_mut(|_, m| {
            let Data::Remote { process, id, .. } = m.data else {
                return;
            };
            if (process, id) == wanted {
                m.data = Data::copy(frame.bytes());
                more += m.weight();
                let told = receipt_of(link, process, id);
                if frame.head.count == 0 {
                    receipt = Some(told);
                } else {
                    m.buffered_by = Some(MessageRoom::Told(told));
                }
            }
        });
        q.bytes += more;
    });
    drop(receipt);
    Some(())
}
