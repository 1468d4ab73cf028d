//! Messages to and from other processes while a checkpoint is under way, or while one is being replayed.
//!
//! A message that counts goes whole, whatever its length, with what the protocol says of its sender in its head: two bits
//! for epoch and log, and its number. A synchronous one has a name besides, and its receiver says when it has been received.

use crate::machines::machines;
use pc3_vmpi_link::link;
use std::sync::atomic::Ordering::*;

use pc3_protocol::{Name, Sending, Stamp};

use crate::machines::done;
use crate::operations::p2p::Envelope;
use crate::state::{Machine, Stage, State, BEFORE};
use pc3_vmpi_core::mail::mailbox::{Data, Message};
use pc3_vmpi_core::mail::request::{Mode, Request, RequestKind, Status};
use pc3_vmpi_core::p2p::send::put;
use pc3_vmpi_core::p2p::{Buf, Key};
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_core::world::World;
use pc3_vmpi_link::kind::Kind;
use pc3_vmpi_link::messages::{pulls, rendezvous, send};
use pc3_vmpi_objects::error::Result;

/// In a head's `token`, above the number.
const LOGGING: u64 = 1 << 32;
const NUMBERED: u64 = 1 << 33;
const ODD: u64 = 1 << 34;

fn colours(stamp: Stamp) -> u64 {
    let bit = |on: bool, bit: u64| if on { bit } else { 0 };
    let number = stamp.number.map_or(0, |n| u64::from(n) | NUMBERED);
    number | bit(stamp.logging, LOGGING) | bit(stamp.epoch % 2 == 1, ODD)
}

fn stamp(colours: u64, receiver: &Machine) -> Stamp {
    Stamp {
        epoch: receiver.epoch_of(colours & ODD != 0),
        logging: colours & LOGGING != 0,
        number: (colours & NUMBERED != 0).then_some(colours as u32),
    }
}

/// As `p2p::send::deposit`; what is synchronous goes through [`hold`].
///
/// # Safety
/// The buffer is readable.
pub(crate) unsafe fn deposit(
    me: &RankState,
    buf: &Buf<'_>,
    dest: u32,
    key: &Key,
    mode: Mode,
) -> Result<bool> {
    let world = me.world();
    let mut s = machines(world).step(me);
    if !s.counts_apart() {
        // SAFETY: the caller's promise.
        let sent = unsafe { send::deposit(link(world), me, buf, dest, key, mode) };
        done(world, s);
        return sent;
    }
    match mode {
        Mode::Synchronous => return Ok(false),
        Mode::Buffered => {
            // It is on its way when this returns: the room is free again.
            me.bsend.reserve(buf.len())?;
            me.bsend.release(buf.len());
        }
        _ => {}
    }
    // SAFETY: the caller's promise.
    unsafe { send(me, &mut s, buf, (dest, key), 0) };
    done(world, s);
    Ok(true)
}

/// True if it is on its way; false: it was received before.
unsafe fn send(
    me: &RankState,
    s: &mut State,
    buf: &Buf<'_>,
    (dest, key): (u32, &Key),
    id: u64,
) -> bool {
    match s.member(me.slot).send(dest) {
        Sending::Suppress => false,
        Sending::Send(stamp) => {
            let with = (id, colours(stamp));
            // SAFETY: the caller's: the buffer is readable.
            let to = me.world().process_of(dest);
            unsafe {
                send::send_whole(
                    link(me.world()),
                    me,
                    buf,
                    (to, dest, key),
                    Kind::Counted,
                    with,
                )
            };
            true
        }
    }
}

/// As `nonblocking::p2p::hold`.
///
/// # Safety
/// The request is pending and its buffer readable.
pub(crate) unsafe fn hold(me: &RankState, r: &Request) -> bool {
    let world = me.world();
    let mut s = machines(world).step(me);
    if !s.counts_apart() {
        rendezvous::offer(link(world), me, r);
        done(world, s);
        return false;
    }
    let synchronous = r.what == RequestKind::Send(Mode::Synchronous);
    let traffic = &link(world).traffic;
    let id = if synchronous { traffic.hold(r) } else { 0 };
    // SAFETY: the caller's promise.
    let sent = unsafe { send(me, &mut s, &r.buf(), (r.dest, &r.key), id) };
    if !sent && synchronous {
        traffic.forget(id);
    }
    let over = !sent || !synchronous;
    if over {
        // SAFETY: nobody else completes it.
        unsafe { r.set_status(Status::EMPTY) };
        r.done.store(true, Release);
    }
    done(world, s);
    over
}

/// A message has come, or news of one that is offered.  `from`: of one that counts, its sender and what it tells of that.
pub fn arrive(
    world: &World,
    dest: u32,
    key: Key,
    mut m: Message,
    from: Option<(u32, u64)>,
) -> Option<()> {
    let to = world.local(dest)?;
    let mut s = machines(world).lock();
    let k = match from {
        None => Envelope {
            from: BEFORE,
            stamp: Stamp {
                epoch: world.nonblocking.now(),
                ..Stamp::default()
            },
            name: None,
        },
        Some((sender, colours)) => {
            let member = s.member(to.slot);
            let stamp = stamp(colours, member);
            let arrival = member.arrive(BEFORE, stamp);
            if arrival.late {
                s.record_late(to, &key, m.len(), |record| record(&m));
            }
            let before = matches!(arrival.name, Some(Name::Before(_)));
            Envelope {
                from: if before { BEFORE } else { sender },
                stamp,
                name: arrival.name,
            }
        }
    };
    to.happened();
    m.mark = Some(k.mark());
    let matched = match s.receiver(to, &key, k) {
        Some(r) => Some((r, m)),
        None => queue(to, &mut s, &key, k, m),
    };
    if let Some((r, m)) = matched {
        // SAFETY: taken out of its queue, so pending until we complete it.
        unsafe { give(world, to, r, &key, &m) };
    }
    done(world, s);
    Some(())
}

/// Puts a message into a mailbox, unless a receive has been posted since there was none, by a rank that is still on its
/// usual way.
fn queue(
    to: &RankState,
    s: &mut State,
    key: &Key,
    k: Envelope,
    m: Message,
) -> Option<(*const Request, Message)> {
    let replaying = s.stage == Stage::Replaying;
    let (r, m) = put(to, key, m, !replaying, None)?;
    let number = s.numbers.remove(&(r as usize));
    s.member(to.slot).matched(number, k.from, k.name, k.stamp);
    Some((r, m))
}

/// # Safety
/// The receive is pending and in no queue.
unsafe fn give(world: &World, to: &RankState, r: *const Request, key: &Key, m: &Message) {
    // SAFETY: the caller's promise.
    unsafe {
        if let Data::Remote { .. } = m.data {
            return pulls::take(link(world), world, r, key, m);
        }
        let into = (*r).buf();
        let mut status = Status::of(key, &m.ty, m.len(), into.len());
        if let Err(e) = m.unpack(&into) {
            status.error = e.class;
        }
        to.complete(r, None, status);
    }
}

/// Has the rank a message by the hand that lies with its sender elsewhere?
pub(crate) fn waits_for_content(me: &RankState) -> bool {
    let remote = |m: &Message| matches!(m.data, Data::Remote { .. });
    me.world().remote().is_some()
        && (me
            .messages
            .borrow_mut()
            .values_mut()
            .any(|(_, m)| remote(m))
            || me
                .mailbox
                .with(|q| q.inbound.iter().any(|(_, m)| remote(m))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_goes_in_a_head() {
        let member = Machine::default();
        for logging in [false, true] {
            for number in [None, Some(0), Some(u32::MAX)] {
                let sent = Stamp {
                    epoch: 1,
                    logging,
                    number,
                };
                assert_eq!(stamp(colours(sent), &member), sent);
            }
        }
    }
}
