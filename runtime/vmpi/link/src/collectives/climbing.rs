//! Non-blocking calls that go along the tree of their processes: whoever handles the last frame that one waits for sends the next.
//!
//! As with blocking calls ([`pc3_vmpi_coll::remote`]) calls that come straight from a process make all others send theirs so.

use pc3_protocol::Entries;

use super::board::{Board, Inbox};
use super::frames::{at, send};
use super::hashing::By;
use crate::post::{fail, lock, Post};
use pc3_vmpi_coll::meeting::rounds;
use pc3_vmpi_coll::meeting::waiting::{Climb, Pending, RemoteParts};
use pc3_vmpi_coll::remote::elsewhere::Topic;
use pc3_vmpi_coll::remote::few::Told;
use pc3_vmpi_coll::remote::routed;
use pc3_vmpi_core::world::World;

/// Calls on their way.
pub(crate) struct Climbing {
    climb: Climb,
    /// How members here have entered.
    entries: Entries,
    /// The process above has been told.
    told: bool,
}

enum Step {
    /// To the process above.
    Up(u32, Box<[u8]>, Entries),
    /// All have called.
    Down(Climbing, Vec<u8>, Entries),
    /// They do not belong together, or somebody has sent its calls straight.
    Straight(Climbing),
}

impl Board {
    /// Calls here begin their way; what is to be done if that is over.
    pub fn climb(
        &self,
        post: &Post,
        world: &World,
        topic: Topic,
        climb: Climb,
    ) -> Option<(Pending, RemoteParts)> {
        let now = at(world.nonblocking.now());
        let climbing = Climbing {
            entries: climb.entries.unwrap_or(now),
            climb,
            told: false,
        };
        let step = {
            let mut topics = lock(&self.topics);
            topics.entry(topic.along()).or_default().climbing = Some(climbing);
            self.next(&mut topics, topic)
        };
        self.go(post, world, topic, step)
    }

    /// A part has come, along the tree or straight.
    pub(crate) fn climb_on(
        &self,
        post: &Post,
        world: &World,
        topic: Topic,
    ) -> Option<(Pending, RemoteParts)> {
        let step = self.next(&mut lock(&self.topics), topic.apart());
        self.go(post, world, topic.apart(), step)
    }

    fn next(&self, topics: &mut By<Topic, Inbox>, topic: Topic) -> Option<Step> {
        let straight = topics.get(&topic).is_some_and(|n| !n.parts.list.is_empty());
        let notes = topics.get_mut(&topic.along())?;
        let climbing = notes.climbing.as_mut()?;
        let step = if straight {
            None
        } else {
            let Some(tree) = &climbing.climb.members.tree else {
                fail("internal error: calls without a tree")
            };
            let from = match tree.above.filter(|_| climbing.told) {
                Some(above) => vec![above],
                None => tree.below.to_vec(),
            };
            let list = &mut notes.parts.list;
            if !from.iter().all(|p| list.iter().any(|l| l.0 == *p)) {
                return None;
            }
            let told: Vec<Told> = list.drain(..).filter_map(|p| Told::long(p.1)).collect();
            let entries = &mut notes.parts.entries;
            entries.join(&climbing.entries);
            let record = climbing.climb.record;
            let alike = told.len() == from.len() && told.iter().all(|t| t.record == record);
            alike.then(|| {
                let mut body = match climbing.told {
                    true => Vec::new(),
                    false => climbing.climb.own.clone(),
                };
                told.iter().for_each(|t| body.extend_from_slice(t.bytes()));
                (body, tree.above.filter(|_| !climbing.told), *entries)
            })
        };
        if let Some((body, Some(above), entries)) = step {
            climbing.told = true;
            return Some(Step::Up(above, climbing.climb.record.part(&body), entries));
        }
        let climbing = notes.climbing.take()?;
        topics.remove(&topic.along());
        self.noted
            .store(topics.len(), std::sync::atomic::Ordering::Release);
        Some(match step {
            Some((body, _, entries)) => Step::Down(climbing, body, entries),
            None => Step::Straight(climbing),
        })
    }

    fn go(
        &self,
        post: &Post,
        world: &World,
        topic: Topic,
        step: Option<Step>,
    ) -> Option<(Pending, RemoteParts)> {
        let along = topic.along();
        match step? {
            Step::Up(above, part, entries) => {
                send(post, above, (along, Some(&entries)), &part);
                None
            }
            Step::Down(Climbing { climb, .. }, body, entries) => {
                let members = &climb.members;
                let tree = members.tree.as_ref()?;
                let damaged = |_| fail("internal error: parts of a collective make no sense");
                for (n, below) in tree.below.iter().enumerate() {
                    let body = routed::passed(&body, |to| tree.leads(n, to));
                    let part = climb.record.part(&body.unwrap_or_else(damaged));
                    send(post, *below, (along, Some(&entries)), &part);
                }
                let parts = routed::parts(&body, members, world.index());
                let list = parts
                    .unwrap_or_else(|_| fail("internal error: a part of a collective is missing"));
                Some((climb.pending, RemoteParts { list, entries }))
            }
            Step::Straight(Climbing { climb, entries, .. }) => {
                let pending = climb.pending;
                let processes = rounds::for_each_process(world, &pending, |process, part| {
                    send(post, process, (topic, Some(&entries)), &part);
                });
                self.enter(topic, pending, processes)
            }
        }
    }
}
