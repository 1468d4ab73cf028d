//! What collectives of several processes send each other, until the rank that waits for it takes it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};
use std::sync::Mutex;

use pc3_protocol::Entries;
use pc3_transport::Head;

use super::hashing::By;
use super::{lock, Frame, Kind, Link};
use crate::coll::far::{Elsewhere, Topic};
use crate::coll::rounds::{self, Parts, Pending};
use crate::crossing::coll;
use crate::group::Group;
use crate::p2p::Request;
use crate::sched::Host;
use crate::state::{RankState, World};
use crate::transport::Memory;

#[derive(Default)]
pub(crate) struct Board {
    topics: Mutex<By<Topic, Notes>>,
    /// Parts that have come so far.
    came: AtomicU64,
    restored: Mutex<Restored>,
    /// Calls of which all parts are there, for a rank; is there any?
    chores: Mutex<Vec<(Pending, Parts)>>,
    any: AtomicBool,
}

#[derive(Default)]
struct Notes {
    parts: Parts,
    /// Who waits for them: a rank, or calls that nobody waits in, and how many parts complete those.
    waits: Option<u32>,
    pending: Option<(Pending, usize)>,
}

impl Board {
    pub fn put(&self, link: &Link, frame: Frame) {
        let topic = Topic {
            id: frame.head.ctx,
            tag: frame.head.tag as u32,
            group: frame.head.id,
            round: frame.head.token,
            phase: frame.head.extra,
        };
        let (waits, ready) = {
            let mut topics = lock(&self.topics);
            self.came.fetch_add(1, Release);
            let notes = topics.entry(topic).or_default();
            notes.parts.list.push((frame.peer, frame.bytes().into()));
            notes.parts.entries.join(&entries(link, &frame.head));
            let (waits, all) = (notes.waits, notes.parts.list.len());
            let full = notes.pending.as_ref().is_some_and(|p| p.1 == all);
            (waits, full.then(|| topics.remove(&topic)).flatten())
        };
        if let (Some(world), Some(notes)) = (link.world(), ready) {
            if let Some((pending, _)) = notes.pending {
                self.finish(world, pending, notes.parts);
            }
            return;
        }
        if let (Some(rank), Some(world)) = (waits, link.world()) {
            world.wake(None, rank);
        }
    }
}

impl Board {
    /// Calls wait for the parts of so many processes; unless those are there.
    pub fn enter(
        &self,
        topic: Topic,
        pending: Pending,
        processes: usize,
    ) -> Option<(Pending, Parts)> {
        let mut topics = lock(&self.topics);
        let notes = topics.entry(topic).or_default();
        if notes.parts.list.len() < processes {
            notes.pending = Some((pending, processes));
            return None;
        }
        let notes = topics.remove(&topic)?;
        Some((pending, notes.parts))
    }

    /// By a thread that is no rank.
    fn finish(&self, world: &World, pending: Pending, parts: Parts) {
        if !pending.needs_rank() {
            return rounds::finish(world, pending, parts, None);
        }
        let owners: Vec<u32> = pending.owners().collect();
        lock(&self.chores).push((pending, parts));
        self.any.store(true, SeqCst);
        owners.into_iter().for_each(|rank| world.wake(None, rank));
    }

    #[inline]
    pub fn has_chores(&self) -> bool {
        self.any.load(SeqCst)
    }

    /// A rank that waits does what is to be done by it, or another member.
    #[cold]
    pub fn do_chores(&self, me: &RankState) {
        while let Some((pending, parts)) = self.chore(|p| p.owners().any(|r| r == me.rank)) {
            rounds::finish(me.world(), pending, parts, Some(me.worker()));
        }
    }

    /// No rank runs: does what none has done yet, as one of them.
    pub fn do_all_chores(&self, world: &World) {
        let before = RankState::try_current();
        while let Some((pending, parts)) = self.chore(|_| true) {
            if let Some(slot) = pending.owners().find_map(|r| world.slot_of(r)) {
                world.enter(slot);
            }
            rounds::finish(world, pending, parts, None);
        }
        if let Some(me) = before {
            world.enter(me.slot);
        }
    }

    fn chore(&self, which: impl Fn(&Pending) -> bool) -> Option<(Pending, Parts)> {
        let mut chores = lock(&self.chores);
        let found = chores.iter().position(|c| which(&c.0));
        let chore = found.map(|i| chores.remove(i));
        self.any.store(!chores.is_empty(), SeqCst);
        chore
    }

    /// A request of a checkpoint that waits for members elsewhere.
    pub fn restored(&self, r: *const Request) {
        lock(&self.restored).0.push(r);
    }

    /// The same, if it has become complete by itself.
    pub fn forget(&self, r: *const Request) {
        lock(&self.restored).0.retain(|q| *q != r);
    }

    /// All processes can receive: they are told of such requests.
    pub fn tell_restored(&self, world: &World) {
        let list = std::mem::take(&mut lock(&self.restored).0);
        for r in list {
            // SAFETY: pending.
            unsafe { rounds::join_again(world, &*r) };
        }
    }
}

#[derive(Default)]
struct Restored(Vec<*const Request>);

// SAFETY: as of `Pending`.
unsafe impl Send for Restored {}

impl Elsewhere for RankState {
    fn here(&self) -> u32 {
        self.world().link().index()
    }

    fn process_of(&self, rank: u32) -> u32 {
        self.world().process_of(rank)
    }

    fn send(&self, to: u32, topic: Topic, bytes: &[u8]) {
        send(self, to, (topic, None), bytes);
    }

    fn is_read_by(&self, process: u32) -> bool {
        let direct = self.world().link().carrier.direct();
        direct.is_some_and(|d| d.is_read_by(process))
    }

    fn memory_of(&self, process: u32) -> Option<Memory> {
        self.world().link().carrier.direct()?.memory_of(process)
    }

    fn receive(&self, topic: Topic, processes: usize) -> Vec<(u32, Box<[u8]>)> {
        wait_for(self, topic, processes).list
    }

    fn bring(&self, to: u32, topic: Topic, group: &Group, bytes: &[u8]) {
        if self.world().crossing.is_slow() {
            coll::bring(self, to, topic, group, bytes);
        } else {
            self.send(to, topic, bytes);
        }
    }

    fn brought(
        &self,
        topic: Topic,
        group: &Group,
        entered: &dyn Fn(usize) -> u32,
        processes: usize,
    ) -> Vec<(u32, Box<[u8]>)> {
        let parts = wait_for(self, topic, processes);
        if self.world().crossing.is_slow() {
            coll::brought(self, topic, group, entered, &parts.entries);
        }
        parts.list
    }
}

fn wait_for(me: &RankState, topic: Topic, processes: usize) -> Parts {
    let board = &me.world().link().board;
    loop {
        let came = board.came.load(Acquire);
        {
            let mut topics = lock(&board.topics);
            let notes = topics.entry(topic).or_default();
            if notes.parts.list.len() == processes {
                let notes = topics.remove(&topic);
                return notes.map(|n| n.parts).unwrap_or_default();
            }
            notes.waits = Some(me.rank);
        }
        // What wakes it then has been seen here: the next look finds it or is woken again.
        if !me.linger(|| board.came.load(Acquire) != came) {
            me.block();
        }
    }
}

/// In a head's `count`: entries are told of; somebody was not logging (in the upper half: in which epoch at last).
const TOLD: u64 = 1;
const UNLOGGED: u64 = 2;

/// Sends a frame of a collective; `entries`: how members here have entered, if that counts.
pub(crate) fn send(
    me: &RankState,
    to: u32,
    (topic, entries): (Topic, Option<&Entries>),
    bytes: &[u8],
) {
    let mut head = Head {
        ctx: topic.id,
        tag: topic.tag as i32,
        id: topic.group,
        token: topic.round,
        extra: topic.phase,
        ..Head::default()
    };
    if let Some((low, high, unlogged)) = entries.and_then(Entries::told) {
        let unlogged = unlogged.map_or(0, |e| u64::from(e) << 32 | UNLOGGED);
        (head.src, head.dst, head.count) = (low, high, unlogged | TOLD);
    }
    let link = me.world().link();
    link.send_bytes(to, Kind::Collective, head, bytes);
}

/// How the members elsewhere have entered: what is not told was done when nobody counted, which is now.
fn entries(link: &Link, head: &Head) -> Entries {
    if head.count & TOLD != 0 {
        let unlogged = (head.count & UNLOGGED != 0).then_some((head.count >> 32) as u32);
        return Entries::of((head.src, head.dst, unlogged));
    }
    let now = link.world().map_or(0, |w| w.crossing.now());
    Entries::of((now, now, Some(now)))
}
