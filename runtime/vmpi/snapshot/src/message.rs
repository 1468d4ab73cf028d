//! Inbound messages of a checkpoint ([`written`](pc3_vmpi_core::p2p::written)) that a synchronous sender still holds: [`link`]
//! finds the sender's request when all ranks are loaded.

use pc3_vmpi_core::mail::mailbox::{Data, Message};
use pc3_vmpi_core::p2p::written::Senders;
use pc3_vmpi_link::remote;

use pc3_vmpi_core::world::World;
use pc3_vmpi_link::messages::offers;

/// The ranks that messages come from.
pub fn senders(world: &World) -> Senders<'_> {
    let restore = |rank, len| {
        let local = world.local(rank);
        if let Some(sender) = local {
            sender.bsend.restore(len);
        }
        local.is_some()
    };
    Senders {
        count: world.size,
        restore: Box::new(restore),
    }
}

/// Connects the messages that synchronous senders hold with their requests; once all ranks are
/// loaded.
pub fn link(world: &World) -> Result<(), String> {
    for me in world.ranks() {
        let mut wrong = None;
        let find = |owner: u32, index: u64| {
            let from = world.local(owner)?;
            let list = from.loaded.borrow();
            list.get(usize::try_from(index).ok()?).copied()
        };
        let mut connect = |m: &mut Message| {
            if let Data::Awaited { owner, index } = m.data {
                if world.local(owner).is_none() && owner < world.size {
                    m.data = offers::far_again(world, owner, index);
                    return;
                }
                match find(owner, index) {
                    Some(r) => m.data = Data::Held(r),
                    None => wrong = Some(owner),
                }
            }
        };
        me.mailbox
            .with(|q| q.inbound.for_each_mut(|_, m| connect(m)));
        me.messages
            .borrow_mut()
            .values_mut()
            .for_each(|(_, m)| connect(m));
        if let Some(owner) = wrong {
            return Err(format!(
                "rank {}: a message from rank {owner} without its request",
                me.rank
            ));
        }
    }
    for me in world.ranks() {
        let loaded = std::mem::take(&mut *me.loaded.borrow_mut());
        let Some(link) = remote(world) else { continue };
        for (i, r) in loaded.into_iter().enumerate() {
            // SAFETY: a request of a rank here.
            offers::offered_again(link, world, unsafe { &*r }, i as u64);
        }
    }
    crate::files::open(world)
}
