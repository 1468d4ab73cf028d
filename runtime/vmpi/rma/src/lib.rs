//! One-sided communication (MPI 4.1 chapter 12).
//!
//! Within a process an operation is done when it is called: on the target's memory, on the stack of the origin.  To another one
//! it is said at the call, and done before anything that follows.  So nothing is pending when ranks stand, and a checkpoint has
//! the memory, the epochs and the locks.
//!
//! | module | what |
//! |---|---|
//! | `shared` | what the members of a window have in common |
//! | `window` | what one member has of it |
//! | `epochs` | which operations and synchronisations may come next |
//! | `operations` | moving and combining data |
//! | `signals` | what other members have told one |
//! | `active`, `locks` | waiting for other members: post, start, complete, wait; locks |
//! | `remote`, `registry`, `name` | members in other processes; which windows have such |

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod active;
pub mod epochs;
mod locks;
mod name;
pub mod operations;
pub mod registry;
pub mod remote;
pub mod shared;
pub mod signals;
pub mod window;
