//! The other processes, as collectives know them (`Elsewhere`): by frames.

use std::sync::atomic::Ordering::*;

use pc3_protocol::Entries;
use pc3_runtime::chaos;
use pc3_transport::Head;

use super::frames;
use crate::kind::Kind;
use crate::link::link;
use crate::post::lock;
use pc3_vmpi_coll::above::Epochs;
use pc3_vmpi_coll::common::common;
use pc3_vmpi_coll::meeting::waiting::{Climb, Pending, RemoteParts};
use pc3_vmpi_coll::remote::elsewhere::{Elsewhere, Name, Topic};
use pc3_vmpi_coll::remote::few::{CallSignature, Told};
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

    fn climb(&self, topic: Topic, climb: Climb) -> Option<(Pending, RemoteParts)> {
        let link = link(self.world());
        link.board.climb(link, self.world(), topic, climb)
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
        frames::send(link(self.world()), to, what, bytes);
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
            let others = Entries::default();
            epochs(self.world()).bring(&self.0, to, topic, group, &others, bytes);
        } else {
            self.send(to, (topic, None), bytes);
        }
    }

    fn counts(&self) -> bool {
        self.world().nonblocking.is_slow()
    }

    fn tell(&self, to: u32, topic: Topic, record: CallSignature, given: &[u8]) {
        let topic = topic.told();
        let head = Head {
            kind: Kind::InlineCollective as u32,
            ctx: topic.id,
            tag: topic.tag as i32,
            id: topic.group,
            token: topic.round,
            extra: topic.phase,
            from: (record.what >> 32) as i32,
            ty: record.what as u32,
            count: record.bytes,
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

    fn pass(
        &self,
        to: u32,
        (topic, record): (Topic, CallSignature),
        group: &Group,
        given: &[u8],
        others: &Entries,
    ) {
        if self.counts() {
            let (topic, part) = (topic.told(), record.part(given));
            epochs(self.world()).bring(&self.0, to, topic, group, others, &part);
        } else {
            self.tell(to, topic, record, given);
        }
    }

    fn hear(
        &self,
        topic: Topic,
        from: &[u32],
        heard: &mut Vec<(u32, Told)>,
        others: &mut Entries,
    ) -> bool {
        hear(&self.0, topic, from, (heard, others))
    }

    fn have_told(
        &self,
        topic: Topic,
        group: &Group,
        entered: &dyn Fn(usize) -> u32,
        others: &Entries,
    ) {
        if self.counts() {
            epochs(self.world()).brought(&self.0, topic, group, entered, others);
        }
    }

    fn brought(
        &self,
        topic: Topic,
        group: &Group,
        entered: &dyn Fn(usize) -> u32,
        processes: usize,
    ) -> Vec<(u32, Box<[u8]>)> {
        let parts = wait_for(&self.0, topic, processes);
        // Who has told anything has done so before it brought its calls.
        link(self.world()).board.forget_told(&self.0, topic);
        if self.counts() {
            epochs(self.world()).brought(&self.0, topic, group, entered, &parts.entries);
        }
        parts.list
    }
}

fn wait_for(me: &RankState, topic: Topic, processes: usize) -> RemoteParts {
    let board = &link(me.world()).board;
    loop {
        let came = board.came.load(Acquire);
        {
            let mut topics = lock(&board.topics);
            let notes = topics.entry(topic).or_default();
            let all = notes.parts.list.len() == processes;
            notes.waits = Some(me.rank);
            let found = all.then(|| topics.remove(&topic)).flatten();
            board.noted.store(topics.len(), Release);
            if let Some(notes) = found {
                return notes.parts;
            }
        }
        let ready = || board.came.load(Acquire) != came;
        if !me.linger(ready) {
            board.sleep(me, ready);
        }
    }
}

/// Waits until these processes have told what their calls amount to; false: some process has brought its calls.
fn hear(
    me: &RankState,
    topic: Topic,
    from: &[u32],
    (heard, others): (&mut Vec<(u32, Told)>, &mut Entries),
) -> bool {
    let board = &link(me.world()).board;
    let told = topic.told();
    let mut noted = false;
    let all_told = loop {
        let found = board.slots.count(from, &told);
        if found == from.len() {
            break true;
        }
        let came = board.came.load(Acquire);
        if board.noted.load(Acquire) > 0 {
            let topics = lock(&board.topics);
            let notes = topics.get(&topic);
            if notes.is_some_and(|n| !n.parts.list.is_empty()) {
                break false;
            }
            let all = || from.iter().all(|p| board.has_told(&topics, *p, &told));
            if topics.contains_key(&told) && all() {
                break true;
            }
        }
        let ready = || board.slots.count(from, &told) != found || board.came.load(Acquire) != came;
        if !me.linger(ready) {
            if !noted {
                board.wait_for_told(me.rank, topic);
                noted = true;
            }
            board.sleep(me, ready);
        }
    };
    if all_told {
        board.take_told(from, &told, heard, others);
    }
    if noted {
        board.wait_no_more(&topic);
    }
    all_told
}
