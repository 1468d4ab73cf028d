//! Collective operations (MPI 3.1 chapter 5) and what is built on them: communicators, topologies, files.
//!
//! | module | what |
//! |---|---|
//! | `meeting` | where members of a communicator meet: `parties` lets them wait for one another; `posted` and `rounds` for non-blocking calls |
//! | `work` | what is done then: `moving` moves data, `reducing` and `combine` combine them |
//! | `remote` | members of other processes, which read long blocks where they are lent (`zero_copy`); what calls amount to is told in a frame (`inline_collective`), by many processes along a `tree` |
//! | `comm`, `topo`, `io`, `win` | communicators, topologies, files, windows |
//! | `handles` | all MPI objects of a rank |
//! | `common`, `crew` | what a job's collectives have in common; a rank as a member |
//! | `above` | what is asked of a protocol that counts collectives |

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod above;
pub mod comm;
pub mod common;
mod crew;
pub mod handles;
pub mod io;
pub mod meeting;
pub mod remote;
pub mod topo;
pub mod win;
pub mod work;
