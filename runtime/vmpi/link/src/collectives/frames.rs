//! Frames of collectives: which one they belong to, and how members have entered.

use pc3_protocol::Entries;
use pc3_transport::Head;

use crate::kind::Kind;
use crate::post::Post;
use pc3_vmpi_coll::remote::elsewhere::Topic;
use pc3_vmpi_coll::remote::few::CallSignature;

pub(crate) fn topic_of(head: &Head) -> Topic {
    Topic {
        id: head.ctx,
        tag: head.tag as u32,
        group: head.id,
        round: head.token,
        phase: head.extra,
    }
}

/// As it travels.
pub(crate) fn record_of(head: &Head) -> CallSignature {
    CallSignature {
        what: u64::from(head.from as u32) << 32 | u64::from(head.ty),
        bytes: head.count,
    }
}

/// Sends a frame of a collective; `entries`: how members here have entered, if that counts.
pub fn send(post: &Post, to: u32, (topic, entries): (Topic, Option<&Entries>), bytes: &[u8]) {
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
    post.send_bytes(to, Kind::Collective, head, bytes);
}

/// In a head's `count`: entries are told of; somebody was not logging (in the upper half: in which epoch at last).
const TOLD: u64 = 1;

const UNLOGGED: u64 = 2;

/// How the members elsewhere have entered: what is not told was done when nobody counted, which is now.
pub(crate) fn entries(post: &Post, head: &Head) -> Entries {
    if head.count & TOLD != 0 {
        let unlogged = (head.count & UNLOGGED != 0).then_some((head.count >> 32) as u32);
        return Entries::of((head.src, head.dst, unlogged));
    }
    at(post.world().map_or(0, |w| w.nonblocking.now()))
}

pub(crate) fn at(now: u32) -> Entries {
    Entries::of((now, now, Some(now)))
}
