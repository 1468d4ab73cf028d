//! The MPI functions that programs call.
//!
//! An entry point checks its arguments, finds the objects behind the handles and calls the module
//! that does the work; what fails goes to the communicator's error handler.  Handles are
//! pointer-sized numbers (`usize`); pointers are trusted only as far as C must.
//!
//! * `messages`, `collectives`, `files`, `windows`, `objects`, `job`: the functions, by chapter; `births`: spawned ranks.
//! * `arguments`, `collective_arguments`: arguments, checked; `entry` runs a function's body; `raise`: what becomes of its error.

// The standard says what each function may be given; its sections are named instead.
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments)]

pub mod arguments;
mod births;
mod collective_arguments;
pub mod collectives;
pub mod entry;
pub mod files;
pub mod job;
pub mod messages;
pub mod objects;
pub mod raise;
pub mod windows;

pub use collectives::{coll, comm, dist_graph, inter, reduce, topo};
pub use files::{datarep, file, file_data};
pub use job::{clocks, env, port, spawn, tool};
pub use messages::{buffers, general, p2p, persistent, probe, request, requests, status};
pub use objects::{
    attr, datatype, datatype_contents, datatype_query, errors, external, fortran, group, info, op,
    pack, parametrised,
};
