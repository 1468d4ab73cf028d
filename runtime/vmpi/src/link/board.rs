//! What collectives of several processes send each other, until the rank that waits for it takes it.

use std::sync::atomic::{fence, AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering::*};
use std::sync::Mutex;

use pc3_protocol::Entries;
use pc3_transport::Head;

use super::arrivals::Handler;
use super::hashing::By;
use super::slots::Slots;
use super::{lock, Frame, Kind, Link};
use crate::coll::inline_collective::{Few, InlineCall, Record};
use crate::coll::remote::{Elsewhere, Topic};
use crate::coll::rounds::{self, Parts, Pending};
use crate::nonblocking::coll;
use crate::p2p::Request;
use crate::state::{RankState, World};
use pc3_runtime::chaos;
use pc3_vmpi_objects::group::Group;
use pc3_vmpi_sched::Host;
use pc3_vmpi_transport::Memory;

pub(crate) struct Board {
    topics: Mutex<By<Topic, Notes>>,
    /// How many these are.
    noted: AtomicUsize,
    /// Parts that have come so far.
    came: AtomicU64,
    slots: Slots,
    /// Ranks that sleep until something comes.
    sleepers: AtomicU32,
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

fn topic_of(head: &Head) -> Topic {
    Topic {
        id: head.ctx,
        tag: head.tag as u32,
        group: head.id,
        round: head.token,
        phase: head.extra,
    }
}

/// As it travels.
fn record_of(head: &Head) -> Record {
    Record(u64::from(head.from as u32) << 32 | u64::from(head.ty))
}

impl Board {
    pub fn new(processes: u32) -> Board {
        Board {
            topics: Mutex::default(),
            noted: AtomicUsize::new(0),
            came: AtomicU64::new(0),
            slots: Slots::new(processes),
            sleepers: AtomicU32::new(0),
            restored: Mutex::default(),
            chores: Mutex::default(),
            any: AtomicBool::new(false),
        }
    }

    /// Puts down what another process tells of its calls, as it arrives; false: it is to be [`put`](Self::put) like any frame.
    #[inline]
    pub(super) fn hear(
        &self,
        link: &Link,
        (peer, by): (u32, Handler),
        head: &Head,
        given: &[u8],
    ) -> bool {
        let topic = topic_of(head);
        let Some(world) = link.world().filter(|w| !w.nonblocking.is_slow()) else {
            return false;
        };
        let told = || {
            Some(InlineCall {
                record: record_of(head),
                now: world.nonblocking.now(),
                few: Few::of(given)?,
            })
        };
        if !self.slots.put(peer, topic, told) {
            return false;
        }
        chaos();
        if by != Handler::Worker {
            // Who is about to sleep says so, and looks once more.
            fence(SeqCst);
        }
        if self.sleepers.load(Relaxed) > 0 {
            let waits = lock(&self.topics).get(&topic).and_then(|n| n.waits);
            if let Some(rank) = waits {
                world.wake(None, rank);
            }
        }
        link.hear(peer);
        link.has_handled();
        true
    }

    fn others(&self, me: &RankState) -> impl Iterator<Item = u32> {
        let link = me.world().link();
        let (here, count) = (link.index(), link.count());
        (0..count).filter(move |p| *p != here)
    }

    /// Sleeps until something may have come for the topic, or `ready` says that it has.
    fn sleep(&self, me: &RankState, ready: impl Fn() -> bool) {
        self.sleepers.fetch_add(1, SeqCst);
        fence(SeqCst);
        if !ready() {
            chaos();
            me.block();
        }
        self.sleepers.fetch_sub(1, SeqCst);
    }

    pub fn put(&self, link: &Link, frame: Frame) {
        let topic = topic_of(&frame.head);
        let tells = frame.head.kind == Kind::InlineCollective as u32;
        let part: Box<[u8]> = match Few::of(frame.bytes()) {
            _ if !tells => frame.bytes().into(),
            Some(few) => {
                let (record, now) = (record_of(&frame.head), 0);
                InlineCall { record, now, few }.part()
            }
            None => link.fail("internal error: more is told of a collective than may be"),
        };
        let (waits, ready) = {
            let mut topics = lock(&self.topics);
            let notes = topics.entry(topic).or_default();
            notes.parts.list.push((frame.peer, part));
            notes.parts.entries.join(&entries(link, &frame.head));
            let (waits, all) = (notes.waits, notes.parts.list.len());
            let full = notes.pending.as_ref().is_some_and(|p| p.1 == all);
            let ready = full.then(|| topics.remove(&topic)).flatten();
            self.noted.store(topics.len(), Release);
            self.came.fetch_add(1, Release);
            (waits, ready)
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
        let found = if notes.parts.list.len() < processes {
            notes.pending = Some((pending, processes));
            None
        } else {
            let notes = topics.remove(&topic)?;
            Some((pending, notes.parts))
        };
        self.noted.store(topics.len(), Release);
        found
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
        if self.world().nonblocking.is_slow() {
            coll::bring(self, to, topic, group, bytes);
        } else {
            self.send(to, topic, bytes);
        }
    }

    fn counts(&self) -> bool {
        self.world().nonblocking.is_slow()
    }

    fn tell(&self, to: u32, topic: Topic, record: Record, given: &[u8]) {
        let head = Head {
            kind: Kind::InlineCollective as u32,
            ctx: topic.id,
            tag: topic.tag as i32,
            id: topic.group,
            token: topic.round,
            extra: topic.phase,
            from: (record.0 >> 32) as i32,
            ty: record.0 as u32,
            len: given.len() as u64,
            ..Head::default()
        };
        let link = self.world().link();
        chaos();
        // SAFETY: a slice.
        if unsafe { !link.carrier.send_short(to, &head, given.as_ptr()) } {
            link.send_bytes(to, Kind::InlineCollective, head, given);
        }
    }

    fn heard(
        &self,
        topic: Topic,
        group: &Group,
        entered: &dyn Fn(usize) -> u32,
        processes: &[u32],
        told: &mut Vec<(u32, InlineCall)>,
    ) -> Option<Vec<(u32, Box<[u8]>)>> {
        if !told_by(self, &topic, processes) {
            return Some(self.brought(topic, group, entered, processes.len()));
        }
        let slots = &self.world().link().board.slots;
        let take = |p: &u32| slots.take(*p, &topic).map(|told| (*p, told));
        told.extend(processes.iter().filter_map(take));
        if self.world().nonblocking.is_slow() {
            let mut all = Entries::default();
            told.iter().for_each(|t| all.join(&at(t.1.now)));
            coll::brought(self, topic, group, entered, &all);
        }
        None
    }

    fn brought(
        &self,
        topic: Topic,
        group: &Group,
        entered: &dyn Fn(usize) -> u32,
        processes: usize,
    ) -> Vec<(u32, Box<[u8]>)> {
        let parts = wait_for(self, topic, processes);
        if self.world().nonblocking.is_slow() {
            coll::brought(self, topic, group, entered, &parts.entries);
        }
        parts.list
    }
}

fn wait_for(me: &RankState, topic: Topic, processes: usize) -> Parts {
    let board = &me.world().link().board;
    let told = topic.phase == 0;
    loop {
        let came = board.came.load(Acquire);
        {
            let mut topics = lock(&board.topics);
            let notes = topics.entry(topic).or_default();
            for process in board.others(me).filter(|_| told) {
                if let Some(told) = board.slots.take(process, &topic) {
                    notes.parts.list.push((process, told.part()));
                    notes.parts.entries.join(&at(told.now));
                }
            }
            let all = notes.parts.list.len() == processes;
            notes.waits = Some(me.rank);
            let found = all.then(|| topics.remove(&topic)).flatten();
            board.noted.store(topics.len(), Release);
            if let Some(notes) = found {
                return notes.parts;
            }
        }
        let heard = || told && board.others(me).any(|p| board.slots.has(p, &topic));
        let ready = || board.came.load(Acquire) != came || heard();
        if !me.linger(ready) {
            board.sleep(me, ready);
        }
    }
}

/// The same of what may have been told: that is all in its places, or something else has come.
fn told_by(me: &RankState, topic: &Topic, processes: &[u32]) -> bool {
    let board = &me.world().link().board;
    let all = || processes.iter().all(|p| board.slots.has(*p, topic));
    let mut noted = false;
    let found = loop {
        if all() {
            break true;
        }
        let came = board.came.load(Acquire);
        if board.noted.load(Acquire) > 0 {
            let topics = lock(&board.topics);
            let notes = topics.get(topic);
            if notes.is_some_and(|n| !n.parts.list.is_empty()) {
                return false;
            }
        }
        let ready = || all() || board.came.load(Acquire) != came;
        if !me.linger(ready) {
            let mut topics = lock(&board.topics);
            topics.entry(*topic).or_default().waits = Some(me.rank);
            board.noted.store(topics.len(), Release);
            drop(topics);
            noted = true;
            board.sleep(me, ready);
        }
    };
    if noted {
        let mut topics = lock(&board.topics);
        topics.remove(topic);
        board.noted.store(topics.len(), Release);
    }
    found
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
    at(link.world().map_or(0, |w| w.nonblocking.now()))
}

fn at(now: u32) -> Entries {
    Entries::of((now, now, Some(now)))
}
