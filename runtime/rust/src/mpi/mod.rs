//! Messages between the ranks of a program, on the virtual MPI (feature `mpi`).
//!
//! ```
//! use pc3::mpi::{self, traits::*, SystemOperation};
//! use pc3::prelude::*;
//!
//! #[pc3::main(mpi)]
//! fn main() {
//!     let universe = mpi::initialize().expect("MPI can be initialized once");
//!     let world = universe.world();
//!     let mut sum = 0.0;
//!     for step in 0..1000 {
//!         world.all_reduce_into(&f64::from(world.rank() + step), &mut sum, SystemOperation::sum());
//!         checkpoint!();
//!     }
//!     if world.rank() == 0 {
//!         println!("{sum}");
//!     }
//! }
//! ```
//!
//! `pc3run -n 8 -w 2 ./program` runs eight ranks on two threads; a checkpoint goes on with any number of threads, on any
//! machine.  Each rank executes `main` with locals and boxes of its own; **statics are shared** by all ranks, and what is in
//! them is not saved (nor is what is in `thread_local!`s, of which each thread has one, not each rank).
//!
//! The shape is that of the crate `mpi` (rsmpi).  Communicators, groups, statuses and the owned futures of messages are values
//! that checkpoints can hold; requests within a scope borrow their buffers, so they end before a location.
//! What is wrong with a call ends the job with a message, as under `MPI_ERRORS_ARE_FATAL`.

pub mod buffer;
pub mod collective;
mod communicator;
pub mod datatype;
pub mod environment;
mod equivalence;
mod group;
mod held;
pub mod immediate;
mod operation;
pub mod persistent;
pub mod point_to_point;
pub mod request;
pub mod topology;
pub mod traits;

use pc3_vmpi::c::env::MPI_Finalize;
use pc3_vmpi::c::errors::end_job;
use pc3_vmpi::state::{Phase, RankState};

pub use communicator::{
    AnyProcess, Communicator, CommunicatorRelation, Process, SimpleCommunicator,
};
pub use environment::{
    initialize, initialize_with_threading, is_finalized, time, time_resolution, Threading, Universe,
};
#[doc(hidden)]
pub use equivalence::Plain;
pub use equivalence::{Equivalence, InvalidValue};
pub use group::{Group, GroupRelation};
pub use operation::{Number, Operation, SystemOperation, UserOperation};
pub use pc3_macros::Equivalence;
pub use point_to_point::{Message, Status};

/// A rank's number in a communicator.
pub type Rank = i32;
/// What tells messages between the same ranks apart.
pub type Tag = i32;
/// A number of values.
pub type Count = i32;

/// Ends the job, whose call cannot be carried out.
#[cold]
pub(crate) fn fail(why: &str) -> ! {
    let rank = RankState::try_current().map_or(String::new(), |me| format!("rank {}: ", me.rank));
    end_job(1, &format!("{rank}{why}"))
}

/// What a call of MPI returns: errors have ended the job.
pub(crate) fn ok(code: i32) {
    if code != 0 {
        fail(&format!("MPI error {code}"));
    }
}

/// At the latest when the rank ends.
pub(crate) fn finalize() {
    if is_running() {
        // SAFETY: no preconditions.
        ok(unsafe { MPI_Finalize() });
    }
}

pub(crate) fn is_running() -> bool {
    RankState::try_current().is_some_and(|me| me.phase.get() == Phase::Initialized)
}
