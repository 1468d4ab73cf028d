//! What a checkpoint keeps of a rank's MPI state.
//!
//! | module | what |
//! |---|---|
//! | `save`, `load` | all of it |
//! | `other_requests`, `message`, `files`, `windows` | pending requests, inbound messages, open files, windows |
//! | `saved` | communicators, groups, datatypes and other objects |
//! | `status`, `sessions` | versions and flags, statuses of requests; sessions, attached buffers |

pub mod files;
pub mod load;
pub mod message;
pub mod other_requests;
pub mod save;
pub mod saved;
mod sessions;
mod status;
pub mod windows;
