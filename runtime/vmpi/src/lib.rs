//! Virtual MPI: many logical ranks in one process.

pub mod c;
pub mod coll;
pub mod comm;
pub mod coord;
pub mod deadlock;
pub mod engine;
pub mod guest;
pub mod io;
pub mod link;
pub(crate) mod nonblocking;
pub mod objects;
pub mod p2p;
mod ports;
mod protocol;
pub mod saved;
mod sights;
mod spawn;
pub mod state;
pub mod stats;
pub mod topo;

pub use pc3_vmpi_objects::{attr, datatype, error, group, handle, info, op, pack, wire};
pub use pc3_vmpi_sched as sched;
