//! Taking a checkpoint: of ranks that all stand still, or of parts that each has taken for itself.

use std::time::Instant;

use pc3_os::threads::lock;

use crate::commit::{commit, stood, until_now, After};
use crate::multi_process_checkpoint::{self, LocalCheckpoints, Written};
use crate::process::gather;
use crate::save::{self, Part};
use pc3_state::job::Job;
use pc3_state::rank::Rank;
use pc3_state::skipped_checkpoint::Skipped;

/// Writes and commits a checkpoint of all ranks, which are unwound or finished, in rank order.
/// A failure is reported on stderr and the program goes on.
pub fn checkpoint(job: &Job, ranks: &mut [&mut Rank], passage: u64) -> After {
    if let Some(peers) = job.peers() {
        return multi_process_checkpoint::checkpoint(job, peers, ranks, passage);
    }
    let start = Instant::now();
    let asked = job.control.begin();
    let stood = stood(ranks);
    let what = match gather::gather(ranks) {
        Err(obstacle) => job.skipped(&obstacle.into(), asked),
        Ok(()) => commit(
            job,
            asked,
            || until_now(&stood),
            |_, file, id| save::write(job, ranks, passage, id, file),
        ),
    };
    if job.control.done(passage, what, start.elapsed()) {
        After::Stop
    } else {
        After::Continue
    }
}

/// The part of a rank that is unwound or has ended, while others run; `engine`: the engine's state of it.
pub fn part(job: &Job, rank: &mut Rank, engine: &[u8]) -> Result<Part, Skipped> {
    let first = Some(&(rank.id() as u32)) == job.here().first();
    gather::gather_one(rank, first)?;
    Part::of(job, rank, engine, job.guests())
}

/// Writes and commits the parts of all ranks, with those of the other processes.
pub fn commit_local(job: &Job, mine: LocalCheckpoints) -> Written {
    if let Some(peers) = job.peers() {
        return multi_process_checkpoint::commit_local(job, peers, &mine);
    }
    let LocalCheckpoints {
        parts,
        passage,
        asked,
        since,
        stalls,
        disturbed,
    } = mine;
    if let Some(why) = disturbed {
        return Written::Disturbed(why);
    }
    let what = match parts {
        Err(obstacle) => job.skipped(&obstacle, asked),
        Ok(parts) => commit(
            job,
            asked,
            || stalls,
            |_, file, id| save::write_parts(job, parts, &lock(job.guests()), passage, id, file),
        ),
    };
    Written::After(match job.control.done(passage, what, since.elapsed()) {
        true => After::Stop,
        false => After::Continue,
    })
}
