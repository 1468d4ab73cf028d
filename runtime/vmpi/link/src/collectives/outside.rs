//! The other processes, as collectives know them.

use std::sync::atomic::Ordering::*;

use pc3_protocol::Entries;
use pc3_runtime::chaos;
use pc3_transport::Head;

use super::board::{at, TOLD, UNLOGGED};
use crate::kind::Kind;
use crate::link::link;
use crate::post::lock;
use pc3_vmpi_coll::above::Epochs;
use pc3_vmpi_coll::common::common;
use pc3_vmpi_coll::meeting::waiting::{Pending, RemoteParts};
use pc3_vmpi_coll::remote::elsewhere::{Elsewhere, Name, Topic};
use pc3_vmpi_coll::remote::few::{CallSignature, InlineCall};
use pc3_vmpi_core::rank::RankState;
use pc3_vmpi_core::world::World;
use pc3_vmpi_objects::group::Group;
use pc3_vmpi_transport::ProcessMemory;

fn epochs(world: &World) -> &'static dyn Epochs {
    common(world).epochs
}

/// A rank that looks at the other processes.
#[repr(transparent)]
struct Outside(RankState);

/// The other processes, as a rank sees them.
pub fn outside(me: &RankState) -> &dyn Elsewhere {
    // SAFETY: the same in memory.
    unsafe { &*std::ptr::from_ref(me).cast::<Outside>() }
}

impl Elsewhere for Outside {
    fn world(&self) -> &World {
        self.0.world()
    }

    fn enter(
        &self,
        topic: Topic,
        pending: Pending,
        processes: usize,
    ) -> Option<(Pending, RemoteParts)> {
        let board = &link(self.world()).board;
        board.enter(topic, pending, processes)
    }

    fn set_pointer(&self, name: Name, at: i64) {
        link(self.world()).pointers.set(name, at);
    }

    fn advance_pointer(&self, process: u32, name: Name, by: i64) -> i64 {
        let link = link(self.world());
        match link.pointers.advance(name, by) {
            Some(at) => at,
            None => link.pointers.advance_at(link, &self.0, process, name, by),
        }
    }

    fn forget_pointer(&self, name: Name) {
        link(self.world()).pointers.forget(name);
    }

    fn send(&self, to: u32, what: (Topic, Option<&Entries>), bytes: &[u8]) {
        send(self.world(), to, what, bytes);
    }

    fn is_read_by(&self, process: u32) -> bool {
        let direct = link(self.world()).carrier.direct();
        direct.is_some_and(|d| d.is_read_by(process))
    }

    fn memory_of(&self, process: u32) -> Option<ProcessMemory> {
        link(self.world()).carrier.direct()?.memory_of(process)
    }

    fn receive(&self, topic: Topic, processes: usize) -> Vec<(u32, Box<[u8]>)> {
        wait_for(&self.0, topic, processes).list
    }

    fn bring(&self, to: u32, topic: Topic, group: &Group, bytes: &[u8]) {
        if self.world().nonblocking.is_slow() {
            epochs(self.world()).bring(&self.0, to, topic, group, bytes);
        } else {
            self.send(to, (topic, None), bytes);
        }
    }

    fn counts(&self) -> bool {
        self.world().nonblocking.is_slow()
    }

    fn tell(&self, to: u32, topic: Topic, record: CallSignature, given: &[u8]) {
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
        let link = link(self.world());
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
        if !told_by(&self.0, &topic, processes) {
            return Some(self.brought(topic, group, entered, processes.len()));
        }
        let slots = &link(self.world()).board.slots;
        let take = |p: &u32| slots.take(*p, &topic).map(|told| (*p, told));
        told.extend(processes.iter().filter_map(take));
        if self.world().nonblocking.is_slow() {
            let mut all = Entries::default();
            told.iter().for_each(|t| all.join(&at(t.1.now)));
            epochs(self.world()).brought(&self.0, topic, group, entered, &all);
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
        let parts = wait_for(&self.0, topic, processes);
        if self.world().nonblocking.is_slow() {
            epochs(self.world()).brought(&self.0, topic, group, entered, &parts.entries);
        }
        parts.list
    }
}

fn wait_for(me: &RankState, topic: Topic, processes: usize) -> RemoteParts {
    let board = &link(me.world()).board;
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
    let board = &link(me.world()).board;
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

/// Sends a frame of a collective; `entries`: how members here have entered, if that counts.
pub fn send(world: &World, to: u32, (topic, entries): (Topic, Option<&Entries>), bytes: &[u8]) {
    let mut head = Head {
        ctx: topic.id,
        tag: topic.tag as i32,
        id: topic.group,
        token: topic.round,
        extra: topic.phase,
        ..Head::default()
    };
    if let Some((low, high, unlogged)) = entries.and_then(Entries::summary) {
        let unlogged = unlogged.map_or(0, |e| u64::from(e) << 32 | UNLOGGED);
        (head.src, head.dst, head.count) = (low, high, unlogged | TOLD);
    }
    link(world).send_bytes(to, Kind::Collective, head, bytes);
}
