//! The link, as the ranks of this process know it.

use std::fmt;
use std::sync::atomic::Ordering::*;

use pc3_transport::Head;

use crate::kind::Kind;
use crate::link::Link;
use crate::messages::frame_heads::READ;
use crate::messages::{offers, pulls, rendezvous, send};
use crate::windows;
use pc3_vmpi_core::above::{Letter, Remote};
use pc3_vmpi_core::mail::mailbox::Message;
use pc3_vmpi_core::mail::room::Peers;
use pc3_vmpi_core::p2p::{Buf, Key, Mode, Request};
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::error::Result;
use pc3_vmpi_sched::Processors;

impl Remote for Link {
    fn index(&self) -> u32 {
        self.post.index()
    }

    fn count(&self) -> u32 {
        self.post.count()
    }

    fn frames_sent(&self) -> u64 {
        self.counts().0
    }

    fn processors(&self) -> Processors {
        self.carrier.processors()
    }

    fn attach(&self, world: &World) {
        self.world
            .store(std::ptr::from_ref(world).cast_mut(), SeqCst);
        if world.sched().workers() == 1 {
            self.credits.be_single();
        }
        if world.sched().spins() {
            self.carrier.spins();
        }
    }

    #[inline]
    fn look(&self) {
        Link::look(self);
    }

    fn rest(&self) {
        Link::rest(self);
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
        unsafe { send::deposit(self, me, buf, dest, key, mode) }
    }

    fn offer(&self, me: &RankState, r: &Request) {
        rendezvous::offer(self, me, r);
    }

    unsafe fn take(&self, world: &World, r: *const Request, key: &Key, m: &Message) {
        // SAFETY: by the caller.
        unsafe { pulls::take(self, world, r, key, m) }
    }

    fn settle(&self, me: &RankState) {
        offers::settle(self, me);
    }

    fn do_chores(&self, me: &RankState) {
        self.board.do_chores(me);
    }

    fn write_to(&self, process: u32, letter: &Letter<'_>) {
        windows::send(self, process, letter);
    }
}

impl Link {
    /// The ranks of all processes are known to them from now on.
    pub fn begin(&self) {
        self.begun.store(true, SeqCst);
    }

    /// What is under way, for people.
    pub fn sights(&self, out: &mut impl fmt::Write) -> fmt::Result {
        let (sent, handled) = self.counts();
        writeln!(out, "  {sent} frames sent, {handled} handled")?;
        for peer in self.others() {
            if let Some(n) = self.carrier.unsent(peer).filter(|n| *n > 0) {
                writeln!(out, "  {n} frames wait to be sent to process {peer}")?;
            }
        }
        self.traffic.sights(out)?;
        self.credits.sights(out)?;
        self.node.sights(out)
    }
}

impl Peers for Link {
    fn pay_back(&self, process: u32, weight: u64) {
        self.credits.take(self, process, weight);
    }

    fn received(&self, process: u32, id: u64) {
        let head = Head {
            id,
            extra: READ,
            ..Head::default()
        };
        self.send_bytes(process, Kind::Take, head, &[]);
    }
}
