//! What collectives of several processes send each other, until the rank that waits for it takes it.

use std::sync::atomic::{fence, AtomicU32, AtomicU64, AtomicUsize, Ordering::*};
use std::sync::Mutex;

use pc3_protocol::Entries;
use pc3_runtime::chaos;
use pc3_transport::Head;

use super::climbing::Climbing;
use super::frames::{at, entries, record_of, topic_of};
use super::hashing::By;
use super::slots::Slots;
use crate::frame::{Frame, Handler};
use crate::kind::Kind;
use crate::post::{fail, lock, Post};
use pc3_vmpi_coll::meeting::rounds;
use pc3_vmpi_coll::meeting::waiting::{Pending, RemoteParts};
use pc3_vmpi_coll::remote::elsewhere::Topic;
use pc3_vmpi_coll::remote::few::{Few, InlineCall, Told};
use pc3_vmpi_core::p2p::Request;
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_core::world::World;
use pc3_vmpi_sched::Host;

pub struct Board {
    pub(crate) topics: Mutex<By<Topic, Inbox>>,
    /// How many these are.
    pub(crate) noted: AtomicUsize,
    /// Parts that have come so far.
    pub(crate) came: AtomicU64,
    pub(crate) slots: Slots,
    /// Ranks that sleep until something comes.
    pub(crate) sleepers: AtomicU32,
    pub(crate) restored: Mutex<Restored>,
    /// Calls of which all parts are there, for a rank.
    pub(crate) chores: Mutex<Vec<(Pending, RemoteParts)>>,
}

#[derive(Default)]
pub(crate) struct Inbox {
    pub(crate) parts: RemoteParts,
    /// Who waits for them: a rank, or calls that nobody waits in, and how many parts complete those.
    pub(crate) waits: Option<u32>,
    pub(crate) pending: Option<(Pending, usize)>,
    /// Calls that go along a tree.
    pub(crate) climbing: Option<Climbing>,
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
        }
    }

    /// Puts down what another process tells of its calls, as it arrives; false: it is to be [`put`](Self::put) like any frame.
    #[inline]
    pub fn hear(&self, post: &Post, (peer, by): (u32, Handler), head: &Head, given: &[u8]) -> bool {
        let topic = topic_of(head);
        let Some(world) = post.world().filter(|w| !w.nonblocking.is_slow()) else {
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
            let topics = lock(&self.topics);
            let waits = topics.get(&topic.awaited()).and_then(|n| n.waits);
            drop(topics);
            if let Some(rank) = waits {
                world.wake(None, rank);
            }
        }
        post.hear(peer);
        post.has_handled();
        true
    }

    /// Has that process told it?
    pub(crate) fn has_told(&self, topics: &By<Topic, Inbox>, process: u32, told: &Topic) -> bool {
        let list = topics.get(told).map(|n| &n.parts.list);
        self.slots.has(process, told) || list.is_some_and(|l| l.iter().any(|p| p.0 == process))
    }

    /// Takes what these have told, in their order.
    pub(crate) fn take_told(
        &self,
        from: &[u32],
        topic: &Topic,
        heard: &mut Vec<(u32, Told)>,
        entries: &mut Entries,
    ) {
        let mut take_short = |process: &u32| {
            let call = self.slots.take(*process, topic)?;
            entries.join(&at(call.now));
            Some((*process, Told::short(call)))
        };
        heard.extend(from.iter().filter_map(&mut take_short));
        if heard.len() == from.len() {
            return;
        }
        let mut topics = lock(&self.topics);
        if let Some(notes) = topics.get_mut(topic) {
            entries.join(&notes.parts.entries);
            let (mine, rest) = std::mem::take(&mut notes.parts.list)
                .into_iter()
                .partition(|p| from.contains(&p.0));
            notes.parts.list = rest;
            let mine: Vec<(u32, Box<[u8]>)> = mine;
            for (process, part) in mine {
                match Told::long(part) {
                    Some(told) => heard.push((process, told)),
                    None => fail("internal error: nothing is told of a collective"),
                }
            }
            heard.sort_unstable_by_key(|h| h.0);
        }
        self.tidy(&mut topics, topic);
    }

    /// Whatever has been told: the calls themselves have come.
    pub(crate) fn forget_told(&self, me: &RankState, topic: Topic) {
        let (here, count) = me.world().process();
        let told = topic.told();
        for process in (0..count).filter(|p| *p != here) {
            self.slots.take(process, &told);
        }
        if self.noted.load(Acquire) > 0 {
            let mut topics = lock(&self.topics);
            topics.remove(&told);
            self.noted.store(topics.len(), Release);
        }
    }

    /// That rank waits for calls, or for what is told instead.
    pub(crate) fn wait_for_told(&self, rank: u32, topic: Topic) {
        let mut topics = lock(&self.topics);
        topics.entry(topic).or_default().waits = Some(rank);
        self.noted.store(topics.len(), Release);
    }

    pub(crate) fn wait_no_more(&self, topic: &Topic) {
        self.tidy(&mut lock(&self.topics), topic);
    }

    /// Nothing of it is left, unless there is.
    fn tidy(&self, topics: &mut By<Topic, Inbox>, topic: &Topic) {
        if topics.get(topic).is_some_and(|n| n.parts.list.is_empty()) {
            topics.remove(topic);
        }
        self.noted.store(topics.len(), Release);
    }

    /// Sleeps until something may have come for the topic, or `ready` says that it has.
    pub(crate) fn sleep(&self, me: &RankState, ready: impl Fn() -> bool) {
        self.sleepers.fetch_add(1, SeqCst);
        fence(SeqCst);
        if !ready() {
            chaos();
            me.block();
        }
        self.sleepers.fetch_sub(1, SeqCst);
    }

    pub fn put(&self, post: &Post, frame: Frame) {
        let topic = topic_of(&frame.head);
        let tells = frame.head.kind == Kind::InlineCollective as u32;
        let part = match tells {
            true => record_of(&frame.head).part(frame.bytes()),
            false => frame.bytes().into(),
        };
        let entries = match tells {
            true => at(post.world().map_or(0, |w| w.nonblocking.now())),
            false => entries(post, &frame.head),
        };
        let (waits, ready) = {
            let mut topics = lock(&self.topics);
            let notes = topics.entry(topic).or_default();
            notes.parts.list.push((frame.peer, part));
            notes.parts.entries.join(&entries);
            let all = notes.parts.list.len();
            let full = notes.pending.as_ref().is_some_and(|p| p.1 == all);
            let waits = topics.get(&topic.awaited()).and_then(|n| n.waits);
            let ready = full.then(|| topics.remove(&topic)).flatten();
            if ready.is_some() {
                // What has come along the tree has come before.
                topics.remove(&topic.along());
            }
            self.noted.store(topics.len(), Release);
            self.came.fetch_add(1, Release);
            (waits, ready)
        };
        if let (Some(world), Some(notes)) = (post.world(), ready) {
            if let Some((pending, _)) = notes.pending {
                self.finish(world, pending, notes.parts);
            }
            return;
        }
        if let (Some(rank), Some(world)) = (waits, post.world()) {
            world.wake(None, rank);
        }
        if let (Topic::ALONG | Topic::APART, Some(world)) = (topic.tag, post.world()) {
            if let Some((pending, parts)) = self.climb_on(post, world, topic) {
                self.finish(world, pending, parts);
            }
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
    ) -> Option<(Pending, RemoteParts)> {
        let mut topics = lock(&self.topics);
        let notes = topics.entry(topic).or_default();
        let found = if notes.parts.list.len() < processes {
            notes.pending = Some((pending, processes));
            None
        } else {
            let notes = topics.remove(&topic)?;
            topics.remove(&topic.along());
            Some((pending, notes.parts))
        };
        self.noted.store(topics.len(), Release);
        found
    }

    /// By a thread that is no rank.
    pub(crate) fn finish(&self, world: &World, pending: Pending, parts: RemoteParts) {
        if !rounds::needs_rank(&pending) {
            return rounds::finish(world, pending, parts, None);
        }
        let owners: Vec<u32> = pending.owners().collect();
        lock(&self.chores).push((pending, parts));
        world.chores.store(true, SeqCst);
        owners.into_iter().for_each(|rank| world.wake(None, rank));
    }

    /// A rank that waits does what is to be done by it, or another member.
    #[cold]
    pub fn do_chores(&self, me: &RankState) {
        while let Some((pending, parts)) =
            self.chore(me.world(), |p| p.owners().any(|r| r == me.rank))
        {
            rounds::finish(me.world(), pending, parts, Some(me.worker()));
        }
    }

    /// No rank runs: does what none has done yet, as one of them.
    pub fn do_all_chores(&self, world: &World) {
        let before = RankState::try_current();
        while let Some((pending, parts)) = self.chore(world, |_| true) {
            if let Some(slot) = pending.owners().find_map(|r| world.slot_of(r)) {
                world.enter(slot);
            }
            rounds::finish(world, pending, parts, None);
        }
        if let Some(me) = before {
            world.enter(me.slot);
        }
    }

    pub(crate) fn chore(
        &self,
        world: &World,
        which: impl Fn(&Pending) -> bool,
    ) -> Option<(Pending, RemoteParts)> {
        let mut chores = lock(&self.chores);
        let found = chores.iter().position(|c| which(&c.0));
        let chore = found.map(|i| chores.remove(i));
        world.chores.store(!chores.is_empty(), SeqCst);
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
pub(crate) struct Restored(pub(crate) Vec<*const Request>);

// SAFETY: as of `Pending`.
unsafe impl Send for Restored {}
