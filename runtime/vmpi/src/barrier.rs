//! What the engine asks of the barrier protocol: ranks stand at their locations until all do, and one writes the checkpoint.

use pc3_vmpi_link::{link, remote};
use std::sync::atomic::Ordering::Relaxed;

use pc3_runtime::chaos;
use pc3_runtime::checkpoint::{self, After};
use pc3_runtime::control::{clear_flag, news, set_flag, FLAG_ENGINE};
use pc3_runtime::rank::Rank;

use pc3_vmpi_core::above::Protocol;
use pc3_vmpi_core::coord::barrier::{Answer, RankStatus};
use pc3_vmpi_core::coord::decide::{furthest, near};
use pc3_vmpi_core::coord::standing;
use pc3_vmpi_core::p2p::deliver;
use pc3_vmpi_core::world::World;
use pc3_vmpi_core::{p2p, stats};
use pc3_vmpi_link::messages::offers;
use pc3_vmpi_link::Link;
use pc3_vmpi_snapshot::save::place;

#[derive(Debug)]
pub(crate) struct AtBarrier;

impl Protocol for AtBarrier {
    fn due(&self, world: &World, rank: &mut Rank) -> bool {
        // What was logged is done again first.
        !world.nonblocking.is_slow() && due(world, rank)
    }

    fn unwound(&self, world: &World, rank: &mut Rank) {
        unwound(world, rank);
    }

    fn lines_are_at_once(&self) -> bool {
        true
    }

    fn asked(&self, world: &World) {
        let link = link(world);
        link.node.want(link);
    }
}

/// Locations that a rank on its way to where a checkpoint is planned passes without a look: few, as those that wait for it
/// count its fruitless polls between them.
const UNSEEN: u64 = 256;

fn due(world: &World, rank: &mut Rank) -> bool {
    let id = rank.id();
    let me = world.rank(id as u32);
    let passed = rank.count_passages();
    let news = news();
    let job = rank.job();
    if world.coord.is_idle() && !job.control.wanted(passed) {
        let ahead = job.control.next_passage().saturating_sub(passed);
        rank.pass_until(ahead, news);
        return false;
    }
    // It comes to where others stand.
    let polled = me.polls.swap(0, Relaxed) > 0;
    let mut b = world.coord.lock();
    if job.control.wanted(passed) {
        // Whoever comes first plans.  At intervals of passages the place is known beforehand: all
        // ranks meet where each has passed so many.
        let interval = job.control.next_passage();
        let plans = match remote(world) {
            // What is asked for here must be planned by all processes; intervals of passages they all know.
            Some(link) => link.node.wanted(link, &mut b, passed, interval),
            None => b.is_idle(),
        };
        if plans {
            if world.remote().is_none() {
                b.plan(furthest(world, passed).min(interval));
                standing::watch(world, &mut b);
            }
            set_flag(FLAG_ENGINE);
        }
    }
    b.ripen(job.patience);
    rank.stands();
    let passed = b.target().map_or(passed, |t| near(t, passed));
    let slot = me.slot as usize;
    let mut answer = match remote(world) {
        Some(link) => link.node.at_location(link, &mut b, slot, passed),
        None => b.at_location(slot, passed),
    };
    let mut waited = false;
    loop {
        match answer {
            Answer::Go => {
                let target = b.target().filter(|_| !b.is_loose() && !waited && !polled);
                drop(b);
                rank.moves();
                if let Some(target) = target.filter(|_| world.remote().is_none()) {
                    rank.pass_until(target.saturating_sub(passed).min(UNSEEN), news);
                }
                return false;
            }
            Answer::Unwind => {
                drop(b);
                chaos();
                // Who waited was woken by whoever came last, as all others are.
                if !waited {
                    world.wake_others(me);
                }
                return true;
            }
            Answer::Wait => {
                drop(b);
                waited = true;
                me.block();
                b = world.coord.lock();
                answer = b.answer(slot);
            }
        }
    }
}

/// A rank's stack is empty.  The last one writes the checkpoint.
fn unwound(world: &World, rank: &mut Rank) {
    let me = world.rank(rank.id() as u32);
    let slot = me.slot as usize;
    if !world.coord.lock().unwound(slot) {
        while world.coord.lock().status(slot) == RankStatus::Unwound {
            me.block();
        }
        return;
    }
    checkpoint(world);
    world.wake_others(me);
}

/// No rank of this process runs: writes the checkpoint, with the other processes.
pub fn checkpoint(world: &World) {
    let Some(job) = world.job.get() else { return };
    // While the last one is written, its thread speaks with the other processes.
    job.behind.settle();
    deliver::flush(world, None);
    world.ranks().iter().for_each(p2p::settle);
    if let Some(link) = remote(world) {
        drain(world, link);
    }
    // SAFETY: everyone else is suspended above, or has ended, so nobody uses the other
    // references; ours is not used meanwhile.
    let mut all: Vec<&mut Rank> = world
        .ranks()
        .iter()
        .filter_map(|r| unsafe { r.exec.get().as_mut() })
        .collect();
    stats::checkpoint(world, job);
    let passage = world.coord.lock().target().unwrap_or(0);
    let after = checkpoint::checkpoint(job, &mut all, passage);
    if after == After::Stop {
        stats::end(world, job);
        job.stop(None);
    }
    chaos();
    clear_flag(FLAG_ENGINE);
    let mut b = world.coord.lock();
    match remote(world) {
        Some(link) => link.node.resume(link, world, &mut b),
        None => b.resume(),
    }
    chaos();
}

/// Brings everything that is between processes to the ranks that it is for, or back to a request that is saved.
fn drain(world: &World, link: &Link) {
    // Every rank everywhere is parked: nothing new is sent, but what offers that were taken still bring.
    link.flush();
    link.desk.until(|| link.traffic.is_still());
    link.flush();
    link.board.do_all_chores(world);
    // No request changes any more, so places among them are what they will be in the checkpoint.
    offers::hand_over(link, world, |r| place(world.rank(r.owner), r));
    link.desk.until(|| link.traffic.is_still());
    link.flush();
}
