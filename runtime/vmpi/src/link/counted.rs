//! Messages of other processes that count: they come whole, and who sends a synchronous one is told when it has been received.

use pc3_transport::Head;

use super::p2p::{key_of, whole};
use super::rendezvous::READ;
use super::{Frame, Kind, Link};
use crate::nonblocking;
use crate::p2p::mailbox::{Data, Room};
use crate::state::World;

pub(super) fn arrived(link: &Link, world: &World, frame: Frame) -> Option<()> {
    let (peer, head) = (frame.peer, frame.head);
    let mut m = whole(frame)?;
    if head.id != 0 {
        m.buffered_by = Some(Room::Told(Receipt::of(link, peer, head.id)));
    }
    let from = Some((head.src, head.token));
    nonblocking::remote::arrive(world, head.dst, key_of(&head), m, from)
}

/// Says that a message has been received when it is dropped.
pub(crate) struct Receipt {
    link: &'static Link,
    process: u32,
    id: u64,
}

impl Receipt {
    fn of(link: &Link, process: u32, id: u64) -> Receipt {
        // SAFETY: the link of a job lives as long as the process.
        let link = unsafe { &*std::ptr::from_ref(link) };
        Receipt { link, process, id }
    }
}

impl Receipt {
    pub fn is_of(&self, process: u32, id: u64) -> bool {
        (self.process, self.id) == (process, id)
    }

    /// Nobody is told.
    pub(super) fn forget(self) {
        std::mem::forget(self);
    }
}

impl Drop for Receipt {
    fn drop(&mut self) {
        let head = Head {
            id: self.id,
            extra: READ,
            ..Head::default()
        };
        self.link.send_bytes(self.process, Kind::Take, head, &[]);
    }
}

/// The body of an offer that waits here; one that was taken meanwhile comes otherwise.
pub(super) fn given(link: &Link, world: &World, frame: &Frame) -> Option<()> {
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
                let told = Receipt::of(link, process, id);
                if frame.head.count == 0 {
                    receipt = Some(told);
                } else {
                    m.buffered_by = Some(Room::Told(told));
                }
            }
        });
        q.bytes += more;
    });
    drop(receipt);
    Some(())
}
