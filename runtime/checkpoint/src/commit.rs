//! Making a checkpoint durable: the one place where a file becomes the job's newest checkpoint.

use std::fs::File;
use std::io;
use std::time::Instant;

use pc3_os::threads::lock;

use pc3_control::control::Taken;
use pc3_control::store::Stalls;
use pc3_state::job::Job;
use pc3_state::rank::Rank;

/// What follows a checkpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum After {
    Continue,
    /// The job is to end: call [`Job::stop`].
    Stop,
}

/// Has a checkpoint written to a temporary file and makes it the next one.
/// `stalls`: asked for once it is there.
pub fn commit(
    job: &Job,
    asked: bool,
    stalls: impl FnOnce() -> Stalls,
    write: impl FnOnce(&str, &mut File, u64) -> io::Result<()>,
) -> Taken {
    if job.detached {
        return Taken::Committed;
    }
    let committed = job.open_store().and_then(|()| {
        if let Some(store) = lock(&job.store).as_mut() {
            let id = store.commit(write)?;
            store.note_stalls(id, &stalls());
        }
        Ok(())
    });
    match committed {
        Ok(()) => {
            lock(&job.failures).clear();
            Taken::Committed
        }
        Err(error) => job.not_written(&error.to_string(), asked),
    }
}

/// Since when ranks have stood still for a checkpoint; they go on behind it.
pub fn stood(ranks: &mut [&mut Rank]) -> Vec<(u64, Instant)> {
    let each = ranks.iter_mut();
    let each = each.filter_map(|r| Some((r.id() as u64, r.moves()?)));
    each.collect()
}

pub(crate) fn until_now(stood: &[(u64, Instant)]) -> Stalls {
    let all = stood.iter().map(|(rank, since)| (*rank, since.elapsed()));
    Stalls(all.collect())
}
