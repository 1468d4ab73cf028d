//! The other processes of a job.  The virtual MPI provides them; sequential programs have none.
//!
//! Process 0 has the checkpoint directory; the others do with it what process 0 says.

use std::sync::{Arc, OnceLock};

/// Calls that every process makes, in the same order, with no rank running.
pub trait Peers: Send + Sync {
    fn index(&self) -> usize;
    fn count(&self) -> usize;
    /// Processors that each process has to itself, at least; 0: less than one.
    fn processors(&self) -> usize;
    /// Process 0 gets what each gives, in order; the others get nothing.
    fn gather(&self, mine: &[u8]) -> Vec<Vec<u8>>;
    /// Each gets what process 0 gives.
    fn spread(&self, bytes: &[u8]) -> Vec<u8>;
    /// The job is over for all: returns when nobody needs another process any more.
    fn close(&self);

    /// Returns when all have called it.
    fn meet(&self) {
        self.gather(&[]);
        self.spread(&[]);
    }
}

/// `None`: the process runs alone.
type Join = fn() -> Result<Option<Arc<dyn Peers>>, String>;

static JOIN: OnceLock<Join> = OnceLock::new();

/// Announces how to join a job of several processes.
pub fn provide_peers(join: Join) {
    let _ = JOIN.set(join);
}

pub fn join() -> Result<Option<Arc<dyn Peers>>, String> {
    JOIN.get().map_or(Ok(None), |join| join())
}
