//! Ranks that are spawned while a checkpoint is under way, and spawned again behind a recovery.
//!
//! A rank that is spawned in front of its root's line has a line of its own to come to.  One that is spawned behind that is in the
//! checkpoint as it is then: with its number, its arguments, its globals and its communicators, yet to begin.  Its root's log
//! says that it spawned it; when it does so again, the rank begins.

use crate::epoch_frames::tell;
use std::sync::atomic::Ordering::*;

use pc3_protocol::{Birth, Stamp};
use pc3_runtime::report::{die, EXIT_FATAL};

use crate::checkpoint::local;
use crate::epoch_frames::Word;
use crate::machines::{done, Machines};
use pc3_vmpi_core::rank::{Call, RankState};
use pc3_vmpi_core::world::World;
use pc3_vmpi_link::processes::total_order::Turn;

impl Machines {
    /// `root` has spawned ranks of this process, which are about to begin.
    ///
    /// The checkpoint knows those with the lowest numbers: where one was spawned without being logged, all behind it are.  The
    /// turn says so, as news of the epoch may take longer ways.
    pub fn adopt(&self, root: &RankState, children: &[u32], turn: Option<&Turn>) {
        let world = root.world();
        let mut s = self.enter(root);
        let member = s.member(root.slot);
        let epoch = member.epoch();
        if turn.is_some_and(|t| t.unlogged() == epoch) {
            member.observe(Stamp {
                epoch,
                ..Stamp::default()
            });
        }
        for child in children {
            let (member, birth) = s.member(root.slot).spawned(*child);
            let slot = s.members.len() as u32;
            s.members.push(member);
            s.dirty.insert(slot);
            // It has never been on a way on which nobody counts.
            s.seen.push(true);
            s.taken.push(None);
            s.recovered.push(None);
            s.node.adopt(*child, root.rank);
            if let Some(exec) = world.rank(*child).exec().filter(|_| birth != Birth::Before) {
                exec.passes_line();
            }
            match birth {
                Birth::Before => {}
                Birth::Logged => local::take_unborn(&mut s, world.rank(*child)),
                Birth::Behind => {
                    s.born += 1;
                    if let Some(turn) = turn {
                        turn.set_unlogged(epoch);
                    }
                }
            }
        }
        done(world, s);
    }

    /// What `root` spawned next behind its line, if it does that again: these are there, and begin now.
    pub fn bear_again(&self, root: &RankState, count: usize) -> Option<Vec<u32>> {
        if !root.world().nonblocking.is_slow() {
            return None;
        }
        let world = root.world();
        let mut s = self.enter(root);
        let member = s.member(root.slot);
        let again: Vec<u32> = (0..count).map_while(|_| member.replayed_birth()).collect();
        if !again.is_empty() && again.len() < count {
            let spawned = again.len();
            die(
                EXIT_FATAL,
                &format!(
                    "rank {} does not do what it did behind its checkpoint: it spawns {count} ranks, and spawned {spawned} the first time",
                    root.rank
                ),
            );
        }
        for child in &again {
            match world.local(*child) {
                Some(child) => begins(world, child, Some(root.worker())),
                None => tell(world, world.process_of(*child), &Word::Born(*child)),
            }
        }
        done(world, s);
        Some(again).filter(|list| !list.is_empty())
    }
}

/// Its root has spawned it again.
pub(crate) fn begins(world: &World, child: &RankState, from: Option<u32>) {
    child.unborn.store(false, Release);
    world.sched().wake(from, child.slot);
}

/// A rank of a checkpoint that is yet to begin waits until its root has spawned it again.
pub fn wait_to_begin(me: &RankState) {
    if !me.unborn.load(Acquire) {
        return;
    }
    me.call.set(Call::new(
        "has not begun: waits for who spawned it to do so again",
    ));
    while me.unborn.load(Acquire) {
        me.block();
    }
    me.call.set(Call::NONE);
}
