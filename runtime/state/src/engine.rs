//! The interface between the runtime and whoever runs the ranks.
//!
//! `solo` in `pc3-runtime` implements it for sequential programs, the virtual MPI for MPI programs.
//! That announces itself with [`provide_mpi`] before `pc3_runtime::start`.
//!
//! A rank's life, seen by an engine: `run` starts `body(rank)` once per rank, on a stack of the
//! engine's choice; whenever a rank's stack gets control the engine has called
//! [`Rank::make_current`] on that thread.  At a location that must look closer the runtime asks
//! `due`; if that says yes the frames return one by one into `body`, which calls `unwound` on an
//! all but empty stack.  When every rank of the job is in `unwound`, or has returned from `body`,
//! one thread calls `pc3_checkpoint::take::checkpoint` with all of them, and `unwound` returns.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use crate::job::Job;
use crate::rank::Rank;
use crate::transfer::{LoadCtx, LoadError, SaveCtx};

/// What a rank's stack executes; returns the exit code of `main`.
pub type Body = fn(&mut Rank) -> i32;

pub trait Engine: Send + Sync {
    /// Runs every rank's body and returns the job's exit status.
    fn run(&self, job: &Arc<Job>, ranks: Vec<Box<Rank>>, body: Body) -> i32;

    /// Slow path of a location (`pc3_flag` was set): must this rank unwind now?
    /// Inside a critical section ([`Rank::in_critical`]) the answer must be no.
    fn due(&self, rank: &mut Rank) -> bool;

    /// The rank's stack is unwound.  Returns when it is to be rebuilt.
    fn unwound(&self, rank: &mut Rank);

    /// A guest's rank is back from its frames.  When all that are to come back have called this, one of them calls `settle`
    /// for every rank of the process; then they go on.
    fn all_back(&self, rank: &mut Rank, settle: &dyn Fn(&mut Rank)) {
        settle(rank);
    }

    /// The program called `exit`.
    fn exit(&self, rank: &mut Rank, code: i32) -> !;

    /// What stands in the way of saving a rank, in a sentence without an end.
    fn obstacle(&self, _rank: &Rank) -> Option<String> {
        None
    }

    /// The engine's state of one unwound (or finished) rank.
    fn save(&self, rank: &Rank, ctx: &SaveCtx) -> Vec<u8>;

    /// Rebuilds it, before `run`; all objects of the rank exist and are converted.
    fn load(&self, rank: &mut Rank, bytes: &[u8], ctx: &dyn LoadCtx) -> Result<(), LoadError>;

    /// The same for what crosses the rank's own line, of checkpoints in which each rank has one; behind [`Engine::load`].
    fn load_line(
        &self,
        _rank: &mut Rank,
        _bytes: &[u8],
        _ctx: &dyn LoadCtx,
    ) -> Result<(), LoadError> {
        Err(LoadError(
            "it was taken by the nonblocking protocol, which this program cannot go on from"
                .to_owned(),
        ))
    }

    /// Does what the system says to the calling rank now have to be logged, as another run could be told otherwise?
    fn is_logging(&self) -> bool {
        false
    }

    /// What it says: `live`'s, or the first time's if this is done again.
    fn logged(&self, live: &mut dyn FnMut() -> Vec<u8>) -> Vec<u8> {
        live()
    }

    /// The calling rank prints to an output, which it has done already if this is done again: the output still has that.
    fn has_printed(&self, _output: u8) -> bool {
        false
    }

    /// The calling rank asks for memory in vain: gives back what is kept for a checkpoint, which is given up.  True if there was any: then there may be more.
    fn relieve(&self) -> bool {
        false
    }

    /// What the ranks do just now, for people.
    fn whereabouts(&self) -> String {
        "the program computes or waits elsewhere".to_owned()
    }

    /// State that belongs to the job and not to one rank.
    fn save_job(&self, _ctx: &SaveCtx) -> Vec<u8> {
        Vec::new()
    }

    fn load_job(&self, _bytes: &[u8], _ctx: &dyn LoadCtx) -> Result<(), LoadError> {
        Ok(())
    }
}

/// An engine's own per-rank state, kept in [`Rank::extension`].
pub type Extension = Option<Box<dyn Any + Send>>;

/// Makes the engine of MPI programs; called once, after the settings were read.
pub type MakeEngine = fn(&Job) -> Box<dyn Engine>;

static MPI: OnceLock<MakeEngine> = OnceLock::new();

/// Announces the engine for programs with a unit that calls MPI.
pub fn provide_mpi(make: MakeEngine) {
    let _ = MPI.set(make);
}

pub fn mpi() -> Option<MakeEngine> {
    MPI.get().copied()
}
