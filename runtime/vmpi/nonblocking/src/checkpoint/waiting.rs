//! Ranks that are waited for, and what is told of an epoch that was given up.

use crate::machines::machines;
use std::collections::BTreeSet;
use std::mem::take;
use std::sync::PoisonError;
use std::time::Duration;

use pc3_os::signals::without_signals;
use pc3_protocol::Phase;

use crate::state::{Attempt, Stage, State};
use pc3_vmpi_core::coord::decide::furthest_of_all;
use pc3_vmpi_core::deadlock;
use pc3_vmpi_core::world::World;

/// So many epochs in a row that were disturbed by what ranks do with files are tried again.
pub(crate) const PATIENCE: u32 = 16;

/// Ranks here that the epoch waits for: to be seen before it begins, then to take their local checkpoints.
pub(crate) fn missing(s: &State, world: &World) -> String {
    let list: Vec<String> = late_slots(s, world)
        .map(|slot| world.ranks()[slot as usize].rank.to_string())
        .collect();
    let more = list.len().saturating_sub(10);
    let mut text = list[..list.len() - more].join(", ");
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    match list.len() {
        0 if s.remote_epochs.is_some() => "ranks of other processes".to_owned(),
        1 => format!("rank {text}"),
        _ => format!("ranks {text}"),
    }
}

/// Locations at which these could not be saved.
pub(crate) fn held_back(ranks: &BTreeSet<u32>) -> String {
    let list: Vec<String> = ranks.iter().take(10).map(u32::to_string).collect();
    let (rank, have) = match ranks.len() {
        0 => return String::new(),
        1 => ("rank", "has"),
        _ => ("ranks", "have"),
    };
    let more = match ranks.len() - list.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let list = list.join(", ");
    format!(
        "; {rank} {list}{more} {have} passed some, waiting for what MPI_Ssend or MPI_Issend sent to be received"
    )
}

pub(crate) fn late_slots<'a>(s: &'a State, world: &'a World) -> impl Iterator<Item = u32> + 'a {
    let gathers = s.stage == Stage::Gathering;
    (0..s.members.len() as u32).filter(move |slot| match gathers {
        true => !s.is_there(world, *slot),
        false => s.members[*slot as usize].phase() == Phase::Asked,
    })
}

/// A thread looks whether all come to a location in time.
pub(crate) fn watch(s: &mut State, world: &World) {
    machines(world).news.notify_all();
    if s.watcher.is_some() {
        return;
    }
    let shared = Shared(std::ptr::from_ref(world));
    let name = "pc3-watch".to_owned();
    let look = move || {
        let shared = shared;
        // SAFETY: the world waits for this thread before it ends.
        look(unsafe { &*{ shared }.0 });
    };
    // Without it a rank that comes to no location is waited for.
    s.watcher = without_signals(|| std::thread::Builder::new().name(name).spawn(look)).ok();
}

pub(crate) fn look(world: &World) {
    let Some(job) = world.job.get() else { return };
    let news = &machines(world).news;
    let patience = job.patience;
    let mut s = machines(world).lock();
    while !s.is_over {
        let missing = match s.stage {
            Stage::Gathering => true,
            Stage::Running => s.members.iter().any(|m| m.phase() == Phase::Asked),
            Stage::Idle | Stage::Replaying => false,
        };
        let missing = missing && !s.refused;
        // Processes whose ranks are late say so themselves.
        let others = s.stage == Stage::Gathering && s.all_there(world);
        let patience = if others { patience * 2 } else { patience };
        let age = s.attempt.since.elapsed();
        if missing && age >= patience {
            let late = self::missing(&s, world);
            let slots = late_slots(&s, world).map(|slot| &world.ranks()[slot as usize]);
            let what = match deadlock::whereabouts(slots) {
                text if text.is_empty() => text,
                text => format!(": {text}"),
            };
            let held = held_back(&s.attempt.unreceived);
            let why = format!(
                "{late} came to no location within {patience:?} (PC3_PATIENCE){what}{held}"
            );
            s.give_up(world, why);
            s.pump(world);
            continue;
        }
        let pause = match missing {
            true => patience - age,
            false => Duration::from_secs(3600),
        };
        // What is not missing now may be so in the next epoch, of which there is news.
        let woken = news.wait_timeout(s, pause);
        s = woken.unwrap_or_else(PoisonError::into_inner).0;
    }
}

/// What has become of an epoch that was given up.
pub(crate) fn report(s: &mut State, world: &World) {
    let Some(job) = world.job.get() else { return };
    let Some(why) = s.why.take() else { return };
    let again = take(&mut s.attempt.disturbed) && s.attempt.in_vain < PATIENCE;
    s.attempt.in_vain = if again { s.attempt.in_vain + 1 } else { 0 };
    // The next one is due behind where somebody is.
    let passage = s.attempt.passage.max(furthest_of_all(world));
    let Attempt { asked, since, .. } = s.attempt;
    job.gave_up(passage, &why, asked, again, since);
}

#[derive(Clone, Copy)]
pub(crate) struct Shared(pub(crate) *const World);

// SAFETY: worlds are used by all threads.
unsafe impl Send for Shared {}

pub(crate) fn world_of(shared: &Shared) -> &World {
    // SAFETY: made of a reference by the only caller.
    unsafe { &*shared.0 }
}
