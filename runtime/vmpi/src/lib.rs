//! Virtual MPI: many logical ranks in one process.

pub mod attr;
pub mod c;
pub mod coll;
pub mod comm;
pub mod coord;
pub mod datatype;
pub mod deadlock;
pub mod engine;
pub mod errhandler;
pub mod error;
pub mod external32;
pub mod group;
pub mod handle;
pub mod info;
pub mod io;
pub mod link;
pub mod objects;
pub mod op;
pub mod p2p;
pub mod pack;
pub mod saved;
pub mod sched;
mod sights;
pub mod state;
pub mod topo;
pub mod transport;
pub mod wire;
