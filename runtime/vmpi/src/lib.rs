//! Virtual MPI: many logical ranks in one process.  This crate puts the others together; what programs and the runtime need of
//! them is named here.
//!
//! | crate | what |
//! |---|---|
//! | `objects` | MPI's objects: handles, groups, datatypes, operations, packing |
//! | `sched`, `transport` | ranks as coroutines; frames between processes |
//! | `core` | ranks, and messages between them |
//! | `rma` | windows: one-sided communication |
//! | `coll` | collectives, communicators, topologies, files |
//! | `link` | the other processes |
//! | `snapshot` | what a checkpoint keeps of a rank |
//! | `nonblocking` | the protocol without a barrier |
//! | `api`, `entry` | the functions that programs call; their two names, `MPI_X` and `PMPI_X` |
//!
//! Here: `engine` is the runtime's engine, `barrier` drives the protocol with a barrier, `sights` says what a process is doing,
//! `guest` serves programs that own the buffers of their requests as values.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod barrier;
pub mod engine;
pub mod guest;
mod sights;

pub use pc3_vmpi_api as c;
pub use pc3_vmpi_coll::{comm, handles, io, meeting, topo};
pub use pc3_vmpi_core::{mail, p2p, rank, world};
pub use pc3_vmpi_objects::{attr, datatype, error, group, handle, info, op, pack, wire};
pub use pc3_vmpi_sched as sched;
pub use pc3_vmpi_snapshot::saved;

/// The ranks of a job in this process.
pub mod state {
    pub use pc3_vmpi_core::rank::{Call, Phase, RankState};
    pub use pc3_vmpi_core::world::World;
    pub use pc3_vmpi_snapshot::{load, save};
}
