//! The protocol, as messages and collectives know it.

use pc3_protocol::Entries;

use crate::operations::{coll, later, p2p, remote};
use crate::{epoch, remote_epochs};
use pc3_vmpi_coll::above::{Entered, Epochs, Outcome, Seats, Ticket};
use pc3_vmpi_coll::meeting::waiting::Over;
use pc3_vmpi_coll::remote::elsewhere::Topic;
use pc3_vmpi_core::above::Epoch;
use pc3_vmpi_core::mail::mailbox::Message;
use pc3_vmpi_core::p2p::{Buf, Key, Mode, Request, Status};
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::error::Result;
use pc3_vmpi_objects::group::Group;

pub use epoch::unsupported;

/// What a job that is made gets.
pub struct Counted;

impl Epoch for Counted {
    unsafe fn recv(&self, me: &RankState, r: &Request) -> Status {
        // SAFETY: by the caller.
        unsafe { p2p::recv(me, r) }
    }

    unsafe fn post(&self, me: &RankState, r: &Request) {
        // SAFETY: by the caller.
        unsafe { p2p::post(me, r) }
    }

    fn iprobe(&self, me: &RankState, key: &Key) -> Option<Status> {
        p2p::iprobe(me, key)
    }

    fn probe(&self, me: &RankState, key: &Key) -> Status {
        p2p::probe(me, key)
    }

    fn take(&self, me: &RankState, key: &Key, wait: bool) -> Option<(Key, Message)> {
        p2p::take(me, key, wait)
    }

    unsafe fn deposit(
        &self,
        me: &RankState,
        buf: &Buf<'_>,
        dest: u32,
        key: &Key,
        mode: Mode,
    ) -> Result<bool> {
        // SAFETY: by the caller.
        unsafe { p2p::deposit(me, buf, dest, key, mode) }
    }

    unsafe fn hold(&self, me: &RankState, r: &Request) -> bool {
        // SAFETY: by the caller.
        unsafe { p2p::hold(me, r) }
    }

    fn unsupported(&self, me: &RankState, name: &str) {
        unsupported(me, name);
    }

    fn quiescent(&self, world: &World) {
        epoch::quiescent(world);
    }

    fn arrive(
        &self,
        world: &World,
        dest: u32,
        key: Key,
        m: Message,
        from: Option<(u32, u64)>,
    ) -> Option<()> {
        remote::arrive(world, dest, key, m, from)
    }

    fn hear(&self, world: &World, process: u32, bytes: &[u8]) {
        remote_epochs::hear(world, process, bytes);
    }

    fn tick(&self, world: &World) {
        remote_epochs::tick(world);
    }

    fn end(&self, world: &World) {
        crate::machines::machines(world).end();
    }
}

impl Epochs for Counted {
    fn enter(
        &self,
        me: &RankState,
        name: (u32, u32, u64),
        ranks: &Group,
        seat: usize,
        seats: Seats<'_>,
        call: &dyn Outcome,
    ) -> Entered {
        coll::enter(me, name, ranks, seat, seats, call)
    }

    fn leave(
        &self,
        me: &RankState,
        ticket: &Ticket,
        place: (usize, usize),
        call: &dyn Outcome,
        ok: bool,
    ) {
        coll::leave(me, ticket, place, call, ok);
    }

    unsafe fn join(&self, me: &RankState, r: &Request) {
        // SAFETY: by the caller.
        unsafe { later::join(me, r) }
    }

    fn finished(&self, world: &World, over: Over, entries: &Entries, from: Option<u32>) {
        later::finished(world, over, entries, from);
    }

    fn bring(
        &self,
        me: &RankState,
        to: u32,
        topic: Topic,
        ranks: &Group,
        others: &Entries,
        bytes: &[u8],
    ) {
        coll::bring(me, (to, topic), ranks, others, bytes);
    }

    fn brought(
        &self,
        me: &RankState,
        topic: Topic,
        ranks: &Group,
        entered: &dyn Fn(usize) -> u32,
        elsewhere: &Entries,
    ) {
        coll::brought(me, topic, ranks, entered, elsewhere);
    }
}
