//! A plan that stands for long, because ranks do not run in step: from then on it takes ranks at any passage, and if that
//! does not help people are told who stands and who has yet to come.

use std::fmt::Write;
use std::sync::PoisonError;
use std::thread::Builder;
use std::time::Duration;

use pc3_os::signals::without_signals;
use pc3_protocol::barrier::RankStatus;
use pc3_protocol::processes::Stands;
use pc3_runtime::report::say;
use pc3_runtime::settings::PATIENCE;

use super::decide::passed;
use super::Locked;
use crate::world::World;

/// How long ranks may take to come to a location.
pub fn patience(world: &World) -> Duration {
    world.job.get().map_or(PATIENCE, |job| job.patience)
}

/// Who stands here, and who has yet to come.
pub fn stands(world: &World) -> Stands {
    let b = world.coord.lock();
    let mut stands = Stands::default();
    for r in world.ranks() {
        match b.status(r.slot as usize) {
            RankStatus::Parked => stands.standing += 1,
            RankStatus::Running => stands.is_late(r.rank.into(), passed(r).unwrap_or(0)),
            RankStatus::Unwinding | RankStatus::Unwound | RankStatus::Finished => {}
        }
    }
    stands
}

pub fn text(patience: Duration, stands: &Stands) -> String {
    let (seconds, n) = (patience.as_secs_f64(), stands.standing);
    let stand = if n == 1 { "rank stands" } else { "ranks stand" };
    let have = if stands.late == 1 { "has" } else { "have" };
    let mut text = match n {
        0 => format!(
            "a checkpoint has been planned for {seconds} s, and no rank has come to a location:"
        ),
        _ => format!(
            "a checkpoint has been planned for {seconds} s: {n} {stand} at a location, {} {have} not come to one:",
            stands.late
        ),
    };
    for (i, (rank, passed)) in stands.first.iter().enumerate() {
        let comma = if i > 0 { "," } else { "" };
        let _ = write!(text, "{comma} rank {rank} (has passed {passed})");
    }
    let more = stands.late - stands.first.len() as u64;
    if more > 0 {
        let _ = write!(text, " and {more} more");
    }
    match n {
        0 => text + "; it is taken as soon as all come to one",
        _ => text + "; with --protocol nonblocking (PC3_PROTOCOL) none would stand",
    }
}

struct Shared(*const World);
// SAFETY: the world waits for the thread before it ends.
unsafe impl Send for Shared {}

/// A plan has begun.
pub fn watch(world: &World, b: &mut Locked<'_>) {
    if std::mem::replace(&mut b.held.standing.watched, true) {
        return;
    }
    let shared = Shared(std::ptr::from_ref(world));
    let look = move || {
        let shared = shared;
        // SAFETY: as above.
        look(unsafe { &*{ shared }.0 });
    };
    let name = "pc3-watch".to_owned();
    let thread = without_signals(|| Builder::new().name(name).spawn(look));
    // Without it nothing is told.
    let mut mine = world.coord.watcher.thread.lock();
    let mine = mine.as_deref_mut();
    if let (Ok(mine), Ok(thread)) = (mine, thread) {
        *mine = Some(thread);
    }
}

fn look(world: &World) {
    let (watcher, patience) = (&world.coord.watcher, patience(world));
    let pause = (patience / 20).max(Duration::from_millis(5));
    let mut over = watcher.over.lock().unwrap_or_else(PoisonError::into_inner);
    while !*over {
        let woken = watcher.news.wait_timeout(over, pause);
        over = woken.unwrap_or_else(PoisonError::into_inner).0;
        let mut b = world.coord.lock();
        if b.is_idle() {
            b.held.standing.watched = false;
            return;
        }
        b.ripen(patience);
        let overdue = b.is_overdue(patience);
        drop(b);
        if overdue && !*over {
            say(&text(patience, &stands(world)));
        }
    }
}

/// The job ends.
pub fn finish(world: &World) {
    let watcher = &world.coord.watcher;
    *watcher.over.lock().unwrap_or_else(PoisonError::into_inner) = true;
    watcher.news.notify_all();
    let thread = watcher.thread.lock().ok().and_then(|mut t| t.take());
    if let Some(thread) = thread {
        drop(thread.join());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_stands_is_told_with_the_first_that_are_late() {
        let mut stands = Stands {
            standing: 1,
            ..Stands::default()
        };
        for rank in 2..8 {
            stands.is_late(rank, rank * 10);
        }
        let start = "a checkpoint has been planned for 0.5 s: 1 rank stands at a location, 6 have not come to one: rank 2 (has passed \
                     20), rank 3 (has passed 30), rank 4 (has passed 40), rank 5 (has passed 50) and 2 more; with";
        let text = text(Duration::from_millis(500), &stands);
        assert!(text.starts_with(start), "{text}");
    }
}
