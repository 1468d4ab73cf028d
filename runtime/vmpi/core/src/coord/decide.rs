//! What comes of plans that ranks cannot follow, and how far ranks are.

use pc3_runtime::control::{clear_flag, FLAG_ENGINE};

use super::barrier::Verdict;
use crate::deadlock;
use crate::rank::RankState;
use crate::world::World;
use std::sync::atomic::Ordering::*;

/// No rank can run: if some only wait for others at a location, the cut is infeasible.
/// True if ranks were woken.
pub(crate) fn quiescent(world: &World) -> bool {
    let last = world.coord.lock().is_last_attempt();
    // Who waits where can be read only while nobody runs, and before anybody is released.
    let who = if last {
        format!("\n{}", deadlock::describe(world))
    } else {
        String::new()
    };
    let verdict = world.coord.lock().stuck();
    apply(world, verdict, &who)
}

/// A rank has polled in vain many times: does everybody else wait too?
pub(crate) fn polled(world: &World) {
    if world.remote().is_some() {
        // Nobody knows here.
        return;
    }
    let mut b = world.coord.lock();
    if !b.any_parked() {
        return;
    }
    let idle = |r: &RankState| !b.is_running(r.slot as usize) || r.is_idle();
    let all = world.ranks().iter().all(idle) && !world.has_mail();
    if all {
        let verdict = b.stuck();
        drop(b);
        apply(world, verdict, "");
    }
}

/// The passage of the rank that is furthest ahead, if it is ahead of `passed`, else that.
pub fn furthest(world: &World, passed: u64) -> u64 {
    let counter = |r: &RankState| {
        let exec = r.exec.get();
        // SAFETY: an aligned counter that its rank increments; any recent value will do.
        (!exec.is_null()).then(|| unsafe { (&raw const (*exec).abi.passages).read_volatile() })
    };
    let ahead = |r| Some(distance(counter(r)?, passed));
    let most = world.ranks().iter().filter_map(ahead).max();
    passed.saturating_add_signed(most.unwrap_or(0).max(0))
}

/// The locations that a rank has passed, unless it has yet to begin.
pub fn passed(r: &RankState) -> Option<u64> {
    let exec = r.exec.get();
    // SAFETY: as above and below.
    let both = (!exec.is_null()).then(|| unsafe {
        (
            (*exec).passages_seen(),
            (&raw const (*exec).abi.passages).read_volatile(),
        )
    });
    both.map(|(seen, counter)| seen.saturating_add_signed(distance(counter, seen)))
}

/// The passage of the rank that is furthest ahead.
pub fn furthest_of_all(world: &World) -> u64 {
    // Ranks that have ended come to no further location.
    let known = |r: &RankState| {
        let exec = r.exec.get();
        // SAFETY: as below; `passages` is the rank's own, and only old for others.
        (!exec.is_null()).then(|| unsafe { (*exec).passages_seen() })
    };
    let from = world.ranks().iter().filter_map(known).max().unwrap_or(0);
    furthest(world, from)
}

/// The passage near `target` that a rank's count stands for.
pub fn near(target: u64, passed: u64) -> u64 {
    target.saturating_add_signed(distance(passed as u32, target))
}

/// Ranks count in 32 bits, which wrap; differences do not.
fn distance(counter: u32, from: u64) -> i64 {
    i64::from(counter.wrapping_sub(from as u32) as i32)
}

/// All processes give up the plan; `who`: who waits where in this one, the `index`-th.
pub fn given_up(world: &World, target: u64, index: u32, who: &str) {
    clear_flag(FLAG_ENGINE);
    if let Some(job) = world.job.get() {
        let why = match index {
            0 => DROPPED.to_owned(),
            // The first process need not say it again to who has asked here.
            n if job.control.is_asked() => format!("{DROPPED}; the ranks of process {n}"),
            n => format!("that checkpoint was dropped: the ranks of process {n}"),
        };
        let why = format!("{why}\n{who}");
        job.drop_checkpoint(target, why.trim_end());
    }
}

/// These go on to a later location.
pub fn let_go(world: &World, ranks: &[usize]) {
    world.ranks().iter().for_each(|r| r.polls.store(0, Relaxed));
    ranks
        .iter()
        .for_each(|r| world.sched().wake(None, *r as u32));
}

const DROPPED: &str = "a checkpoint was dropped: ranks at checkpoint locations keep others waiting in MPI calls; with \
                       --protocol nonblocking (PC3_PROTOCOL) they would not";

/// `who`: who waits where.  True if ranks were woken.
fn apply(world: &World, verdict: Verdict, who: &str) -> bool {
    let ranks = match verdict {
        Verdict::Nothing => return false,
        Verdict::Released(ranks) => ranks,
        Verdict::Dropped { ranks, target } => {
            dropped(world, target, who);
            ranks
        }
    };
    let_go(world, &ranks);
    !ranks.is_empty()
}

/// A planned checkpoint turned out to be impossible.
fn dropped(world: &World, target: u64, who: &str) {
    clear_flag(FLAG_ENGINE);
    let why = DROPPED;
    if let Some(job) = world.job.get() {
        job.drop_checkpoint(furthest(world, target), format!("{why}{who}").trim_end());
    }
}
