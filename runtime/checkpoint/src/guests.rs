//! Where the runtime meets programs that are not C: at their locations, and when their frames are back.

use std::sync::atomic::Ordering::Relaxed;

use crate::restore::{settle, RestoreError};
use pc3_control::control::{pc3_flag, FLAG_COUNT};
use pc3_control::report::{die, error, EXIT_REFUSED};
use pc3_state::job::Job;
use pc3_state::rank::Rank;

/// All frames of a rank that is continued from a checkpoint have been taken back: when all ranks have got so far nothing can
/// be refused any more, so their files are cut and moved in, and then they go on.
pub fn resumed(rank: &mut Rank) {
    let job = rank.job().clone();
    let settle = |rank: &mut Rank| {
        let continued = job.source().map_or(Ok(()), |id| job.continued(id));
        let done = continued
            .map_err(RestoreError::from)
            .and_then(|()| settle(rank));
        done.unwrap_or_else(|e| die(EXIT_REFUSED, &error(e.code(), &e.to_string())));
    };
    if let Some(engine) = job.engine() {
        engine.all_back(rank, &settle);
    }
}

/// A process of which all ranks had ended at the checkpoint that the job goes on from.
pub fn none_resumes(job: &Job) -> bool {
    job.program.guest && job.is_continued()
}

/// The rank is at a location: must its stack go?  Ranks of a program that calls MPI count the locations that they pass,
/// so that they meet for a checkpoint where each has passed as many.
pub fn due(rank: &mut Rank) -> bool {
    if rank.job().program.calls_mpi {
        rank.abi.passages = rank.abi.passages.wrapping_add(1);
        if pc3_flag.load(Relaxed) == FLAG_COUNT {
            return false;
        }
    }
    let job = rank.job().clone();
    job.engine().is_some_and(|engine| engine.due(rank))
}
