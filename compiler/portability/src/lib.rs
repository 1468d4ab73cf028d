//! What C's types cannot say and another place needs to know.
//!
//! | module | what |
//! |---|---|
//! | `heap` | which types `malloc`'s memory has |
//! | `addresses` | addresses kept as numbers |
//! | `size_derived` | numbers made of sizes |
//! | `datatypes`, `located` | numbers of bytes and addresses in calls that make MPI datatypes |
//! | `lints` | what means something else elsewhere |
//! | `unsaved` | state outside of the program's variables |

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod addresses;
pub mod datatypes;
pub mod heap;
pub mod lints;
pub mod located;
pub mod size_derived;
pub mod unsaved;
