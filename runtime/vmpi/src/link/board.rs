//! What collectives of several processes send each other, until the rank that waits for it takes it.

use std::collections::HashMap;
use std::sync::Mutex;

use pc3_transport::Head;

use super::{lock, Frame, Kind, Link};
use crate::coll::far::{Elsewhere, Topic};
use crate::state::RankState;

#[derive(Default)]
pub(crate) struct Board {
    topics: Mutex<HashMap<Topic, Notes>>,
}

#[derive(Default)]
struct Notes {
    parts: Vec<(u32, Box<[u8]>)>,
    /// Who waits for them.
    waits: Option<u32>,
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
        let waits = {
            let mut topics = lock(&self.topics);
            let notes = topics.entry(topic).or_default();
            notes.parts.push((frame.peer, frame.bytes().into()));
            notes.waits
        };
        if let (Some(rank), Some(world)) = (waits, link.world()) {
            world.wake(None, rank);
        }
    }
}

impl Elsewhere for RankState {
    fn here(&self) -> u32 {
        self.world().link().index()
    }

    fn process_of(&self, rank: u32) -> u32 {
        self.world().process_of(rank)
    }

    fn send(&self, to: u32, topic: Topic, bytes: &[u8]) {
        let head = Head {
            ctx: topic.id,
            tag: topic.tag as i32,
            id: topic.group,
            token: topic.round,
            extra: topic.phase,
            ..Head::default()
        };
        let link = self.world().link();
        link.send_bytes(to, Kind::Collective, head, bytes);
    }

    fn receive(&self, topic: Topic, processes: usize) -> Vec<(u32, Box<[u8]>)> {
        let board = &self.world().link().board;
        loop {
            {
                let mut topics = lock(&board.topics);
                let notes = topics.entry(topic).or_default();
                if notes.parts.len() == processes {
                    let notes = topics.remove(&topic);
                    return notes.map(|n| n.parts).unwrap_or_default();
                }
                notes.waits = Some(self.rank);
            }
            self.block();
        }
    }
}
